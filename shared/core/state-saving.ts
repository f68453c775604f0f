import type { FeedState } from './snapshot/feed-state.ts';

/** A state in which nothing changed but the times of looks is written again after so long. */
const MAX_UNSAVED_MS = 5 * 60_000;

/** What a poll did, as far as its state must be kept for the next one. */
export interface Ended {
  readonly now: number;
  /** It planned nothing that it did not see, and the source took every request. */
  readonly isUneventful: boolean;
  /** Slices that each poll looks at anyway, whenever they were seen last. */
  readonly lookedAtAlways: ReadonlySet<string>;
}

/**
 * Whether the state after a poll must be written. A poll that found nothing may leave it: to the next one it is as if
 * this one had never been, which every poll stands. `stored` is what was read, before anything was made of it.
 */
export function needsSaving(
  stored: FeedState | null,
  next: FeedState,
  { now, isUneventful, lookedAtAlways }: Ended,
): boolean {
  if (stored?.completedAt == null || !isUneventful) return true;
  const unsavedMs = now - stored.completedAt;
  if (unsavedMs < 0 || unsavedMs >= MAX_UNSAVED_MS) return true;
  const [before, after] = [stored, next].map((state) => JSON.stringify(lasting(state, lookedAtAlways)));
  return before !== after;
}

/** What of a state says more than that a poll was there. Keys in the order of the alphabet: a store gives another. */
function lasting(state: FeedState, lookedAtAlways: ReadonlySet<string>): unknown {
  const { revision: _r, newestEpoch: _n, completedAt: _c, pages: _p, pace: _pace, ...rest } = state;
  const { payPeriodsAt: _at, turn: _turn, coverage, ...kept } = rest;
  const looks = Object.entries(coverage).map(([slice, look]) => [
    slice,
    lookedAtAlways.has(slice) ? { ...look, at: 0 } : look,
  ]);
  return inOrder({ ...kept, coverage: Object.fromEntries(looks) });
}

function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(
    entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, member]) => [name, inOrder(member)]),
  );
}
