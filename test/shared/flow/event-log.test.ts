import { expect, test } from 'vitest';
import { createEventLog, type LogStretch } from '#shared/flow/event-log.ts';
import { NOW } from '#test/support/builders.ts';
import { createMemoryStore } from '#test/support/memory-store.ts';
import { seedStore } from '#test/support/seeded-store.ts';

test.each<[string, LogStretch, string[]]>([
  ['from an instant on, which counts', { from: NOW, to: NOW + 9 }, ['a', 'b', 'c', 'd']],
  ['up to one, which does not', { from: NOW - 5, to: NOW + 2 }, ['a', 'b']],
  ['between two', { from: NOW + 1, to: NOW + 2 }, ['b']],
  ['of one topic', { from: 0, to: NOW + 9, topic: 'operations' }, ['d']],
  ['where it has none', { from: NOW + 3, to: NOW + 9 }, []],
])('the log is read %s', async (_, stretch, texts) => {
  const store = createMemoryStore();
  await seedStore(store, { at: NOW, log: [{ topic: 'timesheets', texts: ['a'] }] });
  await seedStore(store, { at: NOW + 1, log: [{ topic: 'timesheets', texts: ['b'] }] });
  const log = [
    { topic: 'pay-periods', texts: ['c'] },
    { topic: 'operations', texts: ['d'] },
  ] as const;
  await seedStore(store, { at: NOW + 2, log });

  const read = await Array.fromAsync(createEventLog(store).read('main', stretch));
  expect(read.flatMap((commit) => commit.texts)).toEqual(texts);
});
