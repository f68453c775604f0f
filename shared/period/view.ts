import { toIso } from '../core/dates.ts';
import { readPaidUnits, wasGained } from '../core/events/open-matters.ts';
import { toUnits } from '../core/periods/counted-hours.ts';
import { feedDefinition, parseRow, toState } from '../core/records/feed-definition.ts';
import { type Head, nameSlice } from '../core/snapshot/head.ts';
import type { StoredRow } from '../core/snapshot/row.ts';
import type { ConnectionState } from '../core/snapshot/state.ts';

const TIMESHEETS = feedDefinition('timesheets');

/** A timesheet as it is counted. Hours in units of 1/10,000. */
export interface Counted {
  readonly id: string;
  readonly epoch: number;
  readonly sequence: number;
  readonly employeeId: string | null;
  readonly departmentId: string | null;
  readonly date: string;
  readonly units: number;
  /** Clocked in and not out. */
  readonly lacksClockOut: boolean;
  readonly approved: boolean;
  readonly payrollApproved: boolean;
  readonly processed: boolean;
  /** Units with which it was processed, where they changed since. */
  readonly paidUnits: number | null;
  /** A closed period has gained it since it was processed. */
  readonly wasGained: boolean;
  /** It may be there and could not be read: it counts as last seen. */
  readonly isUnseen: boolean;
}

/** Whether it can be paid: what was processed without an approval is paid already. */
export function isReady({ approved, processed }: Pick<Counted, 'approved' | 'processed'>): boolean {
  return approved || processed;
}

/** What is known of a date of a pay period, and what of it is in doubt. */
export interface DateView {
  readonly date: string;
  /** Start of the last complete look, in milliseconds since 1970; null when there was none: nothing of it counts. */
  readonly lookedAt: number | null;
  /** Since when another look has to confirm what one would take away: it counts as before. */
  readonly doubtSince: number | null;
  /** Its last looks were not complete, one after another, or what is new on it waits. */
  readonly isFailing: boolean;
  /** Ids that its list leaves out without proof of their removal. */
  readonly unlisted: readonly string[];
}

/** A look that was not complete is tried again soon; after so many, the date cannot be read. */
const LASTING_ATTEMPTS = 3;

/** What the state of a connection says of its slices. */
export type LookMemory = Pick<ConnectionState, 'lookedAt' | 'failing' | 'baselined'>;

/**
 * A date before its rows are read. That it was read stands in its head, in the transaction that stored its rows: the state
 * may be older. `head`: undefined for one that is not stored.
 */
export function viewDate(date: string, head: Head | undefined, memory: LookMemory): DateView {
  const { lookedAt, failing, baselined } = memory;
  const name = nameSlice({ feed: 'timesheets', slice: date });
  const isFailing = (failing[name]?.attempts ?? 0) >= LASTING_ATTEMPTS;
  if (head?.baselinedAt == null) return { date, lookedAt: null, doubtSince: null, isFailing, unlisted: [] };
  const looked = Math.max(lookedAt[name] ?? 0, head.baselinedAt);
  const { doubt, unlisted } = head;
  // What came to it since waits until all dates are read whole, and another look shows it then.
  const isWaiting = looked > head.baselinedAt && looked < (baselined.timesheets ?? Number.POSITIVE_INFINITY);
  return {
    ...{ date, isFailing: isFailing || isWaiting, lookedAt: looked },
    doubtSince: doubt?.since ?? null,
    unlisted: unlisted === null || unlisted.askedAt >= looked ? [] : unlisted.ids,
  };
}

/** The timesheets of a date; nothing of one that was never read whole, nor of a record that was never readable. */
export function countRows({ date, lookedAt, unlisted }: DateView, rows: readonly StoredRow[]): Counted[] {
  if (lookedAt === null) return [];
  return rows.flatMap((row) => countRow(row, date, unlisted));
}

function countRow(
  { id, text, sequence, epoch, sent, bad }: StoredRow,
  date: string,
  unlisted: readonly string[],
): Counted[] {
  if (text === null) return [];
  const state = toState(TIMESHEETS, parseRow(text));
  const readText = (name: string) => (typeof state[name] === 'string' ? state[name] : null);
  const counted: Counted = {
    ...{ id, epoch, sequence, date },
    employeeId: readText('employeeId'),
    departmentId: readText('departmentId'),
    units: typeof state.hoursToPay === 'number' ? toUnits(state.hoursToPay) : 0,
    lacksClockOut: state.clockIn != null && state.clockOut == null,
    approved: state.approvedHours != null,
    payrollApproved: state.approvedPayroll != null,
    processed: state.processed != null,
    paidUnits: readPaidUnits(sent),
    wasGained: wasGained(sent),
    isUnseen: bad !== undefined || unlisted.includes(id),
  };
  return [counted];
}

/** Start of the oldest look at dates that count; null without one. */
export function findOldestLook(dates: readonly DateView[]): string | null {
  const looks = dates.flatMap(({ lookedAt }) => lookedAt ?? []);
  return looks.length === 0 ? null : toIso(Math.min(...looks));
}
