import fc from 'fast-check';
import type { Change } from '#shared/core/compare/change.ts';
import type { Snapshot } from '#shared/core/compare/differing-leaves.ts';
import { type ChangeEvents, toEvents } from '#shared/core/events/events.ts';
import type { StateRow } from '#shared/core/records/feed-definition.ts';
import {
  clocking,
  createChange,
  createEventContext,
  createSnapshot,
  DATE,
  EARLIER,
  EPOCH,
  leafRow,
  NEXT_DATE,
  type SampleRecord,
  slice,
  timesheet,
} from '#test/support/builders.ts';

/** Two known slices and what happened to their records between two looks. */
export interface ChangeScenario {
  readonly snapshot: Snapshot;
  readonly changeEvents: readonly ChangeEvents[];
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

export const scenarios: fc.Arbitrary<ChangeScenario> = fc
  .record({
    sizes: fc.tuple(size, size),
    fates: fc.array(fc.constantFrom(...FATES), { minLength: 1, maxLength: 30 }),
    created: fc.nat(150),
    returning: fc.nat(20),
  })
  .map(buildScenario);

interface Seeds {
  readonly sizes: readonly [number, number];
  readonly fates: readonly Fate[];
  readonly created: number;
  readonly returning: number;
}

function buildScenario({ sizes, fates, created, returning }: Seeds): ChangeScenario {
  const known = [...createRecords(DATE, sizes[0], 1), ...createRecords(NEXT_DATE, sizes[1], 2)];
  const pickFate = (place: number): Fate => fates[(place * 7) % fates.length] ?? 'same';
  const changes = [
    ...known.flatMap((record, place) => createChanges(record, pickFate(place))),
    ...createRecords(DATE, created, 3).map((record) => createChange(null, record)),
    ...createRecords(NEXT_DATE, returning, 4).map((record) =>
      createChange(null, record, { tombstoneSlice: DATE, sequence: 5 }),
    ),
  ];
  const changeEvents = changes.map((change) => toEvents(change, createEventContext()));
  const tombstones = createRecords(DATE, returning + 3, 4).map(({ id }) => ({
    id,
    epoch: EPOCH,
    sequence: 5,
    removedAt: EARLIER,
  }));
  const rowsOn = (date: string) =>
    known.filter((record) => record.date === date).map((record) => leafRow(record));
  const snapshot = createSnapshot(
    slice({ rows: rowsOn(DATE), tombstones }),
    slice({ slice: NEXT_DATE, rows: rowsOn(NEXT_DATE) }),
  );
  return { snapshot, changeEvents, ...computeOutcome(known, changeEvents, tombstones.slice(returning)) };
}

function createRecords(date: string, count: number, series: number): SampleRecord[] {
  return Array.from({ length: count }, (_, place) => timesheet({ id: `${series}${place}_7`, date }));
}

function createChanges(record: SampleRecord, fate: Fate): Change[] {
  const approved = { ...record, approvedHours: '2026-03-05T01:00:30.000Z' };
  switch (fate) {
    case 'same':
      return [];
    case 'approved':
      return [createChange(record, approved)];
    case 'processed':
      return [createChange(record, { ...approved, processed: '2026-03-05T01:00:40.000Z', hoursToPay: 8 })];
    case 'clocked':
      return [createChange(record, { ...record, clockIn: clocking() })];
    case 'moved':
      return [createChange(record, { ...record, date: record.date === DATE ? NEXT_DATE : DATE })];
    case 'moved away':
      return [createChange(record, { ...record, date: UNSEEN_DATE })];
    case 'removed':
      return [createChange(record, null)];
    case 'tidied':
      return [createChange(record, null, { silent: true })];
  }
}

function computeOutcome(
  known: readonly SampleRecord[],
  changeEvents: readonly ChangeEvents[],
  staying: readonly { readonly id: string; readonly sequence: number }[],
): Pick<ChangeScenario, 'expected' | 'buried'> {
  const expected = new Map(
    known.map((record) => [record.id, { slice: String(record.date), state: leafRow(record).state }]),
  );
  const buried = new Map(staying.map(({ id, sequence }) => [id, sequence]));
  for (const { change, sequence } of changeEvents) {
    if (change.after !== null) {
      expected.set(change.id, { slice: change.after.slice, state: change.after.row });
      continue;
    }
    expected.delete(change.id);
    if (change.silent !== true) buried.set(change.id, sequence);
  }
  return { expected, buried };
}
