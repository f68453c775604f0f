import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDynamoStore } from '#shared/adapters/dynamo/store.ts';
import { type EmbeddedDynamo, restoreItems, startEmbeddedDynamo } from '#test/support/embedded-dynamo.ts';
import { RIGHT_ENGINE, runHistory, type Table } from './history.ts';
import { judge } from './oracle/judge.ts';

/** Neither restores its table or installs anew. */
const SEEDS = [5, 9];

let dynamo: EmbeddedDynamo;

beforeAll(async () => {
  dynamo = await startEmbeddedDynamo();
});
afterAll(async () => await dynamo.stop());

function makeTable(): Table {
  return {
    open: () => ({
      ...createDynamoStore({ ...dynamo, sleep: async () => {}, random: () => 0 }),
      tableId: async () => 'embedded',
    }),
    restored: () => makeTable(),
  };
}

test.each(SEEDS)('a history on a real table is right: seed %i', async (seed) => {
  await restoreItems(dynamo, []);
  const history = await runHistory(seed, RIGHT_ENGINE, makeTable);
  expect(judge(history).violations).toEqual([]);
  expect(history.settings.renewal).toBeNull();
  expect(history.journal.committed.length).toBeGreaterThan(0);
});
