import { addDays } from '../dates.ts';
import type { FeedName } from '../feeds.ts';
import type { Head, SliceKey } from '../snapshot/head.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

/** Time between two looks at a slice (rule 14). */
export const CADENCE_MS = {
  /** Yesterday to tomorrow, while something happened there in the last minutes. */
  busy: 20 * SECOND_MS,
  /** Yesterday to tomorrow, and the list of pay periods. */
  hot: MINUTE_MS,
  /** Dates of open pay periods. */
  open: 5 * MINUTE_MS,
  directory: 20 * MINUTE_MS,
  /** All other dates. */
  quiet: 30 * MINUTE_MS,
} as const;
export type Cadence = keyof typeof CADENCE_MS;

/** A hot date is busy for so long after its last change. */
const BUSY_MS = 3 * MINUTE_MS;

export interface CadenceContext {
  readonly now: number;
  /** In the connection's zone. */
  readonly today: string;
  /** Of the head of the pay periods. */
  readonly openDates: readonly { readonly from: string; readonly to: string }[];
}

export function isHotDate(date: string, today: string): boolean {
  return addDays(today, -1) <= date && date <= addDays(today, 1);
}

export function findCadence(
  { feed, slice }: SliceKey,
  head: Head | undefined,
  context: CadenceContext,
): Cadence {
  if (feed !== 'timesheets') return cadenceOfList(feed);
  if (isHotDate(slice, context.today)) return isBusy(head, context.now) ? 'busy' : 'hot';
  return context.openDates.some(({ from, to }) => from <= slice && slice <= to) ? 'open' : 'quiet';
}

function cadenceOfList(feed: FeedName): Cadence {
  return feed === 'pay-periods' ? 'hot' : 'directory';
}

function isBusy(head: Head | undefined, now: number): boolean {
  return head?.changedAt != null && now - head.changedAt < BUSY_MS;
}
