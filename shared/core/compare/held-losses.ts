import { toIso } from '../dates.ts';
import type { Operation } from '../records/operation.ts';
import type { ConfirmedLoss } from '../snapshot/confirmed-loss.ts';
import type { FeedState } from '../snapshot/feed-state.ts';
import type { SliceHead } from '../snapshot/snapshot.ts';
import { findConfirmed, type HeldLoss, type MassChange, toLossKey, toSlice } from './mass-change.ts';

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
  for (const { slice, field, since, records, published, isConfirmed } of massChanges) {
    const key = toLossKey(slice, field);
    const before = held.get(key);
    if (isConfirmed) held.delete(key);
    else {
      const first = Math.min(since, before?.since ?? since);
      held.set(key, { field, since: first, records, published });
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
