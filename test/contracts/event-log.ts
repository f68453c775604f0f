import { beforeAll, describe, expect, test } from 'vitest';
import { type CommitStep, toBatchPointer } from '#shared/core/commit/commit-step.ts';
import type { EventLog, LoggedBatch } from '#shared/flow/event-log.ts';
import type { SnapshotStore } from '#shared/flow/poll/ports.ts';
import { slice, TIMESHEETS } from '#test/support/builders.ts';
import { freshFeed, NOON, sampleBatch, sampleStep } from './snapshot-samples.ts';

const DAY_MS = 86_400_000;
const MIDNIGHT = Date.parse('2026-11-17T00:00:00.000Z');

/** The contract of every event log. The commits of the store write its events. */
export function describeEventLog(
  name: string,
  make: () => Promise<{ readonly log: EventLog; readonly store: SnapshotStore }>,
): void {
  describe(`${name} as an event log`, () => {
    let log: EventLog;
    let store: SnapshotStore;
    beforeAll(async () => {
      ({ log, store } = await make());
      for (const step of STEPS) expect(await store.commit(step)).toBe('committed');
    });

    test('returns committed batches in the order of their commits, over midnight', async () => {
      expect(await read(log, MIDNIGHT - DAY_MS, MIDNIGHT + DAY_MS)).toEqual(LOGGED);
    });

    test('includes the first instant and excludes the last', async () => {
      const [, second, third] = LOGGED;
      expect(await read(log, second?.committedAt ?? 0, (third?.committedAt ?? 0) + 1)).toEqual([
        second,
        third,
      ]);
      expect(await read(log, second?.committedAt ?? 0, third?.committedAt ?? 0)).toEqual([second]);
    });

    test('has the same pointers as the outboxes', async () => {
      const heads = await store.loadHeads(TIMESHEETS, '');
      const pointers = heads.flatMap(({ outbox }) => outbox);
      expect(pointers.sort()).toEqual(LOGGED.map(({ pointer }) => pointer).sort());
    });

    test('has the look behind each batch, where a poll told it, beside whatever number of chunks', async () => {
      const feed = freshFeed();
      const batches = [
        { ...sampleBatch(['{"n":1}']), look: '5f0c' },
        { ...sampleBatch([]), chunks: Array.from({ length: 11 }, () => ['{}']), look: '6a1d' },
        sampleBatch(['{"n":3}']),
      ];
      for (const events of batches) await store.commit(sampleStep(feed, [], { events }));
      const read = await collect(log.read(feed, { from: NOON, to: NOON + DAY_MS }));
      expect(read.map((batch) => batch.look)).toEqual(['5f0c', '6a1d', undefined]);
    });

    test('returns nothing for times without commits and for other feeds', async () => {
      expect(await read(log, MIDNIGHT + DAY_MS, MIDNIGHT + 3 * DAY_MS)).toEqual([]);
      const others = log.read(
        { ...TIMESHEETS, feed: 'pay-periods' },
        { from: MIDNIGHT - DAY_MS, to: MIDNIGHT + DAY_MS },
      );
      expect(await collect(others)).toEqual([]);
    });
  });
}

/** Three commits: two before midnight, one of them in more than ten chunks, and one after it. */
const BATCHES = [
  { at: MIDNIGHT - 60_000, date: '2026-11-01', chunks: [['{"n":1}', '{"n":2}']] },
  {
    at: MIDNIGHT - 1,
    date: '2026-11-02',
    chunks: Array.from({ length: 12 }, (_, chunk) => [`{"n":${3 + chunk}}`]),
  },
  { at: MIDNIGHT, date: '2026-11-03', chunks: [['{"n":15}']] },
].map(({ at, date, chunks }) => ({
  at,
  date,
  batch: { key: `${new Date(at).toISOString()}/${date}/000000001`, chunks },
}));

const LOGGED: readonly LoggedBatch[] = BATCHES.map(({ at, batch }) => ({
  pointer: toBatchPointer(batch),
  committedAt: at,
  texts: batch.chunks.flat(),
}));

const STEPS: readonly CommitStep[] = BATCHES.map(({ date, batch }) => {
  const { head, leaves } = slice({ slice: date });
  return {
    feed: TIMESHEETS,
    token: date,
    heads: [{ head, expectedRevision: null, changedLeaves: null }],
    leaves,
    events: batch,
    eventsExpireAt: MIDNIGHT + 90 * DAY_MS,
  };
});

async function read(log: EventLog, from: number, to: number): Promise<LoggedBatch[]> {
  return await collect(log.read(TIMESHEETS, { from, to }));
}

async function collect(batches: AsyncGenerator<LoggedBatch, void>): Promise<LoggedBatch[]> {
  const all: LoggedBatch[] = [];
  for await (const batch of batches) all.push(batch);
  return all;
}
