import {
  type Credential,
  createCredential,
  toSourceSecretReader,
} from '#shared/adapters/credential/credential.ts';
import { createSecretReader, type SecretClients } from '#shared/adapters/secrets/secret-reader.ts';
import type { System } from '#shared/adapters/system/system.ts';
import { createListReader, type ListReader } from '#shared/adapters/workforce-api/list-reader.ts';
import { createRateLimiter, type RateLimiter } from '#shared/adapters/workforce-api/rate-limiter.ts';
import { createTokenRequest } from '#shared/adapters/workforce-api/token-request.ts';
import type { Connection } from '#shared/config/schema/connection.ts';

/**
 * A credential that the source refuses is read again at once; another one, which was put beside a valid one, within this
 * time.
 */
export const SECRET_KEPT_MS = 30 * 60_000;

interface SourceClientOptions {
  readonly secrets: SecretClients;
  readonly system: System;
  /** See `RateLimiterOptions`. */
  readonly patienceMs?: number;
}

/** Kept between invocations: the token of a connection, and the learned pace of its source. */
interface Access {
  readonly rateLimiter: RateLimiter;
  readonly credential: Credential;
  /** Deadline of the current work (ms since 1970); a function does one thing at a time. */
  deadline: number;
}

/**
 * Creates clients of sources that share tokens and pace between invocations. Each invocation has its own client, so
 * that its requests are counted separately; they must end before the deadline (ms since 1970).
 */
export function createSourceClients(
  options: SourceClientOptions,
): (connection: Connection, deadline: number) => ListReader {
  const accesses = new Map<string, Access>();
  const { now } = options.system;
  return (connection, deadline) => {
    const { baseUrl, secretName } = connection;
    const key = `${baseUrl} ${secretName}`;
    const access = accesses.get(key) ?? createAccess(connection, options);
    accesses.set(key, access);
    access.deadline = deadline;
    const { rateLimiter, credential } = access;
    return createListReader({ baseUrl, credential, rateLimiter, now, deadline: () => deadline });
  };
}

function createAccess({ baseUrl, requests, secretName }: Connection, options: SourceClientOptions): Access {
  const { secrets: clients, system, ...patience } = options;
  const { now, sleep, random } = system;
  const deadline = () => access.deadline;
  const rateLimiter = createRateLimiter({
    ...patience,
    maxPerSecond: requests.maxPerSecond,
    ...{ now, sleep, random },
  });
  const requestToken = createTokenRequest({ baseUrl, secretName, rateLimiter, now, deadline });
  const keptMs = SECRET_KEPT_MS;
  const readText = createSecretReader({ clients, secretName, now, keptMs });
  const readSecret = toSourceSecretReader(readText);
  const access: Access = {
    rateLimiter,
    credential: createCredential({ secretName, readSecret, requestToken, now }),
    deadline: 0,
  };
  return access;
}
