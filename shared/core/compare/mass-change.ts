import { toIso } from '../dates.ts';
import type { FeedDefinition, StateRow } from '../records/feed-definition.ts';
import type { Operation } from '../records/operation.ts';
import type { ConfirmedLoss } from '../snapshot/confirmed-loss.ts';
import type { FeedState } from '../snapshot/feed-state.ts';
import type { SliceHead } from '../snapshot/snapshot.ts';
import type { ClassifiedRecords, KnownRow, SeenRecord } from './classify-records.ts';
import { exceedsShare, type MassDeletionRule } from './mass-deletion-guard.ts';

/** The scan that confirms a mass change begins at least this long after the first. */
const CONFIRMED_AFTER_MS = 60_000;
/** Scans this close together count as one: a change between two of their pages shows in both. */
const SAME_SCAN_MS = 60_000;
/** Longer than any poll runs: one that confirmed a mass change and has not reported it by then was ended. */
const REPORTED_WITHIN_MS = 900_000;

/** Number of records that lost a fact, by slice and field. */
export type Losses = ReadonlyMap<string, ReadonlyMap<string, number>>;

interface LostFact extends ConfirmedLoss {
  readonly slice: string;
}

/** A fact that most records of a slice lost at once. `at`: start of this scan. */
export interface MassChange extends LostFact {
  /** This scan has shown it again, so its events are published. */
  readonly isConfirmed: boolean;
}

/** Fields of the markers that were set and are null now. */
function findLostFacts(definition: FeedDefinition, before: StateRow, after: StateRow): readonly string[] {
  return definition.markers
    .filter(({ derived }) => derived !== true)
    .map(({ field }) => field)
    .filter((field) => {
      const index = definition.fields.findIndex(({ name }) => name === field);
      return before[index] != null && after[index] === null;
    });
}

/** Counts lost facts while leaves are read. */
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
  /** Start of the scan. */
  readonly at: number;
}

/** The losses of a scan that are too many at once, and have to be confirmed by a second scan (rule 6). */
export function guardLosses(losses: Losses, input: LossGuardInput): readonly MassChange[] {
  return [...losses].flatMap(([slice, fields]) =>
    [...fields].flatMap(([field, records]) => detectMassChange({ slice, field, records }, input) ?? []),
  );
}

interface Loss {
  readonly slice: string;
  readonly field: string;
  readonly records: number;
}

function detectMassChange({ slice, field, records }: Loss, input: LossGuardInput): MassChange | null {
  const { heads, vanishing, state, at } = input;
  const known = heads.get(slice)?.recordCount ?? 0;
  const held = state.massChange?.[toLossKey(slice, field)];
  // What a poll that was ended left of a confirmed loss.
  if (held !== undefined && findConfirmed(heads.get(slice), held) !== undefined) return null;
  const published = state.lossesTold?.[toLossKey(slice, field)];
  const justPublished = published !== undefined && isSameScan(published.at, at) ? published.records : 0;
  const isMassive = exceedsShare(records + justPublished, known, vanishing);
  if (held === undefined && !isMassive) return null;
  // An instant ahead of this scan came from a wrong clock.
  const since = Math.min(held?.since ?? at, at);
  const isConfirmed = held !== undefined && at - since >= CONFIRMED_AFTER_MS;
  return { slice, field, records, known, since, at, isConfirmed };
}

/** The loss that was held since then, if a poll confirmed and committed it. */
function findConfirmed(
  head: SliceHead | undefined,
  held: { readonly field: string; readonly since: number },
): ConfirmedLoss | undefined {
  return head?.confirmedLosses?.find(({ field, since }) => field === held.field && since === held.since);
}

/** An instant far ahead came from a wrong clock: it is no scan of this minute either. */
function isSameScan(one: number, other: number): boolean {
  return Math.abs(other - one) <= SAME_SCAN_MS;
}

/** Key of a loss in the feed's state: names of slices hold no space. */
function toLossKey(slice: string, field: string): string {
  return `${slice} ${field}`;
}

/** Takes out the records whose loss is held: they keep their known state. */
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
  return { ...classified, seen, undecided: [...classified.undecided, ...rows] };
}

export interface WithholdInput {
  /** The row of a record in the slice on which it was seen. */
  readonly known: (record: SeenRecord) => KnownRow | undefined;
  readonly held: readonly MassChange[];
  readonly definition: FeedDefinition;
}

/** Lost facts in the scans of one poll. */
export interface LossReport {
  /** Every published loss, by slice and field. `at`: start of the scan that saw it. */
  readonly publishedLosses: readonly {
    readonly slice: string;
    readonly field: string;
    readonly records: number;
    readonly at: number;
  }[];
  readonly massChanges: readonly MassChange[];
  /** Slices of which all that a scan found was committed; the scan may have been incomplete. */
  readonly committed: ReadonlySet<string>;
  readonly window: readonly string[];
  readonly heads: ReadonlyMap<string, SliceHead>;
  readonly now: number;
}

type LossState = Pick<FeedState, 'massChange' | 'lossesTold'>;
type HeldLoss = NonNullable<FeedState['massChange']>[string];

/**
 * A held loss stays in the state until another scan of its slice confirms it, or no longer shows it. When the poll that
 * committed its events ended before it could say so, a later one does.
 */
export function updateLosses(
  previous: LossState,
  report: LossReport,
): { readonly state: LossState; readonly operations: readonly Operation[] } {
  const { massChanges } = report;
  const confirmed = massChanges.filter(({ isConfirmed }) => isConfirmed);
  const held = massChanges.filter(({ isConfirmed }) => !isConfirmed);
  const { kept, unreported } = sortHeldLosses(previous, report);
  const news = held.map(({ slice, field, since, records }): [string, HeldLoss] => [
    toLossKey(slice, field),
    { field, since, records },
  ]);
  const entries = [...kept, ...news];
  const lossesTold = addPublishedLosses(previous, report);
  return {
    state: {
      ...(entries.length === 0 ? {} : { massChange: Object.fromEntries(entries) }),
      ...(Object.keys(lossesTold).length === 0 ? {} : { lossesTold }),
    },
    operations: [...confirmed, ...unreported].map(describeMassChange),
  };
}

/** Of the losses held so far: those still to be confirmed or reported, and those to report in place of an ended poll. */
function sortHeldLosses(
  { massChange = {} }: LossState,
  { massChanges, committed, window, heads, now }: LossReport,
): { readonly kept: readonly [string, HeldLoss][]; readonly unreported: readonly LostFact[] } {
  const reported = massChanges.filter(({ isConfirmed }) => isConfirmed);
  const done = new Set(reported.map(({ slice, field }) => toLossKey(slice, field)));
  const watched = new Set(window);
  const open = Object.entries(massChange).flatMap(([key, held]) => {
    const slice = key.slice(0, key.indexOf(' '));
    if (done.has(key) || !watched.has(slice)) return [];
    return [{ key, held, slice, loss: findConfirmed(heads.get(slice), held) }];
  });
  const isWaiting = ({ slice, loss }: (typeof open)[number]) =>
    loss === undefined ? !committed.has(slice) : now - loss.at < REPORTED_WITHIN_MS;
  return {
    kept: open.filter(isWaiting).map(({ key, held }) => [key, held]),
    unreported: open
      .filter((each) => !isWaiting(each))
      .flatMap(({ slice, loss }) => (loss === undefined ? [] : [{ slice, ...loss }])),
  };
}

/** The lost facts that were published within the last minute. */
function addPublishedLosses(
  { lossesTold = {} }: LossState,
  { publishedLosses, now }: LossReport,
): NonNullable<LossState['lossesTold']> {
  const recent = Object.entries(lossesTold).filter(([, { at }]) => isSameScan(at, now));
  const told = Object.fromEntries(recent);
  for (const { slice, field, records, at } of publishedLosses) {
    const before = told[toLossKey(slice, field)]?.records ?? 0;
    told[toLossKey(slice, field)] = { at, records: before + records };
  }
  return told;
}

function describeMassChange({ slice, field, records, known, since, at }: LostFact): Operation {
  const data = { slice, field, direction: 'lost', records, known };
  return {
    type: 'slice.mass_change',
    subject: slice,
    data: { ...data, firstSeenAt: toIso(since), confirmedAt: toIso(at) },
  };
}
