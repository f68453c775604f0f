import { readFileSync } from 'node:fs';
import { NotifierError } from '#shared/core/errors.ts';

/** Where a secret may be: in a file that an option names, or else in a variable of the environment. */
export interface SecretPlace {
  /** Such as `--secret`. */
  readonly option: string;
  readonly file: string | undefined;
  readonly variable: string;
}

/**
 * Reads a secret. It is never an argument itself: every user of the machine sees those of every process. Throws a
 * `NotifierError` that does not show it.
 */
export function readSecretOption(
  { option, file, variable }: SecretPlace,
  environment: NodeJS.ProcessEnv,
): string | undefined {
  if (file === undefined) return environment[variable];
  if (file.startsWith('whsec_')) {
    throw createSecretError(
      `${option} names a file, and was given the secret itself, which every user of this machine can see; put it into ${variable} or into a file`,
    );
  }
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (cause) {
    const reason = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause);
    throw createSecretError(
      `${option} ${JSON.stringify(file)} cannot be read (${reason}); name a file that holds the secret, or put the secret into ${variable}`,
      cause,
    );
  }
}

function createSecretError(message: string, cause?: unknown): NotifierError {
  return new NotifierError('options_wrong', message, { cause });
}
