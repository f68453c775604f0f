import { isComplete, type Scan } from '../fetch/scan.ts';
import type { MassDeletionRule } from '../guards.ts';
import type { FeedDefinition } from '../records/feed-definition.ts';
import type { FeedState } from '../snapshot/feed-state.ts';
import { type RecentLoss, toLossKey, toSlice } from '../snapshot/recent-loss.ts';
import type { SliceHead } from '../snapshot/snapshot.ts';
import type { RemovalCheck } from './change.ts';
import type { ClassifiedRecords, KnownRow, SeenRecord } from './classify-records.ts';
import { findLostFacts, type Losses, type LossPlaces } from './loss-count.ts';
import { exceedsShare } from './mass-deletion-guard.ts';
import type { Absent } from './unlisted.ts';

/** The scan that confirms a mass change begins at least this long after the first. */
const CONFIRMED_AFTER_MS = 60_000;
/** Scans this close together count as one: a change between two of their pages shows in both. */
const SAME_SCAN_MS = 60_000;

export type HeldLoss = FeedState['massChange'][string];

/** A fact that most records of a slice lost at once. */
export interface MassChange {
  readonly slice: string;
  readonly field: string;
  /** Records that lost it, in this scan and in those that count as one with the first that showed it. */
  readonly records: number;
  /** Of these, the losses that were published before any was held. */
  readonly published: number;
  /** Other slices on which records that lost it stand by now. */
  readonly movedTo: readonly string[];
  readonly since: number;
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
  const held = input.held[toLossKey(slice, field)];
  const published = held === undefined ? countRecent(head, field, at) : held.published;
  const records = lost + published;
  // An instant ahead of this scan came from a wrong clock.
  const since = Math.min(held?.since ?? at, at);
  // A record whose loss was published may have left the slice since.
  const movedTo = [...new Set([...(held?.movedTo ?? []), ...(places.get(slice) ?? [])])].sort();
  const change = { slice, field, records, published, movedTo, since };
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

/** A loss on a slice that is not scanned may still show on other ones, each of which is scanned daily. */
const HELD_UNSCANNED_MS = 86_400_000;

/** Lost facts in the scans of one poll. */
export interface LossReport {
  /** In the order in which they were found. */
  readonly massChanges: readonly MassChange[];
  /** Slices of which all that a scan found was committed; the scan may have been incomplete. */
  readonly committed: ReadonlySet<string>;
  readonly window: readonly string[];
  /** When the poll began, and now, in milliseconds since 1970. */
  readonly startedAt: number;
  readonly now: number;
}

type LossState = Pick<FeedState, 'massChange'>;

/** A held loss stays in the state until another scan of its slice confirms it, or shows that it is none. */
export function updateLosses(previous: LossState, report: LossReport): LossState {
  const kept = Object.entries(previous.massChange).filter(([key, held]) => !isOver(key, held, report));
  return { massChange: Object.fromEntries([...kept, ...collectHeld(previous, report)]) };
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

function isOver(key: string, held: HeldLoss, report: LossReport): boolean {
  const slice = toSlice(key);
  const isConfirmed = report.massChanges.some(
    (each) =>
      each.isConfirmed && each.slice === slice && each.field === held.field && each.since === held.since,
  );
  return isConfirmed || isDecided(slice, held, report);
}

/** Whether a loss that this poll does not hold any more is over: not by a poll that began before it was held. */
function isDecided(slice: string, { since }: HeldLoss, report: LossReport): boolean {
  const { committed, window, startedAt, now } = report;
  if (since >= startedAt) return false;
  return window.includes(slice) ? committed.has(slice) : Math.abs(now - since) >= HELD_UNSCANNED_MS;
}
