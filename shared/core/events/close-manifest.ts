import * as z from 'zod';
import { toIso } from '../dates.ts';
import { feedDefinition, toState } from '../records/feed-definition.ts';
import type { LeafRow } from '../snapshot/snapshot.ts';

/** Leftovers that are listed; beyond that only the counts include them. */
const MAX_LEFTOVERS = 50;
/** Other periods that are listed. */
const MAX_SHARING_PERIODS = 20;

/** A timesheet that was not approved or not processed when its period closed, and its latest event. */
const leftoverSchema = z.strictObject({
  timesheetId: z.string(),
  /** Absent for a timesheet that is older than epochs. */
  epoch: z.iso.datetime().optional(),
  sequence: z.int(),
  approved: z.boolean(),
  processed: z.boolean(),
});

/**
 * The timesheets on the dates of a pay period when it closed, counted from the snapshot. All of them count, whatever
 * their calendar: the source does not say to which calendar a timesheet belongs.
 */
export const closeManifestSchema = z.strictObject({
  /** Whether every date of the period had a complete scan. If not, the numbers are of the dates that had one. */
  complete: z.boolean(),
  /**
   * The first and the last date of the period that never had a complete scan, or that changed during every count; null
   * when there are none.
   */
  missing: z.strictObject({ from: z.string(), to: z.string() }).nullable(),
  /** Start of the oldest scan on which the numbers are based; null when there was none. */
  asOf: z.iso.datetime().nullable(),
  timesheets: z.int(),
  employees: z.int(),
  approved: z.int(),
  unapproved: z.int(),
  processed: z.int(),
  unprocessed: z.int(),
  hoursToPay: z.number(),
  /** Ids of other pay periods that share dates with this one: their timesheets are counted too. */
  sharesDatesWith: z.array(z.string()).max(MAX_SHARING_PERIODS),
  /** Timesheets that were not approved or not processed, the first in the order of their ids. */
  leftovers: z.array(leftoverSchema).max(MAX_LEFTOVERS),
});
export type CloseManifest = z.output<typeof closeManifestSchema>;

type Leftover = CloseManifest['leftovers'][number];

const TIMESHEETS = feedDefinition('timesheets');
/** Sums of decimals are rounded to 1/10,000 hour, finer than anything people enter. */
const HOURS_PRECISION = 10_000;

/** A timesheet as it is counted. */
interface Counted extends Leftover {
  readonly employeeId: string | null;
  readonly hoursToPay: number;
}

interface CountedDate {
  readonly timesheets: readonly Counted[];
  readonly scannedAt: number;
}

/** Counts the timesheets on the dates of a period. Counting a date again replaces its earlier count. */
export class CloseCount {
  readonly #missing = new Set<string>();
  readonly #dates = new Map<string, CountedDate>();

  /** Notes a date that never had a complete scan, or that changed during every count. */
  miss(date: string): void {
    this.#dates.delete(date);
    this.#missing.add(date);
  }

  /** Counts a date as last committed. `scannedAt`: start of its last complete scan. */
  add(date: string, rows: readonly LeafRow[], scannedAt: number): void {
    this.#dates.set(date, { timesheets: rows.map(countTimesheet), scannedAt });
  }

  /** `sharing`: ids of other periods that share dates. */
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
      asOf: this.#findOldestScan(),
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

  #findOldestScan(): string | null {
    let oldest: number | null = null;
    for (const { scannedAt } of this.#dates.values()) oldest = Math.min(scannedAt, oldest ?? scannedAt);
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
