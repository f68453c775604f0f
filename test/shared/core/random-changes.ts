import fc from 'fast-check';
import type { Change } from '#shared/core/compare/compare.ts';
import type { Snapshot } from '#shared/core/compare/differing-leaves.ts';
import { type ToldChange, tell } from '#shared/core/events/events.ts';
import type { StateRow } from '#shared/core/records/feed-definition.ts';
import {
  changeOf,
  clocking,
  contextOf,
  DATE,
  EARLIER,
  leafRow,
  NEXT_DATE,
  type SampleRecord,
  slice,
  snapshotOf,
  timesheet,
} from '#test/support/builders.ts';

/** Two known slices and what happened to their records between two looks. */
export interface World {
  readonly snapshot: Snapshot;
  readonly told: readonly ToldChange[];
  /** Where each record belongs afterwards, and how. */
  readonly expected: ReadonlyMap<string, { readonly slice: string; readonly state: StateRow }>;
  /** Records that are remembered as removed afterwards, with their last sequence. */
  readonly buried: ReadonlyMap<string, number>;
}

/** A date nobody looked at yet. */
const UNSEEN_DATE = '2026-04-01';

const FATES = [
  'same',
  'approved',
  'processed',
  'clocked',
  'moved',
  'moved away',
  'removed',
  'tidied',
] as const;
type Fate = (typeof FATES)[number];

/** Small slices mostly; sometimes one with so many leaves that their digests need pages of their own. */
const size = fc.oneof({ arbitrary: fc.nat(60), weight: 16 }, { arbitrary: fc.constant(1_900), weight: 1 });

export const worlds: fc.Arbitrary<World> = fc
  .record({
    sizes: fc.tuple(size, size),
    fates: fc.array(fc.constantFrom(...FATES), { minLength: 1, maxLength: 30 }),
    created: fc.nat(150),
    returning: fc.nat(20),
  })
  .map(worldOf);

interface Seeds {
  readonly sizes: readonly [number, number];
  readonly fates: readonly Fate[];
  readonly created: number;
  readonly returning: number;
}

function worldOf({ sizes, fates, created, returning }: Seeds): World {
  const known = [...recordsOf(DATE, sizes[0], 1), ...recordsOf(NEXT_DATE, sizes[1], 2)];
  const fateOf = (place: number): Fate => fates[(place * 7) % fates.length] ?? 'same';
  const changes = [
    ...known.flatMap((record, place) => changesOf(record, fateOf(place))),
    ...recordsOf(DATE, created, 3).map((record) => changeOf(null, record)),
    ...recordsOf(NEXT_DATE, returning, 4).map((record) =>
      changeOf(null, record, { tombstoneIn: DATE, sequence: 5 }),
    ),
  ];
  const told = changes.map((change) => tell(change, contextOf()));
  const tombstones = recordsOf(DATE, returning + 3, 4).map(({ id }) => ({
    id,
    sequence: 5,
    removedAt: EARLIER,
  }));
  const rowsOn = (date: string) =>
    known.filter((record) => record.date === date).map((record) => leafRow(record));
  const snapshot = snapshotOf(
    slice({ rows: rowsOn(DATE), tombstones }),
    slice({ slice: NEXT_DATE, rows: rowsOn(NEXT_DATE) }),
  );
  return { snapshot, told, ...outcomeOf(known, told, tombstones.slice(returning)) };
}

function recordsOf(date: string, count: number, series: number): SampleRecord[] {
  return Array.from({ length: count }, (_, place) => timesheet({ id: `${series}${place}_7`, date }));
}

function changesOf(record: SampleRecord, fate: Fate): Change[] {
  const approved = { ...record, approvedHours: '2026-03-05T01:00:30.000Z' };
  switch (fate) {
    case 'same':
      return [];
    case 'approved':
      return [changeOf(record, approved)];
    case 'processed':
      return [changeOf(record, { ...approved, processed: '2026-03-05T01:00:40.000Z', hoursToPay: 8 })];
    case 'clocked':
      return [changeOf(record, { ...record, clockIn: clocking() })];
    case 'moved':
      return [changeOf(record, { ...record, date: record.date === DATE ? NEXT_DATE : DATE })];
    case 'moved away':
      return [changeOf(record, { ...record, date: UNSEEN_DATE })];
    case 'removed':
      return [changeOf(record, null)];
    case 'tidied':
      return [changeOf(record, null, { silent: true })];
  }
}

function outcomeOf(
  known: readonly SampleRecord[],
  told: readonly ToldChange[],
  staying: readonly { readonly id: string; readonly sequence: number }[],
): Pick<World, 'expected' | 'buried'> {
  const expected = new Map(
    known.map((record) => [record.id, { slice: String(record.date), state: leafRow(record).state }]),
  );
  const buried = new Map(staying.map(({ id, sequence }) => [id, sequence]));
  for (const { change, sequence } of told) {
    if (change.after !== null) {
      expected.set(change.id, { slice: change.after.slice, state: change.after.row });
      continue;
    }
    expected.delete(change.id);
    if (change.silent !== true) buried.set(change.id, sequence);
  }
  return { expected, buried };
}
