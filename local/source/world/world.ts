import type { FeedName } from '#shared/core/feeds.ts';
import { type RawRecord, Records } from './records.ts';

/** What records of each feed are. */
type Rows = Readonly<Record<FeedName, RawRecord>>;

/** A timesheet and a pay period at an instant (ms since 1970). */
export interface Membership<Sheet, Period> {
  readonly sheet: Sheet;
  readonly period: Period;
  readonly at: number;
}

/** What a pay period comes to, as the source sends it. */
export interface Totals {
  readonly hours: number;
  readonly numberEmployees: number;
  readonly numberTimesheets: number;
}

type Belongs<R extends Rows> = (question: Membership<R['timesheets'], R['pay-periods']>) => boolean;

/**
 * The records of a source, with every version that they had. Whoever drives it adds versions, and says which timesheets
 * belong to which pay period. Without an instant, answers are of the latest versions.
 */
export class World<R extends Rows = Rows> {
  readonly records: { readonly [Feed in FeedName]: Records<R[Feed]> } = {
    timesheets: new Records('timesheets'),
    'pay-periods': new Records('pay-periods'),
    employees: new Records('employees'),
    departments: new Records('departments'),
  };
  readonly #belongs: Belongs<R>;

  /** `belongs` is asked about timesheets on the dates of the period. */
  constructor(belongs: Belongs<R>) {
    this.#belongs = belongs;
  }

  /** The timesheets of a pay period at an instant: by date, and on a date the newest first. */
  members(payPeriodId: string, at = Number.POSITIVE_INFINITY): R['timesheets'][] {
    const period = this.records['pay-periods'].get(payPeriodId)?.at(at) ?? null;
    if (period === null) return [];
    const dates = { from: String(period.startDate), to: String(period.finishDate) };
    return this.records.timesheets.between(dates, at).filter((sheet) => this.#belongs({ sheet, period, at }));
  }

  /** What a pay period comes to at an instant. */
  totals(payPeriodId: string, at = Number.POSITIVE_INFINITY): Totals {
    const sheets = this.members(payPeriodId, at);
    return {
      hours: sheets.reduce((cents, { hoursToPay }) => cents + Math.round(Number(hoursToPay) * 100), 0) / 100,
      numberEmployees: new Set(sheets.map(({ employeeId }) => employeeId)).size,
      numberTimesheets: sheets.length,
    };
  }
}
