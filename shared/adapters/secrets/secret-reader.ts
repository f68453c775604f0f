import { GetSecretValueCommand, type SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { GetParameterCommand, type SSMClient } from '@aws-sdk/client-ssm';
import { readParameterName } from '#shared/config/schema/secret-name.ts';
import { stillLasts } from '#shared/core/clock-tolerance.ts';
import { NotifierError } from '../../core/errors.ts';

/** A rotated secret is noticed within this time. */
const CACHE_MS = 5 * 60_000;

const NOT_ENCRYPTED = 'ParameterNotEncrypted';

/** Errors that somebody must mend; all others may pass. */
const PERMANENT_ERRORS = new Set([
  NOT_ENCRYPTED,
  'AccessDeniedException',
  'DecryptionFailure',
  'InvalidKeyId',
  'InvalidParameterException',
  'InvalidRequestException',
  'ParameterNotFound',
  'ResourceNotFoundException',
]);

/** Where secrets are kept. */
export interface SecretClients {
  readonly secretsManager: SecretsManagerClient;
  readonly ssm: SSMClient;
}

export interface SecretReaderOptions {
  readonly clients: SecretClients;
  readonly secretName: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** How long the text is cached. */
  readonly keptMs?: number;
}

/**
 * Reads a secret: a parameter of Systems Manager where its name says so, else from AWS Secrets Manager, text or binary as
 * UTF-8. `fresh` bypasses the cache, because the secret may have been rotated. Throws `NotifierError`
 * `secret_unreadable`: retryable if the service does not answer, final if the secret does not exist, the role may not read
 * it, or a parameter is not encrypted.
 */
export function createSecretReader(
  options: SecretReaderOptions,
): (ask: { readonly fresh: boolean }) => Promise<string> {
  const { clients, secretName, now, keptMs = CACHE_MS } = options;
  let kept: { text: string; until: number } | null = null;
  return async ({ fresh }) => {
    if (!fresh && kept !== null && stillLasts(kept.until, now(), keptMs)) return kept.text;
    const text = await readSecret(clients, secretName);
    kept = { text, until: now() + keptMs };
    return text;
  };
}

async function readSecret(clients: SecretClients, secretName: string): Promise<string> {
  const parameter = readParameterName(secretName);
  try {
    if (parameter !== null) return await readParameter(clients, parameter);
    const answer = await clients.secretsManager.send(new GetSecretValueCommand({ SecretId: secretName }));
    return answer.SecretString ?? Buffer.from(answer.SecretBinary ?? []).toString('utf8');
  } catch (cause) {
    throw unreadableSecretError(cause, secretName);
  }
}

async function readParameter({ ssm }: SecretClients, name: string): Promise<string> {
  const { Parameter } = await ssm.send(new GetParameterCommand({ Name: name, WithDecryption: true }));
  if (Parameter?.Type === 'SecureString') return Parameter.Value ?? '';
  throw Object.assign(new Error(`the parameter is a ${Parameter?.Type}`), { name: NOT_ENCRYPTED });
}

function unreadableSecretError(cause: unknown, secretName: string): NotifierError {
  const name = cause instanceof Error ? cause.name : 'unknown error';
  const retryable = !PERMANENT_ERRORS.has(name);
  return new NotifierError(
    'secret_unreadable',
    `the secret "${secretName}" cannot be read (${name}); ${adviseOn(name, retryable)}`,
    {
      cause,
      retryable,
    },
  );
}

function adviseOn(name: string, retryable: boolean): string {
  if (retryable) return 'it is read again at the next try';
  // Systems Manager does not change the type of a parameter.
  if (name === NOT_ENCRYPTED)
    return 'delete it, make a new secret where it comes from, and put that as a SecureString';
  return 'create it, and allow the role of this function to read it';
}
