import { isDate } from '../dates.ts';

/** What of the data of an event says when it happened, and between which two looks. Operational events say neither. */
interface Timed {
  readonly occurredAt?: string | null;
  readonly observed?: { readonly after: string | null; readonly by: string };
}

/**
 * Seconds from when the source could first have been seen with a change to `at` (ms since 1970). That begins when the
 * source says that it happened, but not before the last look at the old state: a clocking of 09:00 that is entered at
 * 17:00 is not eight hours late. Null where nobody had looked before.
 */
export function computeDetectionDelay({ observed, occurredAt }: Timed, at: number): number | null {
  if (observed === undefined || observed.after === null) return null;
  const after = Date.parse(observed.after);
  // A date alone is no instant; one after the look that saw the change is of a wrong clock, or entered ahead.
  const occurred = occurredAt == null || isDate(occurredAt) ? Number.NaN : Date.parse(occurredAt);
  const startedAt = occurred > after && occurred <= Date.parse(observed.by) ? occurred : after;
  return Math.max(0, (at - startedAt) / 1_000);
}

/** The value that this share of the values, 0 to 1, does not exceed (nearest rank); null of none. */
export function findPercentile(values: readonly number[], share: number): number | null {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.max(1, Math.ceil(share * sorted.length)) - 1] ?? null;
}
