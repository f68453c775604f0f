import { dropMisdated, isMisdated } from '../clock-tolerance.ts';
import type { FeedState } from './feed-state.ts';

/**
 * Members that may be ahead of now: epochs never go back (rule 16), and of what is ahead on purpose its readers know
 * how far it may be.
 */
const MAY_BE_AHEAD = new Set(['epoch', 'newestEpoch', 'restoredAt', 'nextAt', 'blockedUntil', 'absences']);
/** Members that are left out when they are ahead, and groups whose entries are. An object is, too, by its `at` or `by`. */
const OPTIONAL = new Set(['payPeriodsAt', 'remindedUntil', 'totalsSince', 'tried']);

/**
 * The state without what a clock far ahead of now told. What such an instant says of a look, a try or a pull is
 * unknown; what has lasted since then counts from now. No other number of a state is as large as an instant.
 */
export function forgetMisdated(state: FeedState, now: number): FeedState {
  return forget(state, { now, isOptional: false }) as FeedState;
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
