import { createDynamoDbClient } from '#local/aws/engines/clients.ts';
import type { LocalAws } from '#local/aws/local-aws.ts';
import { findTableNames } from '#local/aws/template/apply.ts';
import { system } from '#shared/adapters/system/system.ts';
import { openStore } from '#shared/operator/open-store.ts';
import { createNameReader } from '#shared/people/flow/load-names.ts';
import { type NamedKind, type Names, NO_NAMES } from '#shared/people/names/names.ts';
import type { FindNames } from '../output/teller.ts';

/** Of a name that is missing. */
const RETRY_MS = 1_000;
/** Of names that may have changed. */
const REFRESH_MS = 60_000;

/** The names that the config shows people, for the lines of a run: from its table, where the directory is stored. */
export function openRunNames(
  { deployment, endpoints }: LocalAws,
  { connection, kinds }: { readonly connection: string; readonly kinds: readonly NamedKind[] },
): { readonly find: FindNames; stop(): Promise<void> } {
  const [tableName = ''] = findTableNames(deployment);
  const dynamoDb = createDynamoDbClient(endpoints);
  const reader = createNameReader(openStore({ dynamoDb, tableName, system }));
  return {
    find: createNameFinder(() => reader.load(connection, kinds), system.now),
    stop: async () => dynamoDb.destroy(),
  };
}

/** Loads names again once one is missing, and now and then. Without the table, those of before. */
export function createNameFinder(load: () => Promise<Names>, now: () => number): FindNames {
  let names = NO_NAMES;
  let loadedAt = Number.NEGATIVE_INFINITY;
  return async (employeeId) => {
    const isMissing = employeeId !== null && !names.employees.has(employeeId);
    if (now() - loadedAt >= (isMissing ? RETRY_MS : REFRESH_MS)) {
      loadedAt = now();
      names = await load().catch(() => names);
    }
    return names;
  };
}
