import { describe, expect, test } from 'vitest';
import { type CommitInput, planCommit } from '#shared/core/commit/commit-plan.ts';
import { INSERT_FENCE } from '#shared/core/commit/insert-fence.ts';
import type { ChangeEvents } from '#shared/core/events/events.ts';
import {
  computeLeafIndex,
  createDigests,
  createLeaf,
  type LeafRow,
  toLeafKey,
} from '#shared/core/snapshot/snapshot.ts';
import {
  createChange,
  createSnapshot,
  DATE,
  EARLIER,
  EPOCH,
  leafRow,
  NEXT_DATE,
  NOW,
  slice,
  timesheet,
} from '#test/support/builders.ts';
import { createCommitInput, SCANNED_AT } from './commit-inputs.ts';

/** Beside leaves, heads, digest pages and chunks, a transaction keeps room for the fence and one more chunk. */
describe('a transaction holds at most 100 items and 2.5 MB of events', () => {
  test.each<{ world: string; leaves: Record<string, [number, number]>; bytes: number; sizes: number[] }>([
    { world: 'one slice', leaves: { [DATE]: [96, 96] }, bytes: 10, sizes: [95, 1] },
    { world: 'two slices', leaves: { [DATE]: [60, 96], [NEXT_DATE]: [60, 96] }, bytes: 10, sizes: [93, 27] },
    { world: 'digests on pages', leaves: { [DATE]: [120, 330] }, bytes: 10, sizes: [94, 26] },
    { world: 'chunks of events', leaves: { [DATE]: [96, 96] }, bytes: 10_000, sizes: [90, 6] },
    { world: 'many bytes', leaves: { [DATE]: [30, 96] }, bytes: 125_000, sizes: [20, 10] },
    { world: 'too many bytes', leaves: { [DATE]: [3, 96] }, bytes: 2_500_001, sizes: [1, 1, 1] },
  ])('$world', ({ leaves, bytes, sizes }) => {
    const places = Object.entries(leaves).map(([date, [records, leafCount]]) => ({
      date,
      records,
      leafCount,
    }));
    const worlds = places.map((place) => spread(place));
    const changes = worlds.flatMap(({ rows }) => rows.map((row) => changed(row, bytes)));
    const { steps } = planCommit({ ...createCommitInput(changes, []), snapshot: merged(worlds) });
    expect(steps.map((step) => step.leaves.length)).toEqual(sizes);
  });

  test('of which the check of a watermark is one', () => {
    const world = spread({ date: DATE, records: 96, leafCount: 96 });
    const input = createCommitInput(
      world.rows.map((row) => changed(row)),
      [],
    );
    const fence = { isHot: () => false, ahead: NOW };
    const { steps } = planCommit({ ...input, snapshot: merged([world]), fence });
    expect(steps.map((step) => step.leaves.length)).toEqual([94, 2]);
  });

  test('with each leaf once, whatever order its changes come in', () => {
    const world = spread({ date: DATE, records: 96, leafCount: 96, each: 2 });
    const changes = [0, 1]
      .flatMap((nth) => world.rows.filter((_, n) => n % 2 === nth))
      .map((row) => changed(row));
    const { steps } = planCommit({ ...createCommitInput(changes, []), snapshot: merged([world]) });
    expect(steps.map((step) => step.leaves.length)).toEqual([95, 1]);
    expect(steps.map(({ heads }) => heads.map(({ head }) => head.observedAt))).toEqual([
      [EARLIER],
      [SCANNED_AT],
    ]);
    expect(steps.map(({ events }) => events?.chunks.flat().length)).toEqual([190, 2]);
  });
});

test('each transaction with unknown records expects the fence of the one before', () => {
  const world = spread({ date: DATE, records: 30, leafCount: 96 });
  const arrivals = world.rows.map((row) => changed({ ...row, id: `${row.id}0` }, 125_000, true));
  const { steps } = planCommit({ ...createCommitInput(arrivals, []), snapshot: merged([world]) });
  const fences = steps.flatMap(({ heads }) => heads.filter(({ head }) => head.slice === INSERT_FENCE));
  expect(steps.length).toBe(2);
  expect(fences.map(({ expectedRevision, head }) => [expectedRevision, head.revision])).toEqual(
    steps.map((_, place) => [place === 0 ? null : place, place + 1]),
  );
});

test('a slice without a head gets one that no other poll can have written', () => {
  const row = leafRow(timesheet());
  const { steps } = planCommit({
    ...createCommitInput([changed(row, 10, true)], []),
    snapshot: createSnapshot(),
  });
  expect(steps[0]?.heads[0]).toMatchObject({ head: { slice: DATE, generation: '0-run-b', leafCount: 1 } });
});

/** A slice with records in some of its leaves, `each` in one. */
function spread(place: { date: string; records: number; leafCount: number; each?: number }) {
  const { date, records, leafCount, each = 1 } = place;
  const byLeaf = Array.from({ length: leafCount }, (): LeafRow[] => []);
  for (let n = 0; byLeaf.slice(0, records).some((rows) => rows.length < each); n += 1) {
    const leaf = byLeaf[computeLeafIndex(`${n}_7`, leafCount)];
    if (leaf !== undefined && leaf.length < each) leaf.push(leafRow(timesheet({ id: `${n}_7`, date })));
  }
  const kept = byLeaf.slice(0, records);
  const { head } = slice({ slice: date });
  const refs = byLeaf.map((_, index) => ({ slice: date, generation: head.generation, index }));
  return {
    rows: kept.flat(),
    head: { ...head, leafCount, recordCount: kept.flat().length, digests: createDigests(leafCount) },
    leaves: refs.map((ref) => ({ ...createLeaf(ref), rows: kept[ref.index] ?? [] })),
  };
}

function merged(worlds: readonly ReturnType<typeof spread>[]): CommitInput['snapshot'] {
  return {
    heads: new Map(worlds.map(({ head }) => [head.slice, head])),
    leaves: new Map(worlds.flatMap(({ leaves }) => leaves).map((leaf) => [toLeafKey(leaf), leaf])),
  };
}

/** A change with one event of so many bytes, its separator included. */
function changed(row: LeafRow, bytes = 10, isNew = false): ChangeEvents {
  const date = String(row.state.find((value) => value === DATE || value === NEXT_DATE));
  const record = timesheet({ id: row.id, date });
  const change = createChange(isNew ? null : record, { ...record, hoursToPay: 9 });
  return {
    change,
    texts: ['x'.repeat(bytes - 1)],
    types: [],
    row: { ...row, sequence: 1 },
    epoch: EPOCH,
    sequence: 1,
  };
}
