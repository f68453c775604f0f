import * as z from 'zod';
import { toIso } from '../dates.ts';
import { feedDefinition, toState } from '../records/feed-definition.ts';
import type { LeafRow } from '../snapshot/snapshot.ts';

/** Leftovers that are named one by one; beyond that their number must do. */
const MAX_LEFTOVERS = 50;
/** Other periods that are named. */
const MAX_SHARING_PERIODS = 20;

/** A timesheet that was not approved or not processed when its period closed, and the last event we told of it. */
const leftoverSchema = z.strictObject({
  timesheetId: z.string(),
  /** Absent for a timesheet that was known before there were epochs. */
  epoch: z.iso.datetime().optional(),
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
  /**
   * Dates of the period that were never seen whole, or that changed as often as they were counted, as the first and the
   * last of them; null when there are none.
   */
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
  sharesDatesWith: z.array(z.string()).max(MAX_SHARING_PERIODS),
  /** The first of those that were not approved or not processed, in order of their ids. */
  leftovers: z.array(leftoverSchema).max(MAX_LEFTOVERS),
});
export type CloseManifest = z.output<typeof closeManifestSchema>;

type Leftover = CloseManifest['leftovers'][number];

const TIMESHEETS = feedDefinition('timesheets');
/** Hours are sums of decimals: rounded to what people enter at the finest, far below a minute. */
const HOURS_PRECISION = 10_000;

/** What a timesheet adds to the numbers. */
interface Counted extends Leftover {
  readonly employeeId: string | null;
  readonly hoursToPay: number;
}

interface CountedDate {
  readonly timesheets: readonly Counted[];
  readonly lookedAt: number;
}

/** Counts the timesheets on the dates of a period. A date that is counted again is counted as it is then. */
export class CloseCount {
  readonly #missing = new Set<string>();
  readonly #dates = new Map<string, CountedDate>();

  /** A date that was never seen whole, or that did not hold still. */
  miss(date: string): void {
    this.#dates.delete(date);
    this.#missing.add(date);
  }

  /** A date as last committed. `lookedAt`: start of the last look at all of it. */
  add(date: string, rows: readonly LeafRow[], lookedAt: number): void {
    this.#dates.set(date, { timesheets: rows.map(countTimesheet), lookedAt });
  }

  /** `sharing`: ids of other periods that cover some of the dates. */
  manifest(sharing: readonly string[]): CloseManifest {
    const all = this.#timesheets();
    const approved = all.filter((each) => each.approved).length;
    const processed = all.filter((each) => each.processed).length;
    const hours = all.reduce((sum, { hoursToPay }) => sum + hoursToPay, 0);
    const missing = [...this.#missing].sort();
    const [from] = missing;
    const to = missing.at(-1);
    return {
      complete: from === undefined,
      missing: from === undefined || to === undefined ? null : { from, to },
      asOf: this.#oldestLook(),
      timesheets: all.length,
      employees: new Set(all.flatMap(({ employeeId }) => employeeId ?? [])).size,
      approved,
      unapproved: all.length - approved,
      processed,
      unprocessed: all.length - processed,
      hoursToPay: Math.round(hours * HOURS_PRECISION) / HOURS_PRECISION,
      sharesDatesWith: sharing.slice(0, MAX_SHARING_PERIODS),
      leftovers: selectLeftovers(all),
    };
  }

  /** Each timesheet once, in the order of the dates. */
  #timesheets(): Counted[] {
    const dates = [...this.#dates].sort(([a], [b]) => (a < b ? -1 : 1));
    const once = new Map<string, Counted>();
    for (const [, { timesheets }] of dates) {
      for (const each of timesheets) if (!once.has(each.timesheetId)) once.set(each.timesheetId, each);
    }
    return [...once.values()];
  }

  #oldestLook(): string | null {
    let oldest: number | null = null;
    for (const { lookedAt } of this.#dates.values()) oldest = Math.min(lookedAt, oldest ?? lookedAt);
    return oldest === null ? null : toIso(oldest);
  }
}

function countTimesheet({ id, state: row, sequence, epoch }: LeafRow): Counted {
  const { employeeId, hoursToPay, approvedHours, processed } = toState(TIMESHEETS, row);
  return {
    timesheetId: id,
    ...(epoch === undefined ? {} : { epoch: toIso(epoch) }),
    sequence,
    approved: approvedHours != null,
    processed: processed != null,
    employeeId: typeof employeeId === 'string' ? employeeId : null,
    hoursToPay: typeof hoursToPay === 'number' ? hoursToPay : 0,
  };
}

function selectLeftovers(all: readonly Counted[]): Leftover[] {
  return all
    .filter(({ approved, processed }) => !(approved && processed))
    .sort(compareById)
    .slice(0, MAX_LEFTOVERS)
    .map(({ employeeId: _, hoursToPay: __, ...leftover }) => leftover);
}

function compareById(left: Leftover, right: Leftover): number {
  return left.timesheetId < right.timesheetId ? -1 : 1;
}
