import { expect, test } from 'vitest';
import { describePeriodStore } from '#test/contracts/period-store.ts';
import { describeStore } from '#test/contracts/store.ts';
import { createMemoryStore } from './memory-store.ts';

describeStore('The twin in memory', async () => createMemoryStore());
describePeriodStore('The twin in memory', async () => createMemoryStore());

test('a backup that is restored is another table with the same contents', async () => {
  const store = createMemoryStore();
  await store.takeLease('acme', 90_000, 0);
  const restored = store.restored();
  await store.giveBack({ connection: 'acme', token: 1 }, { topics: {}, epoch: 5 });
  expect(await restored.tableId()).not.toBe(await store.tableId());
  expect(await restored.loadState('acme')).toMatchObject({ token: 1, epoch: 0 });
});
