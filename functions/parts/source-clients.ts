import { createSecretReader, type SecretClients } from '#shared/adapters/secrets/secret-reader.ts';
import type { System } from '#shared/adapters/system/system.ts';
import type { SourceClient } from '#shared/adapters/workforce-api/client.ts';
import { createSourceAccess } from '#shared/adapters/workforce-api/source-access.ts';
import type { Connection } from '#shared/config/schema/connection.ts';

/**
 * A credential that the source refuses is read again at once; another one, which was put beside a valid one, within this
 * time.
 */
export const SECRET_KEPT_MS = 30 * 60_000;

interface SourceClientsOptions {
  readonly secrets: SecretClients;
  readonly system: System;
  /** See `RequestQueueOptions`. */
  readonly patienceMs?: number;
}

type OpenClient = (connection: Connection, deadline: number) => SourceClient;

/**
 * Creates clients of sources that share token, pace and known lists between invocations. Each invocation has its own, so
 * that its requests are counted separately; they must end before the deadline (ms since 1970).
 */
export function createSourceClients({ secrets, system, ...patience }: SourceClientsOptions): OpenClient {
  const accesses = new Map<string, (deadline: number) => SourceClient>();
  const { now } = system;
  return (connection, deadline) => {
    const { baseUrl, secretName } = connection;
    const key = `${baseUrl} ${secretName}`;
    let open = accesses.get(key);
    if (open === undefined) {
      const readSecret = createSecretReader({ clients: secrets, secretName, now, keptMs: SECRET_KEPT_MS });
      open = createSourceAccess(connection, { ...patience, readSecret, system });
      accesses.set(key, open);
    }
    return open(deadline);
  };
}
