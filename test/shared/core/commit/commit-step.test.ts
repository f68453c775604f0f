import { describe, expect, test } from 'vitest';
import { buildBatch, planCommit } from '#shared/core/commit/commit-plan.ts';
import {
  findDigestPage,
  MAX_EVENT_CHUNK_BYTES,
  MAX_TRANSACTION_ITEMS,
  parseChunkCount,
  toBatchPointer,
  toRequestToken,
} from '#shared/core/commit/commit-step.ts';
import { planGenerationSwitch } from '#shared/core/commit/generation.ts';
import { planFenceWrite } from '#shared/core/commit/insert-fence.ts';
import { type PublishFailure, sortIntoBatches, updateLost } from '#shared/core/commit/outbox.ts';
import type { Change } from '#shared/core/compare/change.ts';
import { toEvents } from '#shared/core/events/events.ts';
import {
  createChange,
  createEventContext,
  createSnapshot,
  DATE,
  DAY_MS,
  EARLIER,
  leafRow,
  NEXT_DATE,
  NOW,
  slice,
  TIMESHEETS,
  timesheet,
} from '#test/support/builders.ts';
import { countItems, createCommitInput } from './commit-inputs.ts';

const HEAD = { slice: DATE, revision: 12 };

describe('the page of a digest', () => {
  // Part of the storage format: a leaf whose page moved would never be found unchanged again.
  test.each<{ leaf: number; of: number; page: number | null }>([
    { leaf: 95, of: 96, page: null },
    { leaf: 0, of: 97, page: 0 },
    { leaf: 109, of: 9_900, page: 0 },
    { leaf: 110, of: 9_900, page: 1 },
    { leaf: 9_899, of: 9_900, page: 89 },
    // More on each from here on, so that 90 pages hold them.
    { leaf: 110, of: 9_901, page: 0 },
    { leaf: 111, of: 9_901, page: 1 },
    { leaf: 89_999, of: 90_000, page: 89 },
  ])('of leaf $leaf of $of is $page', ({ leaf, of, page }) => {
    expect(findDigestPage(leaf, of)).toBe(page);
  });
});

describe('the pointer to a batch', () => {
  test.each(['a', 'a'.repeat(MAX_EVENT_CHUNK_BYTES)])('says in how many chunks its events are', (text) => {
    const batch = buildBatch([text, text, text], { now: NOW, head: HEAD });
    if (batch === null) throw new Error('there are events');
    const pointer = toBatchPointer(batch);
    expect(pointer).toBe(`2026-03-05T01:01:00.000Z/${DATE}/000000012/${batch.chunks.length}`);
    expect(parseChunkCount(pointer)).toBe(batch.chunks.length);
  });

  test.each([
    ['k/12', 12],
    ['k/0', 1],
    ['k/-3', 1],
    ['k/x', 1],
    ['', 1],
  ])('%j has %i', (pointer, count) => {
    expect(parseChunkCount(pointer)).toBe(count);
  });

  test('sorts batches by their commits, whatever order their slices were read in', () => {
    const entries = ['c', 'a', 'b', 'a'].map((pointer, index) => ({ slice: `${index}`, pointer }));
    expect(sortIntoBatches(entries).map(({ pointer, entries: own }) => [pointer, own.length])).toEqual([
      ['a', 2],
      ['b', 1],
      ['c', 1],
    ]);
    expect(sortIntoBatches(entries.toReversed()).map(({ pointer }) => pointer)).toEqual(['a', 'b', 'c']);
  });
});

describe('a batch of events', () => {
  const sizes = (lengths: readonly number[]) => {
    const texts = lengths.map((length) => 'x'.repeat(length));
    return buildBatch(texts, { now: NOW, head: HEAD })?.chunks.map((chunk) =>
      chunk.map(({ length }) => length),
    );
  };
  const full = MAX_EVENT_CHUNK_BYTES;

  test.each<{ lengths: readonly number[]; chunks: readonly (readonly number[])[] }>([
    // Each text takes a separator more.
    { lengths: [full - 3, 1], chunks: [[full - 3, 1]] },
    { lengths: [full - 2, 1], chunks: [[full - 2], [1]] },
    { lengths: [full + 5, 1, 2], chunks: [[full + 5], [1, 2]] },
    { lengths: [1, full + 5, 2], chunks: [[1], [full + 5], [2]] },
    { lengths: [1, full - 2, full - 3, 1], chunks: [[1], [full - 2], [full - 3, 1]] },
  ])('fills its chunks to the last byte: $lengths', ({ lengths, chunks }) => {
    expect(sizes(lengths)).toEqual(chunks);
  });
});

describe('the token of a request', () => {
  test('is at most 36 characters, the same for the same parts and another for others', () => {
    const token = toRequestToken(['main', 'timesheets', 1]);
    expect(token).toMatch(/^[0-9a-f]{36}$/);
    expect(toRequestToken(['main', 'timesheets', 1])).toBe(token);
    expect(toRequestToken(['main', 'timesheets', 11])).not.toBe(token);
    expect(toRequestToken(['main', 'timesheets1'])).not.toBe(token);
  });

  test('of a switched generation is another for another fence', () => {
    const { head } = slice();
    const fenceAt = (revision: number) => {
      const write = planFenceWrite(new Map());
      return { ...write, head: { ...write.head, revision } };
    };
    const stepOf = (...revisions: number[]) => {
      const fence = revisions.map(fenceAt);
      const rest = { feed: TIMESHEETS, eventsExpireAt: NOW };
      return planGenerationSwitch({ head, leaves: [], before: head, fence }, rest);
    };
    const tokens = [stepOf(), stepOf(1), stepOf(2), stepOf(1, 2), stepOf(12)].map(({ token }) => token);
    expect(new Set(tokens).size).toBe(5);
    expect(stepOf().heads[0]?.expectedRevision).toBe(head.revision);
  });
});

describe('events that can never be published', () => {
  const failure = (number: number, reason: PublishFailure['reason'] = 'refused'): PublishFailure => ({
    ...{ reason, events: 40, entries: [] },
    committedAt: NOW - number * 1_000,
    eventIds: Array.from({ length: 40 }, (_, index) => `${number} ${index}`),
  });

  test('are counted all and named up to 50, since the first commit that lost one', () => {
    const { lost } = updateLost({ lost: [] }, [failure(0), failure(20), failure(1)], 0);
    expect(lost).toMatchObject([{ since: NOW - 20_000, count: 120, cause: 'refused' }]);
    const [{ events } = { events: [] }] = lost;
    expect([events.length, events[0], events.at(-1)]).toEqual([50, '0 0', '20 9']);
  });

  test('are remembered by reason, until events are published and none is lost', () => {
    const first = updateLost({ lost: [] }, [failure(1), failure(2, 'expired')], 5);
    expect(first.lost.map(({ cause }) => cause)).toEqual(['refused', 'expired']);
    expect(updateLost(first, [], 0)).toEqual(first);
    expect(updateLost(first, [failure(0)], 5).lost).toHaveLength(3);
    expect(updateLost(first, [], 1)).toEqual({ lost: [] });
    const all = Array.from({ length: 25 }, (_, n) => n).reduce(
      (state, n) => updateLost(state, [failure(n)], 0),
      { lost: [] } as Parameters<typeof updateLost>[0],
    );
    expect(all.lost).toHaveLength(20);
  });
});

describe('a transaction', () => {
  test('is filled as far as its bounds allow, and its pieces are in the order of their leaves', () => {
    const records = Array.from({ length: 900 }, (_, index) => timesheet({ id: `${index}_7` }));
    const changeEvents = records.map((record) =>
      toEvents(createChange(record, { ...record, hoursToPay: 9 }), createEventContext()),
    );
    const { steps } = planCommit(createCommitInput(changeEvents.toReversed(), records));
    const written = steps.flatMap(({ leaves }) => leaves.map(({ index }) => index));
    // Each leaf is written once, so that a full transaction is not followed by one with the same leaf.
    expect(new Set(written).size).toBe(written.length);
    const items = steps.map(countItems);
    expect(Math.max(...items)).toBeLessThanOrEqual(MAX_TRANSACTION_ITEMS);
    for (const count of items.slice(0, -1)) expect(count).toBeGreaterThan(MAX_TRANSACTION_ITEMS - 10);
  });

  test('names the leaves of each slice with that slice alone', () => {
    const here = timesheet({ id: '1_7' });
    const there = timesheet({ id: '2_7', date: NEXT_DATE });
    const changeEvents = [here, there].map((record) =>
      toEvents(createChange(record, { ...record, hoursToPay: 9 }), createEventContext()),
    );
    const many = Array.from({ length: 200 }, (_, index) => timesheet({ id: `${100 + index}_7` }));
    const [step] = planCommit(
      createCommitInput(changeEvents, [here, ...many], [slice({ slice: NEXT_DATE, rows: [leafRow(there)] })]),
    ).steps;
    const named = step?.heads.map(({ head, changedLeaves }) => [head.slice, changedLeaves]);
    const written = (name: string) =>
      step?.leaves.filter((leaf) => leaf.slice === name).map(({ index }) => index);
    expect(named).toEqual([
      [DATE, written(DATE)],
      [NEXT_DATE, written(NEXT_DATE)],
    ]);
  });

  test('says that a slice was scanned in the last one of that slice alone', () => {
    const records = Array.from({ length: 3_000 }, (_, index) => timesheet({ id: `${index}_7` }));
    const changeEvents = records.map((record) =>
      toEvents(createChange(record, { ...record, hoursToPay: 9 }), createEventContext()),
    );
    const { steps } = planCommit(createCommitInput(changeEvents, records));
    const observed = steps.map(({ heads }) => heads.find(({ head }) => head.slice === DATE)?.head.observedAt);
    expect(observed.length).toBeGreaterThan(1);
    expect(observed).toEqual([...observed.slice(1).fill(EARLIER), NOW - 1_000]);
  });
});

describe('the counts of a head', () => {
  const unlisted = { asks: 1, askedAt: NOW };
  const rowsOf = (...marked: boolean[]) =>
    marked.map((isUnlisted, index) =>
      leafRow(timesheet({ id: `${index}_7` }), isUnlisted ? { unlisted } : {}),
    );
  const headAfter = (marked: boolean[], change: Change) => {
    const before = slice({ rows: rowsOf(...marked) });
    const snapshot = createSnapshot(before);
    const input = { ...createCommitInput([toEvents(change, createEventContext())], []), snapshot };
    const [step] = planCommit({ ...input, retentionMs: DAY_MS }).steps;
    const row = step?.leaves.flatMap(({ rows }) => rows).find(({ id }) => id === change.id);
    return { head: step?.heads[0]?.head, row };
  };
  const first = timesheet({ id: '0_7' });

  test('hold how many records lists leave out: one more', () => {
    const { head, row } = headAfter([false, true], createChange(first, first, { unlisted }));
    expect([head?.unlistedCount, row?.unlisted]).toEqual([2, unlisted]);
  });

  test('one less, when it is in the list again', () => {
    const { head, row } = headAfter(
      [true, true],
      createChange(first, { ...first, hoursToPay: 9 }, { row: { unlisted } }),
    );
    expect([head?.unlistedCount, row?.unlisted]).toEqual([1, undefined]);
  });
});
