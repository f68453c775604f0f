import { createDynamoClient } from '#shared/adapters/dynamo/client.ts';
import { createNameStore } from '#shared/adapters/dynamo/names/name-store.ts';
import { system as ownSystem, type System } from '#shared/adapters/system/system.ts';
import { createLogTelemetry } from '#shared/adapters/telemetry/log-telemetry.ts';
import type { ListReader } from '#shared/adapters/workforce-api/list-reader.ts';
import { parseShape, uncheckedList } from '#shared/adapters/workforce-api/shape.ts';
import { readEnvironment, textSchema } from '#shared/config/environment.ts';
import { ENVIRONMENT } from '#shared/config/names.ts';
import { readNamesRequest } from '#shared/config/requests/names-request.ts';
import {
  listOf,
  type NameSource,
  type RefreshNamesReport,
  refreshNames,
} from '#shared/people/flow/refresh-names.ts';
import { compose, createLogger, entry, type Handler } from './parts/compose.ts';
import { createSecretClients } from './parts/secret-clients.ts';
import { createSourceClients } from './parts/source-clients.ts';

/** Refreshes the names of the connection in the request. */
export const handler = entry(createNamesHandler);

/** Time reserved for storing the last list, the response and the log line. */
const MARGIN_MS = 5_000;

/** `system`: clock, timer and random numbers, which tests replace. */
export function createNamesHandler(
  variables: NodeJS.ProcessEnv,
  system: System = ownSystem,
): Handler<RefreshNamesReport> {
  const { now, sleep, random } = system;
  const { tableName } = readEnvironment({ tableName: [ENVIRONMENT.tableName, textSchema] }, variables);
  const logger = createLogger();
  const secrets = createSecretClients();
  const createClient = createSourceClients({ secrets, system });
  const ports = {
    store: createNameStore({ client: createDynamoClient(), tableName, now, sleep, random }),
    clock: system,
    telemetry: createLogTelemetry(logger),
  };
  return compose(
    { logger, clock: system, marginMs: MARGIN_MS, readInput: readNamesRequest },
    (request, deadline) => {
      const source = createNameSource(createClient(request.connection, deadline));
      return refreshNames(request, { ...ports, source });
    },
  );
}

/**
 * The port `NameSource`, of lists that come whole, as bare arrays. A list that two kinds need is read once; none is kept
 * for its ETag: that of employees can be large.
 */
export function createNameSource(api: ListReader): NameSource {
  const lists = new Map<string, Promise<readonly unknown[]>>();
  const read = async (path: string) => {
    const { value, place } = await api.read({ path });
    return parseShape(uncheckedList, value, place);
  };
  return {
    list(kind) {
      const path = `/${listOf(kind)}`;
      const list = lists.get(path) ?? read(path);
      lists.set(path, list);
      return list;
    },
    counts: () => api.counts(),
  };
}
