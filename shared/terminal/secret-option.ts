import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { NotifierError } from '#shared/core/errors.ts';

/** Environment variable with the token of a real source. */
export const TOKEN_VARIABLE = 'WORKFORCE_API_TOKEN';

/** Given in place of a file: the secret is asked for. */
const ASK = '-';

/** Where a secret may be: in a file that an option names, or else in a variable of the environment, or with somebody. */
export interface SecretPlace {
  /** Such as `--secret`. */
  readonly option: string;
  readonly file: string | undefined;
  readonly variable: string;
  /** What it is, in words. */
  readonly what: string;
  /** Asked for on a terminal when it is nowhere else. */
  readonly isNeeded?: true;
}

/** Where somebody is asked: the terminal of the process. */
export type SecretTerminal = Pick<NodeJS.Process, 'stdin' | 'stderr'>;

/**
 * Reads a secret. It is never an argument itself: every user of the machine sees those of every process. Throws a
 * `NotifierError` that does not show it.
 */
export async function readSecretOption(
  place: SecretPlace,
  environment: NodeJS.ProcessEnv,
  terminal: SecretTerminal = process,
): Promise<string | undefined> {
  const { option, file, variable } = place;
  if (file === ASK) return await askSecret(place, terminal);
  if (file !== undefined) return readSecretFile(file, { option, variable });
  const isAsked = place.isNeeded === true && environment[variable] === undefined && terminal.stdin.isTTY;
  return isAsked ? await askSecret(place, terminal) : environment[variable];
}

function readSecretFile(
  file: string,
  { option, variable }: Pick<SecretPlace, 'option' | 'variable'>,
): string {
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

/** Asks on the terminal, where what is typed is not shown. */
async function askSecret(
  { option, variable, what }: SecretPlace,
  { stdin, stderr }: SecretTerminal,
): Promise<string> {
  if (stdin.isTTY !== true) {
    throw createSecretError(
      `${option} ${ASK} asks for ${what}, and there is no terminal to ask on; put it into ${variable}, or into a file that ${option} names`,
    );
  }
  stderr.write(`${what} (not shown): `);
  // readline echoes into nothing: with `terminal` it takes the echo from the terminal itself.
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  const prompt = createInterface({ input: stdin, output, terminal: true, historySize: 0 });
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  prompt.once('line', (line) => resolve(line.trim()));
  prompt.once('SIGINT', () => prompt.close());
  prompt.once('close', () => reject(createSecretError(`${what} was not given`)));
  try {
    return await promise;
  } finally {
    prompt.close();
    stderr.write('\n');
  }
}

function createSecretError(message: string, cause?: unknown): NotifierError {
  return new NotifierError('options_wrong', message, { cause });
}
