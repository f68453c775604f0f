import { GetSecretValueCommand, type SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { stillLasts } from '#shared/core/clock-tolerance.ts';
import { NotifierError } from '../../core/errors.ts';

/** A rotated secret is noticed within this time. */
const CACHE_MS = 5 * 60_000;

/** Errors that somebody must mend; all others may pass. */
const PERMANENT_ERRORS = new Set([
  'AccessDeniedException',
  'DecryptionFailure',
  'InvalidParameterException',
  'InvalidRequestException',
  'ResourceNotFoundException',
]);

export interface SecretReaderOptions {
  readonly client: SecretsManagerClient;
  readonly secretName: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** How long the text is cached. */
  readonly keptMs?: number;
}

/**
 * Reads a secret from AWS Secrets Manager, text or binary as UTF-8. `fresh` bypasses the cache, because the secret may
 * have been rotated. Throws `NotifierError` `secret_unreadable`: retryable if Secrets Manager does not answer, final if
 * the secret does not exist or the role may not read it.
 */
export function createSecretReader(
  options: SecretReaderOptions,
): (ask: { readonly fresh: boolean }) => Promise<string> {
  const { client, secretName, now, keptMs = CACHE_MS } = options;
  let kept: { text: string; until: number } | null = null;
  return async ({ fresh }) => {
    if (!fresh && kept !== null && stillLasts(kept.until, now(), keptMs)) return kept.text;
    const text = await readSecret(client, secretName);
    kept = { text, until: now() + keptMs };
    return text;
  };
}

async function readSecret(client: SecretsManagerClient, secretName: string): Promise<string> {
  try {
    const answer = await client.send(new GetSecretValueCommand({ SecretId: secretName }));
    return answer.SecretString ?? Buffer.from(answer.SecretBinary ?? []).toString('utf8');
  } catch (cause) {
    throw unreadableSecretError(cause, secretName);
  }
}

function unreadableSecretError(cause: unknown, secretName: string): NotifierError {
  const name = cause instanceof Error ? cause.name : 'unknown error';
  const retryable = !PERMANENT_ERRORS.has(name);
  const advice = retryable
    ? 'it is read again at the next try'
    : 'create it, and allow the role of this function to read it';
  return new NotifierError(
    'secret_unreadable',
    `the secret "${secretName}" cannot be read (${name}); ${advice}`,
    {
      cause,
      retryable,
    },
  );
}
