import { beforeEach, expect, test } from 'vitest';
import type { FeedPosition } from '#cli/listen/position.ts';
import { type FollowedFeed, readNewEvents } from '#cli/listen/read-new-events.ts';
import { buildSampleEvent } from '#cli/sample-events/sample-events.ts';
import type { FeedName } from '#shared/core/feeds.ts';
import type { EventLog, LoggedBatch } from '#shared/flow/event-log.ts';

const NOON = Date.parse('2026-11-22T12:00:00Z');
const OVERLAP_MS = 60_000;
const TIMESHEETS = follow('timesheets');
const PERIODS = follow('pay-periods');

let log: Record<FeedName, LoggedBatch[]>;
let positions: Map<FeedName, FeedPosition>;
let now: number;

beforeEach(() => {
  log = { timesheets: [], 'pay-periods': [], employees: [], departments: [] };
  const start = { since: NOON, through: NOON, recent: {} };
  positions = new Map([
    ['timesheets', start],
    ['pay-periods', start],
  ]);
  now = NOON;
});

test('events of all feeds come in the order of their commits, each once', async () => {
  commit('timesheets', 1, ['a1', 'a2']);
  commit('pay-periods', 2, ['p1']);
  commit('timesheets', 3, ['a3']);
  expect(await take()).toEqual(['a1', 'a2', 'p1', 'a3']);
  expect(await take()).toEqual([]);
  commit('timesheets', 9, ['a4']);
  expect(await take()).toEqual(['a4']);
});

test('nothing from before the start is taken', async () => {
  commit('timesheets', -1, ['old']);
  commit('timesheets', 0, ['new']);
  expect(await take()).toEqual(['new']);
});

test('what was taken of a batch is not taken again after an interruption', async () => {
  commit('timesheets', 1, ['a1', 'a2', 'a3']);
  expect(await take({ until: 2 })).toEqual(['a1', 'a2']);
  expect(await take()).toEqual(['a3']);
  expect(await take()).toEqual([]);
});

test('a batch that appears after a later one is taken, if it is not much later', async () => {
  commit('timesheets', 100, ['later']);
  expect(await take()).toEqual(['later']);
  commit('timesheets', 100 - OVERLAP_MS / 1_000 + 1, ['late']);
  expect(await take()).toEqual(['late']);
  expect(await take()).toEqual([]);
});

test('only batches near the latest are remembered', async () => {
  for (let second = 1; second < 500; second += 10) commit('timesheets', second, [`a${second}`]);
  expect((await take()).length).toBe(50);
  expect(Object.keys(positions.get('timesheets')?.recent ?? {}).length).toBeLessThan(10);
  expect(await take()).toEqual([]);
});

test('the selection leaves out the rest, and moves past it', async () => {
  commit('timesheets', 1, ['a1', 'a2']);
  const feeds = [{ ...TIMESHEETS, selection: { record: 'of a2' } }];
  expect(await take({ feeds })).toEqual(['a2']);
  commit('timesheets', 2, ['a3']);
  expect(await take({ feeds })).toEqual([]);
  expect(positions.get('timesheets')?.through).toBe(NOON + 2_000);
});

test('a log that cannot be read is an error with its reason', async () => {
  const broken: EventLog = {
    // biome-ignore lint/correctness/useYield: it fails first
    read: async function* () {
      throw new Error('connect ECONNREFUSED');
    },
  };
  await expect(take({ from: broken })).rejects.toMatchObject({
    code: 'log_unreadable',
    message: 'cannot read the event log: connect ECONNREFUSED',
  });
});

/** Reads as the command does; ends early after `until` events. */
async function take({
  feeds = [TIMESHEETS, PERIODS],
  until = Number.POSITIVE_INFINITY,
  from = memoryLog(),
}: {
  feeds?: readonly FollowedFeed[];
  until?: number;
  from?: EventLog;
} = {}): Promise<string[]> {
  const taken: string[] = [];
  now += 60_000;
  const options = {
    log: from,
    positionOf: ({ key }: FollowedFeed) => positions.get(key.feed) as FeedPosition,
    overlapMs: OVERLAP_MS,
    now,
  };
  for await (const { feed, text, position } of readNewEvents(feeds, options)) {
    if (text !== null) taken.push(JSON.parse(text).id);
    positions.set(feed.key.feed, position);
    if (taken.length === until) break;
  }
  return taken;
}

function commit(feed: FeedName, second: number, ids: readonly string[]): void {
  const sample = JSON.parse(buildSampleEvent('timesheet.changed'));
  const texts = ids.map((id) => JSON.stringify({ ...sample, id, subject: `of ${id}` }));
  const committedAt = NOON + second * 1_000;
  log[feed].push({ pointer: `${committedAt}/${ids.join()}`, committedAt, texts });
  log[feed].sort((a, b) => a.committedAt - b.committedAt);
}

function memoryLog(): EventLog {
  return {
    read: async function* ({ feed }, { from, to }) {
      for (const batch of log[feed]) if (batch.committedAt >= from && batch.committedAt < to) yield batch;
    },
  };
}

function follow(feed: FeedName): FollowedFeed {
  return { key: { connection: 'main', feed }, selection: {}, timeZone: 'UTC' };
}
