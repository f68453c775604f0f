import { dropMisdated, isMisdated } from '../clock-tolerance.ts';
import { addDays, type DateRange } from '../dates.ts';
import type { FeedName } from '../feeds.ts';
import { beginEpoch, type EpochRule } from './epochs.ts';
import { EMPTY_FEED_STATE, type FeedState } from './feed-state.ts';

/** The table in which a poll runs. */
export interface CurrentTable {
  /** Identity of the table, which a restore does not keep; null when unknown. */
  readonly tableId: string | null;
  readonly now: number;
}

/**
 * The state of a feed at the start of a poll. A new feed (state `null`) begins its epoch now. If the state was written
 * in another table, this one was restored, and everything in it begins a new epoch (rule 16).
 */
export function recognizeTable(stored: FeedState | null, table: CurrentTable): FeedState {
  const { tableId, now } = table;
  const identity = tableId === null ? {} : { tableId };
  if (stored === null) return { ...EMPTY_FEED_STATE, ...identity, epoch: now };
  const state = forgetMisdated(stored, now);
  const isRestored = tableId !== null && state.tableId !== undefined && state.tableId !== tableId;
  if (!isRestored) return { ...state, ...identity };
  const restoredAt = beginEpoch(now, readEpochRule(state));
  return { ...state, ...identity, ...beginRenewal(restoredAt), epoch: restoredAt, sequence: 0 };
}

/**
 * The first state of a feed in its table, saved before anything else of the feed: so rows without a state come from a
 * backup and begin a new epoch. Revision 0.
 */
export function beginFeedState(
  recognized: FeedState,
  rows: { readonly found: boolean; readonly now: number },
): FeedState {
  return rows.found ? { ...recognized, ...beginRenewal(rows.now) } : recognized;
}

/** What was looked at before a restore does not show what was published since the backup: each slice is looked at again. */
function beginRenewal(restoredAt: number): Pick<FeedState, 'restoredAt' | 'renewal' | 'coverage'> {
  return { restoredAt, renewal: { slices: {} }, coverage: {} };
}

export function readEpochRule({ newestEpoch, restoredAt }: FeedState): EpochRule {
  const notBefore = Math.max(newestEpoch === undefined ? 0 : newestEpoch + 1, restoredAt ?? 0);
  return { notBefore, restoredAt: restoredAt ?? null };
}

/** The state after a poll that ends now: epochs of later polls are later than all of this one. */
export function recordNewestEpoch(
  state: FeedState,
  now: number,
): FeedState & { readonly newestEpoch: number } {
  return { ...state, newestEpoch: beginEpoch(now, readEpochRule(state)) };
}

/**
 * Members that may be ahead of now: epochs never go back (rule 16), and of what is ahead on purpose its readers know
 * how far it may be.
 */
const MAY_BE_AHEAD = new Set(['epoch', 'newestEpoch', 'restoredAt', 'nextAt', 'blockedUntil', 'absences']);
/** Members that are left out when they are ahead, and groups whose entries are. An object is, too, by its `at` or `by`. */
const OPTIONAL = new Set(['payPeriodsAt', 'remindedUntil', 'totalsSince', 'tried']);

/**
 * The state without what a clock far ahead of now wrote. What such an instant says of a look, a try or a pull is
 * unknown; what has lasted since then counts from now. No other number of a state is as large as an instant.
 */
export function forgetMisdated(state: FeedState, now: number): FeedState {
  return holdsMisdated(state, now) ? (forget(state, { now, isOptional: false }) as FeedState) : state;
}

/** Whether any number in it is ahead: rarely, and to build a state anew takes longer than to look through it. */
function holdsMisdated(value: unknown, now: number): boolean {
  if (typeof value === 'number') return isMisdated(value, now);
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some((member) => holdsMisdated(member, now));
}

interface Place {
  readonly now: number;
  readonly isOptional: boolean;
}

/** Undefined for what is left out. */
function forget(value: unknown, { now, isOptional }: Place): unknown {
  if (typeof value === 'number') {
    if (!isMisdated(value, now)) return value;
    return isOptional ? undefined : now;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((each) => forget(each, { now, isOptional }));
  if (['at', 'by'].some((name) => isWrong((value as Members)[name], now))) return undefined;
  const entries = Object.entries(value).map(([name, member]): [string, unknown] => {
    if (MAY_BE_AHEAD.has(name)) return [name, member];
    if (name === 'after') return [name, isWrong(member, now) ? null : member];
    // A record that a scan did not see stays unseen, since an unknown instant.
    if (name === 'unseen') return [name, forgetSightings(member as Sightings, now)];
    return [name, forget(member, { now, isOptional: isOptional || OPTIONAL.has(name) })];
  });
  return Object.fromEntries(entries.filter(([, member]) => member !== undefined));
}

type Members = Readonly<Record<string, unknown>>;

function isWrong(at: unknown, now: number): boolean {
  return typeof at === 'number' && isMisdated(at, now);
}

type Sightings = Readonly<Record<string, number | null>>;

function forgetSightings(seen: Sightings, now: number): Sightings {
  return Object.fromEntries(Object.entries(seen).map(([id, at]) => [id, dropMisdated(at, now)]));
}

/** Days before the window on which a record is still known when it moves into the window (rule 6). */
const LOOKBACK_DAYS = 31;

/** The first slice whose head a poll loads: the lookback before the window, or earlier for unpublished events. */
export function findFirstSliceToLoad(
  feed: FeedName,
  window: DateRange,
  { loadFrom }: Pick<FeedState, 'loadFrom'>,
): string {
  if (feed !== 'timesheets') return '';
  const lookback = addDays(window.from, -LOOKBACK_DAYS);
  return loadFrom !== null && loadFrom < lookback ? loadFrom : lookback;
}
