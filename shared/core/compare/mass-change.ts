import { toIso } from '../dates.ts';
import type { FeedDefinition, StateRow } from '../records/feed-definition.ts';
import type { Operation } from '../records/operation.ts';
import type { FeedState } from '../snapshot/feed-state.ts';
import type { SliceHead } from '../snapshot/snapshot.ts';
import type { ClassifiedRecords, KnownRow, SeenRecord } from './classify-records.ts';
import { exceedsShare, type MassDeletionRule } from './mass-deletion-guard.ts';

/** A second look that confirms a mass change comes at least this much later. */
const CONFIRMED_AFTER_MS = 60_000;
/** Looks this close together count as one: a change that falls between two pages shows in two of them. */
const SAME_LOOK_MS = 60_000;

/** Records of a slice that lost a fact, by slice and field. */
export type Losses = ReadonlyMap<string, ReadonlyMap<string, number>>;

/** A fact that most records of a slice lost at once. */
export interface MassChange {
  readonly slice: string;
  readonly field: string;
  readonly records: number;
  readonly known: number;
  /** Start of the first look that showed it. */
  readonly since: number;
  /** Start of this look. */
  readonly at: number;
  /** A second look has shown it again: it is told. */
  readonly isConfirmed: boolean;
}

/** Names of the markers that a record of a slice had and has no more. */
function findLostFacts(definition: FeedDefinition, before: StateRow, after: StateRow): readonly string[] {
  return definition.markers
    .map(({ field }) => field)
    .filter((field) => {
      const index = definition.fields.findIndex(({ name }) => name === field);
      return before[index] != null && after[index] === null;
    });
}

/** Counts lost facts while leaves are read one after another. */
export class LossCount {
  readonly losses = new Map<string, Map<string, number>>();
  readonly #definition: FeedDefinition;

  constructor(definition: FeedDefinition) {
    this.#definition = definition;
  }

  add(known: KnownRow, seen: SeenRecord): void {
    for (const field of findLostFacts(this.#definition, known.row.state, seen.row)) {
      const fields = this.losses.get(known.slice) ?? new Map<string, number>();
      this.losses.set(known.slice, fields.set(field, (fields.get(field) ?? 0) + 1));
    }
  }
}

export interface LossGuardInput {
  readonly heads: ReadonlyMap<string, SliceHead>;
  readonly vanishing: MassDeletionRule;
  readonly state: Pick<FeedState, 'massChange' | 'lossesTold'>;
  /** Start of the look. */
  readonly at: number;
}

/** Which of a look's losses are too many at once to be believed before they are seen again (design, section 10). */
export function guardLosses(losses: Losses, look: LossGuardInput): readonly MassChange[] {
  return [...losses].flatMap(([slice, fields]) =>
    [...fields].flatMap(([field, records]) => detectMassChange({ slice, field, records }, look) ?? []),
  );
}

interface Loss {
  readonly slice: string;
  readonly field: string;
  readonly records: number;
}

function detectMassChange({ slice, field, records }: Loss, look: LossGuardInput): MassChange | null {
  const { heads, vanishing, state, at } = look;
  const known = heads.get(slice)?.recordCount ?? 0;
  const standing = state.massChange?.[toLossKey(slice, field)];
  const told = state.lossesTold?.[toLossKey(slice, field)];
  const justTold = told !== undefined && at - told.at <= SAME_LOOK_MS ? told.records : 0;
  const isMassive = exceedsShare(records + justTold, known, vanishing);
  if (standing === undefined && !isMassive) return null;
  // A look that lies ahead of this one was made with a wrong clock.
  const since = Math.min(standing?.since ?? at, at);
  const isConfirmed = standing !== undefined && at - since >= CONFIRMED_AFTER_MS;
  return { slice, field, records, known, since, at, isConfirmed };
}

/** Where the state keeps a loss: slices hold no space. */
function toLossKey(slice: string, field: string): string {
  return `${slice} ${field}`;
}

/** Leaves the records out whose loss is not believed yet: they stay as they are known. */
export function withholdLosses(
  classified: ClassifiedRecords,
  { known, held, definition }: WithholdInput,
): ClassifiedRecords {
  const fieldsOf = Map.groupBy(held, ({ slice }) => slice);
  if (fieldsOf.size === 0) return classified;
  const rows: KnownRow[] = [];
  const seen = classified.seen.filter((record) => {
    const fields = fieldsOf.get(record.slice);
    const row = fields === undefined ? undefined : known(record);
    if (row === undefined || row.row.untold === true) return true;
    const lost = findLostFacts(definition, row.row.state, record.row);
    if (!fields?.some(({ field }) => lost.includes(field))) return true;
    rows.push(row);
    return false;
  });
  return { ...classified, seen, unreadable: [...classified.unreadable, ...rows] };
}

export interface WithholdInput {
  /** The row of a record in the slice on which it was seen. */
  readonly known: (record: SeenRecord) => KnownRow | undefined;
  readonly held: readonly MassChange[];
  readonly definition: FeedDefinition;
}

/** What the looks of one poll said of lost facts. */
export interface LossReport {
  /** Every loss that was told, by slice and field, with the look that saw it. */
  readonly told: readonly {
    readonly slice: string;
    readonly field: string;
    readonly records: number;
    readonly at: number;
  }[];
  readonly massChanges: readonly MassChange[];
  /** Slices of which a look was compared. */
  readonly looked: ReadonlySet<string>;
  readonly window: readonly string[];
  readonly now: number;
}

type LossState = Pick<FeedState, 'massChange' | 'lossesTold'>;

/** What is held stays noted until a look shows it again, or shows that it is over. */
export function updateLosses(
  previous: Pick<FeedState, 'massChange' | 'lossesTold'>,
  { told, massChanges, looked, window, now }: LossReport,
): { readonly state: LossState; readonly operations: readonly Operation[] } {
  const watched = new Set(window);
  const sliceOf = (key: string) => key.slice(0, key.indexOf(' '));
  const kept = Object.entries(previous.massChange ?? {}).filter(
    ([key]) => watched.has(sliceOf(key)) && !looked.has(sliceOf(key)),
  );
  const held = massChanges.filter(({ isConfirmed }) => !isConfirmed);
  const recent = Object.entries(previous.lossesTold ?? {}).filter(([, { at }]) => now - at <= SAME_LOOK_MS);
  const lossesTold = Object.fromEntries(recent);
  for (const { slice, field, records, at } of told) {
    const before = lossesTold[toLossKey(slice, field)]?.records ?? 0;
    lossesTold[toLossKey(slice, field)] = { at, records: before + records };
  }
  const news = held.map(({ slice, field, since, records }) => [
    toLossKey(slice, field),
    { field, since, records },
  ]);
  const entries = [...kept, ...news];
  return {
    state: {
      ...(entries.length === 0 ? {} : { massChange: Object.fromEntries(entries) }),
      ...(Object.keys(lossesTold).length === 0 ? {} : { lossesTold }),
    },
    operations: massChanges.filter(({ isConfirmed }) => isConfirmed).map(describeMassChange),
  };
}

function describeMassChange({ slice, field, records, known, since, at }: MassChange): Operation {
  const data = { slice, field, direction: 'lost', records, known };
  return {
    type: 'slice.mass_change',
    subject: slice,
    data: { ...data, firstSeenAt: toIso(since), confirmedAt: toIso(at) },
  };
}
