import type { RawRecord } from '#local/source/world/records.ts';
import type { Membership, World } from '#local/source/world/world.ts';

/** Whose timesheets are of which pay period: the source answers from these books, and the oracles judge by them. */
export class Books {
  readonly hasTwoCalendars: boolean;
  /** Which calendar a period is of: 0 or 1. */
  readonly calendars = new Map<string, number>();
  /** When employees went to the other calendar and back, in order. */
  readonly changes = new Map<string, number[]>();
  /** Where timesheets closed: they stay there when their employee changes calendar. */
  readonly places = new Map<string, { readonly at: number; readonly periodId: string }[]>();

  constructor(hasTwoCalendars: boolean) {
    this.hasTwoCalendars = hasTwoCalendars;
  }

  /** Of a timesheet on the dates of a period: whether it is where it closed, or else in the calendar of its employee. */
  belongs(question: Membership<RawRecord, RawRecord>, { records }: World): boolean {
    if (!this.hasTwoCalendars) return true;
    const { sheet, period, at } = question;
    const closed = (this.places.get(String(sheet.id)) ?? []).findLast((each) => each.at <= at);
    const place = closed === undefined ? null : records['pay-periods'].get(closed.periodId)?.at(at);
    if (place != null && isOnDates(sheet, place)) return place.id === period.id;
    if (this.#calendarOf(sheet.employeeId, at) === this.calendars.get(String(period.id))) return true;
    // Its own period is gone.
    const others = records['pay-periods'].list(at).filter(({ id }) => id !== period.id);
    return !others.some((other) => isOnDates(sheet, other));
  }

  /** No timesheet says it. */
  #calendarOf(employeeId: unknown, at: number): number {
    const changes = this.changes.get(String(employeeId)) ?? [];
    return (Number(String(employeeId).split('_')[1]) + changes.filter((each) => each <= at).length) % 2;
  }
}

function isOnDates({ date }: RawRecord, { startDate, finishDate }: RawRecord): boolean {
  return String(startDate) <= String(date) && String(date) <= String(finishDate);
}
