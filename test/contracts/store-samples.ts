import type { FeedName } from '#shared/core/feeds.ts';
import type { Head, SliceKey } from '#shared/core/snapshot/head.ts';
import type { BadMark, RowMemory, StoredRow } from '#shared/core/snapshot/row.ts';
import type { ConnectionState } from '#shared/core/snapshot/state.ts';
import type { Commit } from '#shared/flow/poll/ports.ts';

export const NOON = Date.parse('2026-03-05T12:00:00.000Z');
export const SLICE = { feed: 'timesheets', slice: '2026-03-05' } as const;

export const EMPTY_COMMIT: Commit = {
  heads: [],
  removedHeads: [],
  buckets: [],
  log: [],
  published: {},
  state: {},
};

export function hostileRow(id: string): StoredRow {
  const values = ['2026-03-05', null, 7.25, '"\\\u2028\u0000', '\ud800', { b: 1, a: [] }, ['ä', '😀']];
  return { id, epoch: 5, sequence: 3, sent: { clockIn: 2 }, text: JSON.stringify(values) };
}

/** A row with all of its members. */
export function fullRow(id: string): StoredRow {
  const memory: Required<RowMemory> = {
    missing: { clockIn: NOON, clockOut: NOON + 1 },
    closedBetween: { after: null, by: NOON },
    period: {
      ...{ told: 'recounted', at: NOON + 5, closedAt: NOON, closings: 1, hasReserve: true },
      count: { name: 'a1', at: NOON + 5, isWhole: true },
      differsSince: NOON,
    },
    remindedAt: NOON,
  };
  const bad: Required<BadMark> = { text: '["\\ud800"]', issues: ['clockIn.id', 'size'], isOld: true };
  return { ...hostileRow(id), bad, memory };
}

/** A head with all of its members. */
export function fullHead(key: SliceKey, now: number, buckets: number): Required<Head> {
  const digestOf = (index: number) => (index * 0xfedcba).toString(16).padStart(12, 'f');
  const from = (index: number) => Math.floor((index * 2 ** 32) / buckets);
  return {
    ...key,
    buckets: Array.from({ length: buckets }, (_, index) => ({
      ...{ from: from(index), count: index % 300 },
      digest: index % 300 === 0 ? '' : digestOf(index),
    })),
    baselinedAt: now - 5,
    changedAt: now,
    bad: { since: now, count: 2, ids: ['1_1', 'ä "2"'], cause: 'hoursToPay' },
    unlisted: { ids: Array.from({ length: 20 }, (_, each) => `${each}_1`), askedAt: now },
    doubt: {
      after: now - 9,
      ...{ since: now - 60_000, records: 70_000 },
      losses: Array.from({ length: buckets }, (_, index) => ({
        ...{ from: from(index), digest: digestOf(index), at: now - index },
      })),
    },
    renewedAt: now - 1,
    openDates: [{ from: '2026-03-01', to: '2026-03-14' }],
    pending: [
      {
        ...{ id: '9_7', startDate: '2026-02-15', finishDate: '2026-02-28' },
        ...{ closed: '2026-03-05T11:59:00.000Z', after: null, by: now },
      },
    ],
  };
}

/** A busy connection: 60 dates, all feeds and topics, watermarks, and no trouble. */
export function calmState(now: number): ConnectionState {
  const key = (number: number) => `${now - number * 1_000}.000${number}`;
  const cursor = (number: number) => ({ logged: key(number), published: key(number + 1) });
  const feeds: readonly FeedName[] = ['timesheets', 'pay-periods', 'employees', 'departments'];
  const ofFeeds = <Member>(of: (index: number) => Member) =>
    Object.fromEntries(feeds.map((feed, index) => [feed, of(index)]));
  const hex = (digit: number) => (0x12345671 * (digit + 3)).toString(16).repeat(8).slice(0, 32);
  const day = (index: number) => new Date(now + (index - 50) * 86_400_000).toISOString().slice(0, 10);
  return {
    ...{ token: 123_456, clock: now, epoch: now - 9_000_000, restoredAt: now - 5_000 },
    tableId: '0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9',
    topics: {
      ...{ timesheets: cursor(1), 'pay-periods': cursor(2), directory: cursor(3), operations: cursor(4) },
    },
    lookedAt: {
      ...Object.fromEntries(
        Array.from({ length: 60 }, (_, index) => [`timesheets#${day(index)}`, now - index * 7_777]),
      ),
      ...{ 'pay-periods#all': now - 1, 'employees#all': now - 2, 'departments#all': now - 90 * 86_400_000 },
    },
    sequences: ofFeeds((index) => 420 - index),
    baselined: ofFeeds((index) => now - index * 86_400_000),
    watermarks: ofFeeds((index) => ({ id: hex(index), at: now - index, count: 9, digest: hex(index + 5) })),
    ...{ failing: {}, unreachable: null, troubles: [], remindedUntil: now - 3, pace: 12.5 },
    smallPages: null,
  };
}

/** The same in trouble. */
export function fullState(now: number): ConnectionState {
  return {
    ...calmState(now),
    lookedAt: { 'timesheets#2026-03-05': now, 'timesheets#2025-11-30': now - 5, 'employees#all': now },
    failing: { 'timesheets#2026-03-05': { since: now, attempts: 2, nextAt: now + 5, code: 'source_failed' } },
    smallPages: { size: 50, since: now },
    unreachable: { polls: 3, since: now - 180_000, code: 'source_unreachable' },
    troubles: Array.from({ length: 5 }, (_, index) => ({
      ...{ kind: 'dates_unreadable', feed: 'timesheets', subject: `2026-03-0${index + 1}`, since: now },
      about: ['2026-03-05', 'ä "x"'],
    })),
  };
}
