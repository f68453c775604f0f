import { GetSecretValueCommand, type SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SourceError } from '../../core/errors.ts';
import type { ReadSecret } from './credential.ts';

/** How long the text of a secret is kept: a rotation without a 401 in between comes in within this time. */
const KEPT_MS = 5 * 60_000;

export interface SecretReaderOptions {
  readonly client: SecretsManagerClient;
  readonly secretName: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * Reads a secret from AWS Secrets Manager, text or binary as UTF-8. Throws `SourceError`: `source_unauthorised` when
 * it is not there or not ours to read, `source_unreachable` (retryable) when Secrets Manager does not answer.
 */
export function createSecretReader({ client, secretName, now }: SecretReaderOptions): ReadSecret {
  let kept: { text: string; until: number } | null = null;
  return async ({ fresh }) => {
    if (!fresh && kept !== null && now() < kept.until) return kept.text;
    const text = await readSecret(client, secretName);
    kept = { text, until: now() + KEPT_MS };
    return text;
  };
}

async function readSecret(client: SecretsManagerClient, secretName: string): Promise<string> {
  try {
    const answer = await client.send(new GetSecretValueCommand({ SecretId: secretName }));
    return answer.SecretString ?? Buffer.from(answer.SecretBinary ?? []).toString('utf8');
  } catch (cause) {
    throw failureOf(cause, secretName);
  }
}

/** Errors that a person must mend; everything else may pass by itself. */
const PERMANENT = new Set([
  'AccessDeniedException',
  'DecryptionFailure',
  'InvalidParameterException',
  'InvalidRequestException',
  'ResourceNotFoundException',
]);

function failureOf(cause: unknown, secretName: string): SourceError {
  const name = cause instanceof Error ? cause.name : 'unknown error';
  const message = `the secret "${secretName}" cannot be read (${name})`;
  if (PERMANENT.has(name))
    return new SourceError(
      'source_unauthorised',
      `${message}; create it, and let this function read it in its role`,
      { cause },
    );
  return new SourceError('source_unreachable', `${message}; it is read again at the next try`, {
    cause,
    retryable: true,
  });
}
