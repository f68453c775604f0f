import * as z from 'zod';
import { isoOf } from './dates.ts';
import { feedDefinition, stateOf } from './records/feed-definition.ts';
import type { LeafRow } from './snapshot.ts';

/** Leftovers that are named one by one; beyond that their number must do. */
const MOST_LEFTOVERS = 50;
/** Other periods that are named. */
const MOST_SHARING = 20;

/** A timesheet that was not approved or not processed when its period closed, and the last event we told of it. */
const leftoverSchema = z.strictObject({
  timesheetId: z.string(),
  sequence: z.int(),
  approved: z.boolean(),
  processed: z.boolean(),
});

/**
 * What stood on the dates of a pay period when it closed, counted from our own snapshot. All timesheets on those dates
 * count, whatever their calendar: the source does not say which calendar a timesheet belongs to.
 */
export const closeManifestSchema = z.strictObject({
  /** Every date of the period has been seen whole. When not, the numbers are of the dates that have been. */
  complete: z.boolean(),
  /** Dates of the period that were never seen whole, as the first and the last of them; null when there are none. */
  missing: z.strictObject({ from: z.string(), to: z.string() }).nullable(),
  /** The oldest look among those that the numbers come from; null when there was none. */
  asOf: z.iso.datetime().nullable(),
  timesheets: z.int(),
  employees: z.int(),
  approved: z.int(),
  unapproved: z.int(),
  processed: z.int(),
  unprocessed: z.int(),
  hoursToPay: z.number(),
  /** Other pay periods that share dates with this one: their timesheets are counted too. */
  sharesDatesWith: z.array(z.string()).max(MOST_SHARING),
  /** The first of those that were not approved or not processed, in order of their ids. */
  leftovers: z.array(leftoverSchema).max(MOST_LEFTOVERS),
});
export type CloseManifest = z.output<typeof closeManifestSchema>;

type Leftover = CloseManifest['leftovers'][number];

const TIMESHEETS = feedDefinition('timesheets');
/** Hours are sums of decimals: rounded to what people enter at the finest, far below a minute. */
const HOURS_PRECISION = 10_000;

/** Counts the timesheets on the dates of a period, one date after the other. */
export class CloseCount {
  readonly #missing: string[] = [];
  readonly #timesheets = new Set<string>();
  readonly #employees = new Set<string>();
  #leftovers: Leftover[] = [];
  #oldestLook: number | null = null;
  #approved = 0;
  #processed = 0;
  #hours = 0;

  /** A date that was never seen whole. */
  miss(date: string): void {
    this.#missing.push(date);
  }

  /** A date as last committed. `lookedAt`: start of the last look at all of it. */
  add(rows: Iterable<LeafRow>, lookedAt: number): void {
    this.#oldestLook = Math.min(lookedAt, this.#oldestLook ?? lookedAt);
    for (const row of rows) this.#count(row);
    this.#leftovers = this.#leftovers.sort(byId).slice(0, MOST_LEFTOVERS);
  }

  /** `sharing`: ids of other periods that cover some of the dates. */
  manifest(sharing: readonly string[]): CloseManifest {
    const timesheets = this.#timesheets.size;
    const [from] = this.#missing;
    const to = this.#missing.at(-1);
    return {
      complete: from === undefined,
      missing: from === undefined || to === undefined ? null : { from, to },
      asOf: this.#oldestLook === null ? null : isoOf(this.#oldestLook),
      timesheets,
      employees: this.#employees.size,
      approved: this.#approved,
      unapproved: timesheets - this.#approved,
      processed: this.#processed,
      unprocessed: timesheets - this.#processed,
      hoursToPay: Math.round(this.#hours * HOURS_PRECISION) / HOURS_PRECISION,
      sharesDatesWith: sharing.slice(0, MOST_SHARING),
      leftovers: this.#leftovers,
    };
  }

  /** A timesheet that moved between two dates while they were read counts once. */
  #count({ id, state: row, sequence }: LeafRow): void {
    if (this.#timesheets.has(id)) return;
    this.#timesheets.add(id);
    const state = stateOf(TIMESHEETS, row);
    const approved = state.approvedHours != null;
    const processed = state.processed != null;
    if (typeof state.employeeId === 'string') this.#employees.add(state.employeeId);
    if (typeof state.hoursToPay === 'number') this.#hours += state.hoursToPay;
    if (approved) this.#approved += 1;
    if (processed) this.#processed += 1;
    if (!(approved && processed)) this.#leftovers.push({ timesheetId: id, sequence, approved, processed });
  }
}

function byId(left: Leftover, right: Leftover): number {
  return left.timesheetId < right.timesheetId ? -1 : 1;
}
