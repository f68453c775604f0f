import {
  createCredential,
  type ReadSecret,
  toSourceSecretReader,
} from '#shared/adapters/credential/credential.ts';
import type { System } from '#shared/adapters/system/system.ts';
import type { Connection } from '#shared/config/schema/connection.ts';
import { createSourceClient, type KnownLists, type SourceClient } from './client.ts';
import { createRequestQueue } from './request-queue.ts';
import { createTokenRequest } from './token-request.ts';

interface SourceAccessOptions {
  readonly readSecret: ReadSecret;
  readonly system: Pick<System, 'now' | 'sleep' | 'random'>;
  /** See `RequestQueueOptions`. */
  readonly patienceMs?: number;
}

/**
 * A factory of clients that share the token, the pace and the lists with ETags of a connection. Each has a deadline (ms
 * since 1970) and counts its own requests. Use them one after another: the latest deadline holds for tokens.
 */
export function createSourceAccess(
  { baseUrl, secretName, requests }: Pick<Connection, 'baseUrl' | 'secretName' | 'requests'>,
  { readSecret, system, ...patience }: SourceAccessOptions,
): (deadline: number) => SourceClient {
  const { now, sleep, random } = system;
  let latest = 0;
  const deadline = () => latest;
  const queue = createRequestQueue({ ...patience, maxPerSecond: requests.maxPerSecond, now, sleep, random });
  const credential = createCredential({
    secretName,
    readSecret: toSourceSecretReader(readSecret),
    requestToken: createTokenRequest({ baseUrl, secretName, queue, now, deadline }),
    now,
  });
  const knownLists: KnownLists = new Map();
  return (until) => {
    latest = until;
    return createSourceClient({ baseUrl, credential, queue, knownLists, now, deadline: until });
  };
}
