import { describe, expect, test } from 'vitest';
import { planCommit } from '#shared/core/commit/commit-plan.ts';
import type { CommitStep } from '#shared/core/commit/commit-step.ts';
import { INSERT_FENCE, isArrival, planFenceWrite } from '#shared/core/commit/insert-fence.ts';
import type { Change } from '#shared/core/compare/change.ts';
import { type ChangeEvents, toEvents } from '#shared/core/events/events.ts';
import { feedDefinition, WHOLE_LIST } from '#shared/core/records/feed-definition.ts';
import { DISTANT_SLICE } from '#shared/core/snapshot/distant-slice.ts';
import {
  createChange,
  createEventContext,
  createSnapshot,
  DATE,
  DAY_MS,
  leafRow,
  NEXT_DATE,
  NOW,
  type SampleRecord,
  slice,
  TIMESHEETS,
  timesheet,
} from '#test/support/builders.ts';
import { createMemorySnapshotStore } from '#test/support/memory-snapshot-store.ts';

const COMMIT = {
  feed: TIMESHEETS,
  definition: feedDefinition('timesheets'),
  observed: new Map(),
  now: NOW,
  retentionMs: 90 * DAY_MS,
};
const arrived = toEvents(createChange(null, timesheet()), createEventContext());
const approved = timesheet({ approvedHours: '2026-03-05T00:30:00.000Z' });

describe('a record arrives on a date', () => {
  const place = (name: string) => ({ slice: name, row: [] });
  const from = (values: Partial<Change>) => createChange(null, timesheet(), values);

  test.each<[boolean, string, Partial<Change>]>([
    [true, 'when nothing is known of it', {}],
    [false, 'not when it was removed and is remembered', { tombstoneSlice: DATE }],
    [true, 'when it was removed from a later date', { tombstoneSlice: NEXT_DATE }],
    [true, 'when it stood on a later date', { rowSlice: NEXT_DATE }],
    [false, 'not when it stood on an earlier date', { rowSlice: DATE, after: place(NEXT_DATE) }],
    [true, 'when it comes back from afar', { rowSlice: DISTANT_SLICE }],
    [false, 'not when it stays afar', { rowSlice: DISTANT_SLICE, after: place(DISTANT_SLICE) }],
    [false, 'not when it is removed', { after: null }],
    [false, 'not in a feed of one slice', { after: place(WHOLE_LIST) }],
  ])('%s: %s', (expected, _, values) => {
    expect(isArrival(from(values))).toBe(expected);
  });

  test('the first fence is written where there is none, and each later one over the last', () => {
    const first = planFenceWrite(new Map());
    expect(first).toMatchObject({ head: { slice: 'arrivals', revision: 1 }, expectedRevision: null });
    const second = planFenceWrite(new Map([['arrivals', first.head]]));
    expect(second).toMatchObject({ head: { revision: 2, generation: '0' }, expectedRevision: 1 });
  });
});

describe('a commit that brings in a record that no slice knows', () => {
  test('moves the arrivals on, after the heads of its slices', () => {
    const [step] = stepsOf([arrived], []);
    expect(step?.heads.map(({ head, expectedRevision }) => [head.slice, expectedRevision])).toEqual([
      [DATE, 4],
      [INSERT_FENCE, null],
    ]);
  });

  test('loses against another one that did so since the heads were read, on whatever date (rule 1)', async () => {
    const store = createMemorySnapshotStore();
    await store.commit(commitOf('before', [slice().head, slice({ slice: NEXT_DATE }).head]));
    const moved = toEvents(createChange(null, timesheet({ date: NEXT_DATE })), createEventContext());
    const outcomes = [];
    for (const changeEvents of [arrived, moved])
      outcomes.push(await store.commit(firstOf(stepsOf([changeEvents], []))));
    expect(outcomes).toEqual(['committed', 'conflict']);
  });
});

test.each([
  { from: NEXT_DATE, to: DATE, slices: [DATE, NEXT_DATE, INSERT_FENCE] },
  { from: DATE, to: NEXT_DATE, slices: [DATE, NEXT_DATE] },
])('a move from $from to $to changes the heads of $slices', ({ from, to, slices }) => {
  const before = timesheet({ date: from });
  const moved = toEvents(createChange(before, timesheet({ date: to })), createEventContext());
  const { steps } = planCommit({
    ...COMMIT,
    snapshot: createSnapshot(
      slice({ slice: from, rows: [leafRow(before, { sequence: 2 })] }),
      slice({ slice: to }),
    ),
    changeEvents: [moved],
    runId: 'run-move',
  });
  expect(
    firstOf(steps)
      .heads.map(({ head }) => head.slice)
      .sort(),
  ).toEqual(slices);
});

test('a commit of records that are known leaves the arrivals alone', () => {
  const [step] = stepsOf(
    [toEvents(createChange(timesheet(), approved), createEventContext())],
    [timesheet()],
  );
  expect(step?.heads.map(({ head }) => head.slice)).toEqual([DATE]);
});

function stepsOf(
  changeEvents: readonly ChangeEvents[],
  known: readonly SampleRecord[],
): readonly CommitStep[] {
  const rows = known.map((record) => leafRow(record, { sequence: 2 }));
  return planCommit({
    ...COMMIT,
    snapshot: createSnapshot(slice({ rows }), slice({ slice: NEXT_DATE })),
    changeEvents,
    runId: `run-${changeEvents[0]?.change.after?.slice ?? ''}`,
  }).steps;
}

function firstOf([step]: readonly CommitStep[]): CommitStep {
  if (step === undefined) throw new Error('there is no step');
  return step;
}

function commitOf(token: string, heads: readonly CommitStep['heads'][number]['head'][]): CommitStep {
  return {
    feed: TIMESHEETS,
    token,
    heads: heads.map((head) => ({ head, expectedRevision: null, changedLeaves: null })),
    leaves: [],
    events: null,
    eventsExpireAt: NOW,
  };
}
