import { createCredential, toSourceSecretReader } from '#shared/adapters/credential/credential.ts';
import { createWorkforceApi, type WorkforceApi } from '#shared/adapters/workforce-api/api.ts';
import { createRateLimiter } from '#shared/adapters/workforce-api/rate-limiter.ts';
import { createTokenRequest } from '#shared/adapters/workforce-api/token-request.ts';
import type { Connection } from '#shared/config/schema/connection.ts';
import type { Target } from './target.ts';

export type SourceContext = Pick<Target, 'readSecret' | 'system'>;

/**
 * A factory of clients for a source that share one token and one rate limiter. Each is created with its deadline (ms
 * since 1970). Use them one after another: the latest deadline holds for all.
 */
export function createConnectionClients(
  connection: Connection,
  { readSecret, system }: SourceContext,
): (deadline: number) => WorkforceApi {
  const { baseUrl, requests, secretName } = connection;
  const { now, sleep, random } = system;
  let until = 0;
  const deadline = () => until;
  const rateLimiter = createRateLimiter({ maxPerSecond: requests.maxPerSecond, now, sleep, random });
  const credential = createCredential({
    secretName,
    readSecret: toSourceSecretReader(readSecret(secretName)),
    requestToken: createTokenRequest({ baseUrl, secretName, rateLimiter, now, deadline }),
    now,
  });
  return (latest) => {
    until = latest;
    return createWorkforceApi({ baseUrl, credential, rateLimiter, now, deadline });
  };
}
