import { describe, expect, test } from 'vitest';
import {
  buildBatch,
  type CommitInput,
  type CommitPlan,
  planCommit,
} from '#shared/core/commit/commit-plan.ts';
import {
  MAX_EVENT_CHUNK_BYTES,
  MAX_TRANSACTION_EVENT_BYTES,
  MAX_TRANSACTION_ITEMS,
} from '#shared/core/commit/commit-step.ts';
import { toEvents } from '#shared/core/events/events.ts';
import { computeLeafIndex, createDigests, toLeafKey } from '#shared/core/snapshot/snapshot.ts';
import {
  createChange,
  createEventContext,
  createSnapshot,
  DATE,
  DAY_MS,
  detail,
  EARLIER,
  EPOCH,
  leafRow,
  NEXT_DATE,
  NOW,
  type SampleRecord,
  slice,
  timesheet,
} from '#test/support/builders.ts';
import { countBytes, countEventBytes, countItems, createCommitInput, SCANNED_AT } from './commit-inputs.ts';

describe('a commit', () => {
  test('of nothing has no steps', () => {
    expect(planned([]).steps).toEqual([]);
  });

  test('writes the leaf, its head and the events of a single change, and nothing else', () => {
    const others = sheets(200);
    const { steps } = planned([toEvents(approval(others[3] ?? timesheet()), createEventContext())], others);
    expect(steps).toHaveLength(1);
    expect(steps[0]?.leaves).toHaveLength(1);
    expect(steps[0]?.heads.map(({ changedLeaves }) => changedLeaves)).toEqual([[steps[0]?.leaves[0]?.index]]);
    expect(steps[0]?.events?.chunks).toHaveLength(1);
    expect(steps[0]?.eventsExpireAt).toBe(NOW + DAY_MS);
  });

  test('takes a moved record out of one slice and puts it into the other in one transaction', () => {
    const moved = toEvents(createChange(timesheet(), timesheet({ date: NEXT_DATE })), createEventContext());
    const { steps } = planned([moved], [timesheet()], [slice({ slice: NEXT_DATE })]);
    expect(steps).toHaveLength(1);
    expect(steps[0]?.heads.map(({ head }) => [head.slice, head.recordCount])).toEqual([
      [DATE, 0],
      [NEXT_DATE, 1],
    ]);
  });

  test('creates the head of a slice that was never scanned, without a baseline', () => {
    const moved = toEvents(createChange(timesheet(), timesheet({ date: NEXT_DATE })), createEventContext());
    const [step] = planned([moved], [timesheet()]).steps;
    const created = step?.heads.find(({ head }) => head.slice === NEXT_DATE);
    expect(created?.expectedRevision).toBeNull();
    expect(created?.head).toMatchObject({ revision: 1, baselinedAt: null, observedAt: null, recordCount: 1 });
  });

  test('expects, in a later step, the head that an earlier step wrote', () => {
    const { steps } = approvalOf(sheets(5_000));
    const revisions = steps.flatMap(({ heads }) =>
      heads.map(({ expectedRevision, head }) => [expectedRevision, head.revision]),
    );
    expect(steps.length).toBeGreaterThan(2);
    expect(revisions).toEqual(revisions.map((_, place) => [4 + place, 5 + place]));
  });

  test('sets observedAt only in its last step', () => {
    const { steps } = approvalOf(sheets(2_000));
    const seen = steps.map((step) => step.heads[0]?.head.observedAt);
    expect(seen).toEqual([...seen.slice(1).map(() => EARLIER), SCANNED_AT]);
  });

  test('notes on the row when it was seen, where not all of the slice was', () => {
    const changeEvents = [toEvents(approval(timesheet()), createEventContext())];
    const input = createCommitInput(changeEvents, [timesheet()]);
    const seenAtOf = (plan: CommitPlan) => plan.steps[0]?.leaves[0]?.rows[0]?.seenAt;
    expect(seenAtOf(planCommit({ ...input, observed: new Map() }))).toBe(NOW - 1_000);
    expect(seenAtOf(planCommit(input))).toBeUndefined();
  });

  test('repeats its request tokens when it is repeated, and shares them with no other poll or step', () => {
    const input = createCommitInput(approvals(sheets(2_000)), sheets(2_000));
    const tokens = (runId: string) => planCommit({ ...input, runId }).steps.map(({ token }) => token);
    expect(tokens('run-b')).toEqual(tokens('run-b'));
    const all = [...tokens('run-b'), ...tokens('run-c')];
    expect(new Set(all).size).toBe(all.length);
    expect(all.every((token) => token.length >= 1 && token.length <= 36)).toBe(true);
  });

  test('stops at the bytes of its events before it stops at its items', () => {
    const details = (hours: number) => Array.from({ length: 150 }, (_, n) => detail({ id: `${n}_7`, hours }));
    const before = sheets(90).map((record) => ({ ...record, details: details(1) }));
    const changeEvents = before.map((record) =>
      toEvents(createChange(record, { ...record, details: details(2) }), createEventContext()),
    );
    const { steps } = planned(changeEvents, before);
    expect(steps.length).toBeGreaterThan(1);
    expect(Math.max(...steps.map(countItems))).toBeLessThan(MAX_TRANSACTION_ITEMS);
    expect(Math.max(...steps.map(countEventBytes))).toBeLessThanOrEqual(MAX_TRANSACTION_EVENT_BYTES);
    for (const chunk of steps.flatMap((step) => step.events?.chunks ?? [])) {
      expect(countBytes(chunk.join(' '))).toBeLessThanOrEqual(MAX_EVENT_CHUNK_BYTES);
    }
  });

  test('counts the pages on which the digests of a large slice stand', () => {
    const records = sheets(300);
    const { steps } = planCommit({
      ...createCommitInput(approvals(records), []),
      snapshot: spread(records, 1_100),
    });
    expect(steps.map((step) => countItems(step) <= MAX_TRANSACTION_ITEMS)).toEqual(steps.map(() => true));
    expect(steps.flatMap(({ leaves }) => leaves).length).toBeGreaterThan(200);
  });

  test('removes expired tombstones of touched leaves', () => {
    const tombstones = [
      { id: '8_7', epoch: EPOCH, sequence: 3, removedAt: NOW - DAY_MS - 1 },
      { id: '9_7', epoch: EPOCH, sequence: 4, removedAt: NOW - DAY_MS },
    ];
    const before = slice({ rows: [leafRow(timesheet())], tombstones });
    const changeEvents = [toEvents(approval(timesheet()), createEventContext())];
    const [step] = planCommit({
      ...createCommitInput(changeEvents, []),
      snapshot: createSnapshot(before),
    }).steps;
    expect(step?.leaves[0]?.tombstones).toEqual(tombstones.slice(1));
    expect(step?.heads[0]?.head.tombstoneCount).toBe(1);
  });

  test('of a leaf that was never read is refused', () => {
    const { heads } = createSnapshot(slice({ rows: [leafRow(timesheet())] }));
    const changeEvents = [toEvents(approval(timesheet()), createEventContext())];
    expect(() =>
      planCommit({ ...createCommitInput(changeEvents, []), snapshot: { heads, leaves: new Map() } }),
    ).toThrow(expect.objectContaining({ code: 'leaf_not_read' }));
  });
});

describe('a batch of events', () => {
  const head = { slice: DATE, revision: 12 };

  test('is null without events', () => {
    expect(buildBatch([], { now: NOW, head })).toBeNull();
  });

  test('sorts by instant, slice and revision', () => {
    expect(buildBatch(['{}'], { now: NOW, head })?.key).toBe('2026-03-05T01:01:00.000Z/2026-03-05/000000012');
  });

  test('keeps the order of its texts, in chunks that each fit an item', () => {
    const texts = Array.from({ length: 20 }, (_, n) => `${n}${'ü'.repeat(45_000)}`);
    const chunks = buildBatch(texts, { now: NOW, head })?.chunks ?? [];
    expect(chunks.flat()).toEqual(texts);
    expect(chunks.map((chunk) => chunk.length)).toEqual([3, 3, 3, 3, 3, 3, 2]);
  });
});

function planned(...parameters: [CommitInput['changeEvents'], ...Partial<Tail>]): CommitPlan {
  const [changeEvents, records = [], others = []] = parameters;
  return planCommit(createCommitInput(changeEvents, records, others));
}

type Tail = [readonly SampleRecord[], readonly ReturnType<typeof slice>[]];

function sheets(count: number): SampleRecord[] {
  return Array.from({ length: count }, (_, n) => timesheet({ id: `${n}_7` }));
}

/** The records in so many leaves that their digests need pages. */
function spread(records: readonly SampleRecord[], leafCount: number): CommitInput['snapshot'] {
  const { head } = slice();
  const leaves = Array.from({ length: leafCount }, (_, index) => ({
    slice: DATE,
    generation: head.generation,
    index,
    rows: records
      .filter(({ id }) => computeLeafIndex(id, leafCount) === index)
      .map((record) => leafRow(record)),
    tombstones: [],
  }));
  return {
    heads: new Map([[DATE, { ...head, leafCount, digests: createDigests(leafCount) }]]),
    leaves: new Map(leaves.map((leaf) => [toLeafKey(leaf), leaf])),
  };
}

function approval(record: SampleRecord) {
  return createChange(record, { ...record, approvedHours: '2026-03-05T01:00:30.000Z' });
}

function approvals(records: readonly SampleRecord[]): CommitInput['changeEvents'] {
  return records.map((record) => toEvents(approval(record), createEventContext()));
}

function approvalOf(records: readonly SampleRecord[]): CommitPlan {
  return planned(approvals(records), records);
}
