import { toIso } from '../dates.ts';
import { isComplete, type Scan } from '../fetch/scan.ts';
import type { FeedDefinition } from '../records/feed-definition.ts';
import type { Operation } from '../records/operation.ts';
import { type ConfirmedLoss, type RecentLoss, toLossKey, toSlice } from '../snapshot/confirmed-loss.ts';
import type { FeedState } from '../snapshot/feed-state.ts';
import type { SliceHead } from '../snapshot/snapshot.ts';
import type { RemovalCheck } from './change.ts';
import type { ClassifiedRecords, KnownRow, SeenRecord } from './classify-records.ts';
import { findLostFacts, type Losses, type LossPlaces } from './loss-count.ts';
import { exceedsShare, type MassDeletionRule } from './mass-deletion-guard.ts';
import type { Absent } from './unlisted.ts';

/** The scan that confirms a mass change begins at least this long after the first. */
const CONFIRMED_AFTER_MS = 60_000;
/** Scans this close together count as one: a change between two of their pages shows in both. */
const SAME_SCAN_MS = 60_000;

export type HeldLoss = FeedState['massChange'][string];

/** A fact that most records of a slice lost at once. `at`: start of this scan. */
export interface MassChange {
  readonly slice: string;
  readonly field: string;
  /** Records that lost it, in this scan and in those that count as one with the first that showed it. */
  readonly records: number;
  /** Of these, the losses that were published before any was held. */
  readonly published: number;
  /** Records of the slice. */
  readonly known: number;
  /** Other slices on which records that lost it stand by now. */
  readonly movedTo: readonly string[];
  readonly since: number;
  readonly at: number;
  /** This scan has shown it again, so its events are published. */
  readonly isConfirmed: boolean;
}

export interface LossGuardInput {
  readonly heads: ReadonlyMap<string, SliceHead>;
  readonly vanishing: MassDeletionRule;
  readonly held: FeedState['massChange'];
  readonly places: LossPlaces;
  /** Known records of a slice of which this scan does not say what became of them. */
  readonly countUnseen: (slice: string, lost: number) => number;
  readonly slices: ReadonlySet<string>;
  /** Start of the scan. */
  readonly at: number;
}

/**
 * The losses of a scan that are too many at once, and have to be confirmed by a second scan (rule 6), and those held
 * before that this scan cannot decide.
 */
export function guardLosses(losses: Losses, input: LossGuardInput): readonly MassChange[] {
  const found = [...losses].flatMap(([slice, fields]) =>
    [...fields].map(([field, records]) => ({ slice, field, records })),
  );
  const open = Object.entries(input.held)
    .map(([key, { field }]) => ({ slice: toSlice(key), field, records: 0 }))
    .filter(({ slice }) => input.slices.has(slice));
  const all = new Map([...open, ...found].map((loss) => [toLossKey(loss.slice, loss.field), loss]));
  return [...all.values()].flatMap((loss) => guardLoss(loss, input) ?? []);
}

interface Loss {
  readonly slice: string;
  readonly field: string;
  readonly records: number;
}

function guardLoss({ slice, field, records: lost }: Loss, input: LossGuardInput): MassChange | null {
  const { heads, vanishing, places, at } = input;
  const head = heads.get(slice);
  const known = head?.recordCount ?? 0;
  const stored = input.held[toLossKey(slice, field)];
  const confirmed = stored === undefined ? undefined : findConfirmed(head, stored);
  // The rest of a confirmed loss, of which a poll that was ended committed a part.
  if (confirmed !== undefined && lost <= countUnpublished(confirmed)) return null;
  const held = confirmed === undefined ? stored : undefined;
  const published = held === undefined ? countRecent(head, field, at) : held.published;
  const records = lost + published;
  // An instant ahead of this scan came from a wrong clock.
  const since = Math.min(held?.since ?? at, at);
  // A record whose loss was published may have left the slice since.
  const movedTo = [...new Set([...(held?.movedTo ?? []), ...(places.get(slice) ?? [])])].sort();
  const change = { slice, field, records, published, known: Math.max(known, records), movedTo, since, at };
  const isTooMuch = (count: number) => count > 0 && exceedsShare(count + published, known, vanishing);
  if (isTooMuch(lost)) return { ...change, isConfirmed: at - since >= CONFIRMED_AFTER_MS };
  const unseen = input.countUnseen(slice, lost);
  const isOpen = isTooMuch(lost + unseen);
  // A scan that saw nothing of the slice, as in an outage, says nothing of the loss, however late it comes.
  const sawNothing = lost === 0 && unseen >= known;
  const isOverdue = !sawNothing && at - since >= vanishing.minutes * 60_000;
  return held !== undefined && isOpen && !isOverdue ? { ...change, isConfirmed: false } : null;
}

/** A scan, with what is known of the records that it does not show. */
export interface UnseenRecords {
  readonly scan: Scan;
  readonly heads: ReadonlyMap<string, SliceHead>;
  readonly absent: readonly Absent[];
  /** What became of the absent records that were looked up. */
  readonly answers: ReadonlyMap<string, RemovalCheck>;
  /** Known rows by slice whose record is bad. */
  readonly undecided: ReadonlyMap<string, number>;
}

/** Known records of a slice of which a scan does not say what became of them. */
export function countUnseen(
  { slice, lost }: Pick<Loss, 'slice'> & { readonly lost: number },
  { scan, heads, absent, answers, undecided }: UnseenRecords,
): number {
  const known = heads.get(slice)?.recordCount ?? 0;
  if (!scan.slices.has(slice)) return Math.max(0, known - lost);
  const bad = undecided.get(slice) ?? 0;
  if (isComplete(scan)) {
    const isOpen = (id: string) => (answers.get(id)?.outcome ?? 'unknown') === 'unknown';
    return bad + absent.filter((each) => each.slice === slice && isOpen(each.row.id)).length;
  }
  const seen = [...scan.records.values()].filter((record) => record.slice === slice).length;
  return Math.max(0, known + bad - seen);
}

/** Losses of the field that were believed within a minute of a scan. */
function countRecent(head: SliceHead | undefined, field: string, at: number): number {
  const recent = head?.recentLosses?.filter((loss) => loss.field === field && isSameScan(loss, at)) ?? [];
  return recent.reduce((sum, { records }) => sum + records, 0);
}

/** Whether a scan counts as one with another. An instant far ahead came from a wrong clock: it does not either. */
export function isSameScan({ at }: Pick<RecentLoss, 'at'>, other: number): boolean {
  return Math.abs(other - at) <= SAME_SCAN_MS;
}

/** The loss that was held since then, if a poll confirmed it and committed some of it. */
export function findConfirmed(
  head: SliceHead | undefined,
  held: Pick<HeldLoss, 'field' | 'since'>,
): ConfirmedLoss | undefined {
  return head?.confirmedLosses?.find(({ field, since }) => field === held.field && since === held.since);
}

export function countUnpublished({ records, published }: ConfirmedLoss): number {
  return records - published;
}

export interface WithholdInput {
  /** The row that a record had before it was seen. */
  readonly known: (record: SeenRecord) => KnownRow | undefined;
  readonly answers: ReadonlyMap<string, RemovalCheck>;
  readonly held: readonly MassChange[];
  readonly definition: FeedDefinition;
}

/** Takes out the records whose loss is held, also those found by id: they keep their known state. */
export function withholdLosses(
  classified: ClassifiedRecords,
  { known, answers, held, definition }: WithholdInput,
): ClassifiedRecords {
  const heldOn = Map.groupBy(held, ({ slice }) => slice);
  if (heldOn.size === 0) return classified;
  const isHeld = ({ slice, row }: KnownRow, after: SeenRecord) => {
    if (row.untold === true) return false;
    const lost = findLostFacts(definition, row.state, after.row);
    return heldOn.get(slice)?.some(({ field }) => lost.includes(field)) === true;
  };
  const rows: KnownRow[] = [];
  const seen = classified.seen.filter((record) => {
    const row = known(record);
    if (row === undefined || !isHeld(row, record)) return true;
    rows.push(row);
    return false;
  });
  const absent = classified.absent.filter((row) => {
    const answer = answers.get(row.row.id);
    if (answer?.outcome !== 'found' || !isHeld(row, answer.record)) return true;
    rows.push(row);
    return false;
  });
  return { ...classified, seen, absent, undecided: [...classified.undecided, ...rows] };
}

/** Longer than any poll runs: one that confirmed a mass change and has not reported it by then was ended. */
const REPORTED_WITHIN_MS = 900_000;
/** A loss on a slice that is not scanned may still show on other ones, each of which is scanned daily. */
const HELD_UNSCANNED_MS = 86_400_000;

interface LostFact extends ConfirmedLoss {
  readonly slice: string;
}

/** Lost facts in the scans of one poll. */
export interface LossReport {
  /** In the order in which they were found. */
  readonly massChanges: readonly MassChange[];
  /** Slices of which all that a scan found was committed; the scan may have been incomplete. */
  readonly committed: ReadonlySet<string>;
  readonly window: readonly string[];
  readonly heads: ReadonlyMap<string, SliceHead>;
  /** When the poll began, and now, in milliseconds since 1970. */
  readonly startedAt: number;
  readonly now: number;
}

type LossState = Pick<FeedState, 'massChange'>;

/**
 * A held loss stays in the state until another scan of its slice confirms it, or shows that it is none. When the poll
 * that committed its events ended before it could say so, a later one does.
 */
export function updateLosses(
  previous: LossState,
  report: LossReport,
): { readonly state: LossState; readonly operations: readonly Operation[] } {
  const confirmed = report.massChanges.filter(({ isConfirmed }) => isConfirmed);
  const news = collectHeld(previous, report);
  const { kept, unreported } = sortHeldLosses(previous, report, news);
  const entries = [...kept, ...news];
  return {
    state: { massChange: Object.fromEntries(entries) },
    operations: [...confirmed, ...unreported].map(describeMassChange),
  };
}

/**
 * What is held at the end of a poll, which may scan a slice several times. What was held before it began and is held no
 * more was confirmed or refuted by another poll meanwhile.
 */
function collectHeld(
  { massChange }: LossState,
  { massChanges, startedAt }: LossReport,
): ReadonlyMap<string, HeldLoss> {
  const held = new Map<string, HeldLoss>();
  for (const { slice, field, since, records, published, movedTo, isConfirmed } of massChanges) {
    const key = toLossKey(slice, field);
    const before = held.get(key);
    if (isConfirmed) held.delete(key);
    else {
      const first = Math.min(since, before?.since ?? since);
      const places = movedTo.length === 0 ? {} : { movedTo: [...movedTo] };
      held.set(key, { field, since: first, records, published, ...places });
    }
  }
  const isOpen = ([key, { since }]: [string, HeldLoss]) =>
    since >= startedAt || Object.hasOwn(massChange, key);
  return new Map([...held].filter(isOpen));
}

/** Of the losses held so far: those still to be confirmed or reported, and those to report in place of an ended poll. */
function sortHeldLosses(
  { massChange }: LossState,
  report: LossReport,
  news: ReadonlyMap<string, HeldLoss>,
): { readonly kept: readonly [string, HeldLoss][]; readonly unreported: readonly LostFact[] } {
  const { massChanges, heads, now } = report;
  const reported = massChanges.filter(({ isConfirmed }) => isConfirmed);
  const kept: [string, HeldLoss][] = [];
  const unreported: LostFact[] = [];
  for (const [key, held] of Object.entries(massChange)) {
    const slice = toSlice(key);
    const { field, since } = held;
    if (reported.some((each) => each.slice === slice && each.field === field && each.since === since))
      continue;
    const loss = findConfirmed(heads.get(slice), held);
    if (loss === undefined && !isDecided(slice, held, report)) kept.push([key, held]);
    if (loss === undefined) continue;
    if (Math.abs(now - loss.at) >= REPORTED_WITHIN_MS) unreported.push({ slice, ...loss });
    // Another loss of the same fact may be held meanwhile, under the usual key.
    else kept.push([news.has(key) ? `${key} ${since}` : key, held]);
  }
  return { kept, unreported };
}

/** Whether a loss that this poll does not hold any more is over: not by a poll that began before it was held. */
function isDecided(slice: string, { since }: HeldLoss, report: LossReport): boolean {
  const { committed, window, startedAt, now } = report;
  if (since >= startedAt) return false;
  return window.includes(slice) ? committed.has(slice) : Math.abs(now - since) >= HELD_UNSCANNED_MS;
}

function describeMassChange({
  slice,
  field,
  records,
  known,
  since,
  at,
}: Omit<LostFact, 'published'>): Operation {
  const data = { slice, field, direction: 'lost', records, known };
  return {
    type: 'slice.mass_change',
    subject: slice,
    data: { ...data, firstSeenAt: toIso(since), confirmedAt: toIso(at) },
  };
}
