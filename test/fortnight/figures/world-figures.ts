import type { Company } from '#local/source/company/company.ts';
import type { PayPeriod, Timesheet } from '#local/source/schemas.ts';
import type { WorldRecord } from '../world-record.ts';
import { LocalMoments, writeDate, writeDates } from './local-moments.ts';
import type { Outage } from './outage-claims.ts';

const MAX_INSTANTS = 60;

/** Timesheets in figures. */
export interface Sums {
  readonly timesheets: number;
  readonly employees: number;
  readonly hours: number;
}

export function sumUp(timesheets: readonly Timesheet[]): Sums {
  return {
    timesheets: timesheets.length,
    employees: new Set(timesheets.map(({ employeeId }) => employeeId)).size,
    hours: Math.round(timesheets.reduce((sum, { hoursToPay }) => sum + hoursToPay, 0) * 10_000) / 10_000,
  };
}

export const isUnapproved = ({ approvedHours }: Timesheet): boolean => approvedHours === null;
export const isUnprocessed = ({ processed }: Timesheet): boolean => processed === null;
/** Approved, and not yet for payroll. */
export const awaitsPayroll = ({ approvedHours, approvedPayroll }: Timesheet): boolean =>
  approvedHours !== null && approvedPayroll === null;

/** The company as it was at an instant, from its own records alone. */
export class WorldFigures {
  readonly moments: LocalMoments;
  readonly record: WorldRecord;
  readonly outage: Outage;
  readonly #names: ReadonlyMap<string, string>;
  readonly #calendars = new Map<string, string | undefined>();
  /** What was read of one instant: sentences about it follow each other. */
  readonly #timesheets = new Map<number, readonly Timesheet[]>();

  constructor(company: Pick<Company, 'settings' | 'staff'>, record: WorldRecord, outage: Outage) {
    this.outage = outage;
    this.moments = new LocalMoments(company.settings.timeZone);
    this.record = record;
    this.#names = new Map(
      company.staff.map(({ employee: { id, firstNames, lastName } }) => [id, `${firstNames} ${lastName}`]),
    );
  }

  /** Called by its name: `Weekly 26 Oct - 1 Nov`. */
  findPeriod(name: string, at: number): PayPeriod | undefined {
    return this.record
      .periodsAt(at)
      .find(
        ({ calendar, startDate, finishDate }) => `${calendar} ${writeDates(startDate, finishDate)}` === name,
      );
  }

  membersOf({ calendar, startDate, finishDate }: PayPeriod, at: number): Timesheet[] {
    return this.#timesheetsAt(at).filter(
      ({ date, employeeId }) =>
        startDate <= date && date <= finishDate && this.#calendarOf(employeeId) === calendar,
    );
  }

  /** Ids of the timesheets that an employee ever had on a date such as `Tue 3 Nov`. */
  findTimesheetsEver({ name, date }: { readonly name: string; readonly date: string }): string[] {
    return this.record
      .listTimesheetIds()
      .filter((id) =>
        this.record
          .statesOf(id)
          .some(
            ({ value }) => value !== null && this.nameOf(value) === name && writeDate(value.date) === date,
          ),
      );
  }

  nameOf({ employeeId }: Timesheet): string {
    return this.#names.get(employeeId) ?? '';
  }

  #timesheetsAt(at: number): readonly Timesheet[] {
    const known = this.#timesheets.get(at);
    if (known !== undefined) return known;
    if (this.#timesheets.size >= MAX_INSTANTS) this.#timesheets.clear();
    const read = this.record.timesheetsAt(at);
    this.#timesheets.set(at, read);
    return read;
  }

  #calendarOf(employeeId: string): string | undefined {
    if (!this.#calendars.has(employeeId)) this.#calendars.set(employeeId, this.record.calendarOf(employeeId));
    return this.#calendars.get(employeeId);
  }
}

export function departmentOf({ department }: Timesheet): string {
  return department?.name ?? 'No department';
}
