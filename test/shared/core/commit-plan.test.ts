import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { batchOf, type CommitInput, type CommitPlan, planCommit } from '#shared/core/commit-plan.ts';
import {
  type CommitStep,
  DIGESTS_PER_PAGE,
  EVENT_CHUNK_BYTES,
  INLINE_DIGEST_LEAVES,
  TRANSACTION_MOST_EVENT_BYTES,
  TRANSACTION_MOST_ITEMS,
} from '#shared/core/commit-step.ts';
import { tell } from '#shared/core/events.ts';
import { leavesMatchHeads } from '#shared/core/look.ts';
import { feedDefinition, isSettled } from '#shared/core/records/feed-definition.ts';
import type { Leaf, SliceHead } from '#shared/core/snapshot.ts';
import {
  changeOf,
  contextOf,
  DATE,
  DAY_MS,
  detail,
  EARLIER,
  leafRow,
  NEXT_DATE,
  NOW,
  type SampleRecord,
  slice,
  snapshotOf,
  TIMESHEETS,
  timesheet,
} from '#test/support/builders.ts';
import { createMemorySnapshotStore } from '#test/support/memory-snapshot-store.ts';
import { holds } from './properties.ts';
import { type World, worlds } from './random-changes.ts';

const LOOKED_AT = NOW - 1_000;
const TRANSACTION_MOST_BYTES = 4_000_000;

describe('whatever happened between two looks', () => {
  test('each step fits one transaction', () => {
    const seen = { steps: 0, paged: 0 };
    holds(
      fc.property(worlds, (world) => {
        for (const step of planOf(world).steps) {
          seen.steps += 1;
          if (step.heads.some(({ head }) => head.leafCount > INLINE_DIGEST_LEAVES)) seen.paged += 1;
          expect(itemsOf(step)).toBeLessThanOrEqual(TRANSACTION_MOST_ITEMS);
          expect(eventBytesOf(step)).toBeLessThanOrEqual(TRANSACTION_MOST_EVENT_BYTES);
          expect(eventBytesOf(step) + bytesOf(JSON.stringify(step.leaves))).toBeLessThan(
            TRANSACTION_MOST_BYTES,
          );
        }
      }),
      25,
    );
    expect(Math.min(seen.steps - seen.paged, seen.paged)).toBeGreaterThan(10);
  });

  test('a store accepts the steps one after another: each expects the revision that the one before left', async () => {
    await holds(
      fc.asyncProperty(worlds, async (world) => {
        const { store, outcomes } = await executed(world, planOf(world).steps);
        expect(outcomes.filter((outcome) => outcome !== 'committed')).toEqual([]);
        const stored = await store.loadHeads(TIMESHEETS, '');
        expect(stored).toEqual([...planOf(world).heads.values()].map(withoutOutbox(stored)).sort(bySlice));
      }),
      25,
    );
  });

  test('digests and counts of the heads are those of the leaves that are stored in the end', async () => {
    await holds(
      fc.asyncProperty(worlds, async (world) => {
        const { store } = await executed(world, planOf(world).steps);
        for (const head of await store.loadHeads(TIMESHEETS, '')) {
          const leaves = await store.readLeaves(TIMESHEETS, refsOf(head));
          expect(leavesMatchHeads(leaves, new Map([[head.slice, head]]))).toBe(true);
          expect(countsIn(leaves)).toEqual(countsOf(head));
        }
      }),
      25,
    );
  });

  test('every record stands where it was seen last, once, and every removed one is remembered', async () => {
    await holds(
      fc.asyncProperty(worlds, async (world) => {
        const { store } = await executed(world, planOf(world).steps);
        const leaves = await allLeaves(store);
        const rows = leaves.flatMap((leaf) =>
          leaf.rows.map((row) => [row.id, { slice: leaf.slice, state: row.state }] as const),
        );
        const tombstones = leaves.flatMap((leaf) =>
          leaf.tombstones.map(({ id, sequence }) => [id, sequence] as const),
        );
        expect(rows).toHaveLength(world.expected.size);
        expect(new Map(rows)).toEqual(world.expected);
        expect(tombstones).toHaveLength(world.buried.size);
        expect(new Map(tombstones)).toEqual(world.buried);
      }),
      25,
    );
  });

  test('every event is in one step, those of a record in their order', () => {
    holds(
      fc.property(worlds, (world) => {
        const texts = planOf(world).steps.flatMap((step) => step.events?.chunks.flat() ?? []);
        const expected = world.told.flatMap((told) => told.texts);
        expect([...texts].sort()).toEqual([...expected].sort());
        expect(bySubject(texts)).toEqual(bySubject(expected));
      }),
      25,
    );
  });

  test('the given snapshot stays as it was', () => {
    holds(
      fc.property(worlds, (world) => {
        const before = structuredClone(world.snapshot);
        planOf(world);
        expect(world.snapshot).toEqual(before);
      }),
      20,
    );
  });

  test('the same input gives the same plan', () => {
    holds(
      fc.property(worlds, (world) => {
        expect(planOf(world)).toEqual(planOf(world));
      }),
      10,
    );
  });
});

describe('a commit', () => {
  test('of nothing has no steps', () => {
    expect(planned([]).steps).toEqual([]);
  });

  test('writes the leaf, its head and the events of a lone change, and nothing else', () => {
    const others = sheets(200);
    const { steps } = planned([tell(approval(others[3] ?? timesheet()), contextOf())], others);
    expect(steps).toHaveLength(1);
    expect(steps[0]?.leaves).toHaveLength(1);
    expect(steps[0]?.heads.map(({ changedLeaves }) => changedLeaves)).toEqual([[steps[0]?.leaves[0]?.index]]);
    expect(steps[0]?.events?.chunks).toHaveLength(1);
    expect(steps[0]?.eventsExpireAt).toBe(NOW + DAY_MS);
  });

  test('takes a moved record out of one slice and puts it into the other in one transaction', () => {
    const moved = tell(changeOf(timesheet(), timesheet({ date: NEXT_DATE })), contextOf());
    const { steps } = planned([moved], [timesheet()], [slice({ slice: NEXT_DATE })]);
    expect(steps).toHaveLength(1);
    expect(steps[0]?.heads.map(({ head }) => [head.slice, head.recordCount])).toEqual([
      [DATE, 0],
      [NEXT_DATE, 1],
    ]);
  });

  test('creates the head of a slice that nobody looked at yet, not baselined', () => {
    const moved = tell(changeOf(timesheet(), timesheet({ date: NEXT_DATE })), contextOf());
    const [step] = planned([moved], [timesheet()]).steps;
    const created = step?.heads.find(({ head }) => head.slice === NEXT_DATE);
    expect(created?.expectedRevision).toBeNull();
    expect(created?.head).toMatchObject({ revision: 1, baselinedAt: null, observedAt: null, recordCount: 1 });
  });

  test('expects, in a later step, the head that an earlier step wrote', () => {
    const { steps } = approvalOf(sheets(3_000));
    const revisions = steps.flatMap(({ heads }) =>
      heads.map(({ expectedRevision, head }) => [expectedRevision, head.revision]),
    );
    expect(steps.length).toBeGreaterThan(2);
    expect(revisions).toEqual(revisions.map((_, place) => [4 + place, 5 + place]));
  });

  test('says only in its last step that the slice was seen whole', () => {
    const { steps, heads } = approvalOf(sheets(3_000));
    const seen = steps.map((step) => step.heads[0]?.head.observedAt);
    expect(seen).toEqual([...seen.slice(1).map(() => EARLIER), LOOKED_AT]);
    expect(heads.get(DATE)?.observedAt).toBe(LOOKED_AT);
  });

  test('notes on the row when it was seen, where not all of the slice was', () => {
    const told = [tell(approval(timesheet()), contextOf())];
    const input = inputOf(told, [timesheet()]);
    const seenAtOf = (plan: CommitPlan) => plan.steps[0]?.leaves[0]?.rows[0]?.seenAt;
    expect(seenAtOf(planCommit({ ...input, observed: new Map() }))).toBe(NOW - 1_000);
    expect(seenAtOf(planCommit(input))).toBeUndefined();
  });

  test('repeats its request tokens when it is repeated, and shares them with no other poll or step', () => {
    const tokens = (runId: string) =>
      planCommit({ ...inputOf(approvals(sheets(3_000)), sheets(3_000)), runId }).steps.map(
        ({ token }) => token,
      );
    expect(tokens('run-b')).toEqual(tokens('run-b'));
    const all = [...tokens('run-b'), ...tokens('run-c')];
    expect(new Set(all).size).toBe(all.length);
    expect(all.every((token) => token.length >= 1 && token.length <= 36)).toBe(true);
  });

  test('stops at the bytes of its events before it stops at its items', () => {
    const details = (hours: number) => Array.from({ length: 150 }, (_, n) => detail({ id: `${n}_7`, hours }));
    const before = sheets(90).map((record) => ({ ...record, details: details(1) }));
    const told = before.map((record) =>
      tell(changeOf(record, { ...record, details: details(2) }), contextOf()),
    );
    const { steps } = planned(told, before);
    expect(steps.length).toBeGreaterThan(1);
    expect(Math.max(...steps.map(itemsOf))).toBeLessThan(TRANSACTION_MOST_ITEMS);
    expect(Math.max(...steps.map(eventBytesOf))).toBeLessThanOrEqual(TRANSACTION_MOST_EVENT_BYTES);
    for (const chunk of steps.flatMap((step) => step.events?.chunks ?? [])) {
      expect(bytesOf(chunk.join(' '))).toBeLessThanOrEqual(EVENT_CHUNK_BYTES);
    }
  });

  test('forgets tombstones of touched leaves that have had their time', () => {
    const tombstones = [
      { id: '8_7', sequence: 3, removedAt: NOW - DAY_MS - 1 },
      { id: '9_7', sequence: 4, removedAt: NOW - DAY_MS },
    ];
    const before = slice({ rows: [leafRow(timesheet())], tombstones });
    const told = [tell(approval(timesheet()), contextOf())];
    const [step] = planCommit({ ...inputOf(told, []), snapshot: snapshotOf(before) }).steps;
    expect(step?.leaves[0]?.tombstones).toEqual(tombstones.slice(1));
    expect(step?.heads[0]?.head.tombstoneCount).toBe(1);
  });

  test('of a leaf that was never read is refused', () => {
    const { heads } = snapshotOf(slice({ rows: [leafRow(timesheet())] }));
    const told = [tell(approval(timesheet()), contextOf())];
    expect(() => planCommit({ ...inputOf(told, []), snapshot: { heads, leaves: new Map() } })).toThrow(
      expect.objectContaining({ code: 'leaf_not_read' }),
    );
  });
});

describe('a batch of events', () => {
  const head = { slice: DATE, revision: 12 };

  test('is null when there is nothing to tell', () => {
    expect(batchOf([], { now: NOW, head })).toBeNull();
  });

  test('sorts by instant, slice and revision', () => {
    expect(batchOf(['{}'], { now: NOW, head })?.key).toBe('2026-03-05T01:01:00.000Z/2026-03-05/000000012');
  });

  test('keeps the order of its texts, in chunks that each fit an item', () => {
    const texts = Array.from({ length: 20 }, (_, n) => `${n}${'ü'.repeat(45_000)}`);
    const chunks = batchOf(texts, { now: NOW, head })?.chunks ?? [];
    expect(chunks.flat()).toEqual(texts);
    expect(chunks.map((chunk) => chunk.length)).toEqual([3, 3, 3, 3, 3, 3, 2]);
  });
});

function inputOf(
  told: CommitInput['told'],
  records: readonly SampleRecord[],
  others: readonly ReturnType<typeof slice>[] = [],
): CommitInput {
  return {
    feed: TIMESHEETS,
    definition: feedDefinition('timesheets'),
    snapshot: snapshotOf(slice({ rows: records.map((record) => leafRow(record)) }), ...others),
    told,
    observed: new Map([[DATE, LOOKED_AT]]),
    runId: 'run-b',
    now: NOW,
    retentionMs: DAY_MS,
  };
}

function planned(...parameters: [CommitInput['told'], ...Partial<Tail>]): CommitPlan {
  const [told, records = [], others = []] = parameters;
  return planCommit(inputOf(told, records, others));
}

type Tail = [readonly SampleRecord[], readonly ReturnType<typeof slice>[]];

function planOf({ snapshot, told }: World): CommitPlan {
  return planCommit({ ...inputOf(told, []), snapshot });
}

function sheets(count: number): SampleRecord[] {
  return Array.from({ length: count }, (_, n) => timesheet({ id: `${n}_7` }));
}

function approval(record: SampleRecord) {
  return changeOf(record, { ...record, approvedHours: '2026-03-05T01:00:30.000Z' });
}

function approvals(records: readonly SampleRecord[]): CommitInput['told'] {
  return records.map((record) => tell(approval(record), contextOf()));
}

function approvalOf(records: readonly SampleRecord[]): CommitPlan {
  return planned(approvals(records), records);
}

function bytesOf(text: string): number {
  return Buffer.byteLength(text);
}

/** As the storage layout writes it: heads, leaves, pages of digests of slices with many leaves, chunks of events. */
function itemsOf({ heads, leaves, events }: CommitStep): number {
  const pages = heads.map(({ head, changedLeaves }) =>
    head.leafCount > INLINE_DIGEST_LEAVES
      ? new Set(changedLeaves?.map((index) => Math.floor(index / DIGESTS_PER_PAGE))).size
      : 0,
  );
  return pages.reduce(
    (sum, count) => sum + count,
    heads.length + leaves.length + (events?.chunks.length ?? 0),
  );
}

function eventBytesOf({ events }: CommitStep): number {
  return (events?.chunks.flat() ?? []).reduce((sum, text) => sum + bytesOf(text), 0);
}

type Store = ReturnType<typeof createMemorySnapshotStore>;

/** A store that held the snapshot and was given the steps. */
async function executed({ snapshot }: World, steps: readonly CommitStep[]) {
  const store = createMemorySnapshotStore();
  await store.commit({
    feed: TIMESHEETS,
    token: 'before',
    heads: [...snapshot.heads.values()].map((head) => ({
      head,
      expectedRevision: null,
      changedLeaves: null,
    })),
    leaves: [...snapshot.leaves.values()],
    events: null,
    eventsExpireAt: NOW,
  });
  const outcomes: string[] = [];
  for (const step of steps) outcomes.push(await store.commit(step));
  return { store, outcomes };
}

async function allLeaves(store: Store): Promise<Leaf[]> {
  const heads = await store.loadHeads(TIMESHEETS, '');
  return (await Promise.all(heads.map((head) => store.readLeaves(TIMESHEETS, refsOf(head))))).flat();
}

function refsOf({ slice: name, generation, leafCount }: SliceHead) {
  return Array.from({ length: leafCount }, (_, index) => ({ slice: name, generation, index }));
}

function countsOf({ recordCount, tombstoneCount, unsettledCount }: SliceHead) {
  return { recordCount, tombstoneCount, unsettledCount };
}

function countsIn(leaves: readonly Leaf[]): ReturnType<typeof countsOf> {
  const rows = leaves.flatMap((leaf) => leaf.rows);
  return {
    recordCount: rows.length,
    tombstoneCount: leaves.flatMap(({ tombstones }) => tombstones).length,
    unsettledCount: rows.filter(({ state }) => !isSettled(feedDefinition('timesheets'), state)).length,
  };
}

/** The store keeps outboxes beside the heads. */
function withoutOutbox(stored: readonly SliceHead[]) {
  return (head: SliceHead): SliceHead => ({
    ...head,
    outbox: stored.find(({ slice: name }) => name === head.slice)?.outbox ?? [],
  });
}

function bySlice(left: SliceHead, right: SliceHead): number {
  return left.slice < right.slice ? -1 : 1;
}

function bySubject(texts: readonly string[]): Map<string, number[]> {
  const sequences = new Map<string, number[]>();
  for (const text of texts) {
    const { subject, sequence } = JSON.parse(text) as { subject: string; sequence: number };
    sequences.set(subject, [...(sequences.get(subject) ?? []), sequence]);
  }
  return sequences;
}
