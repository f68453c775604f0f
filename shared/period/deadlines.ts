import { addDays, isDate, parseInstant } from '../core/dates.ts';

/** When the pay periods of a calendar close, and how long before that people are reminded. */
export interface CalendarDeadline {
  /** Name of the pay calendar, as the source writes it. */
  readonly name: string;
  /** `Fri 10:00`, or `+2d 10:00`: days after the last day of a period. In the zone of the connection. */
  readonly closesAt: string;
  /** Such as `1d`, `4h`, `30m`. */
  readonly remindBefore: readonly string[];
}

const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const WEEK_DAYS = 7;
const CLOSES_AT =
  /^(?:(?<weekday>Sun|Mon|Tue|Wed|Thu|Fri|Sat)|\+(?<days>[1-9]\d?)d) (?<time>(?:[01]\d|2[0-3]):[0-5]\d)$/;
const LEAD = /^(?<amount>[1-9]\d{0,3})(?<unit>[dhm])$/;
const UNIT_MS = { d: 86_400_000, h: 3_600_000, m: 60_000 } as const;

/** A wall-clock moment in the zone of a connection. */
interface LocalMoment {
  readonly date: string;
  /** `HH:MM` */
  readonly time: string;
}

/** A reminder of a deadline. Instants in milliseconds since 1970. */
export interface Reminder {
  /** As in the config: `4h`. */
  readonly before: string;
  readonly at: number;
}

export interface Deadline {
  readonly at: number;
  /** The earliest first. */
  readonly reminders: readonly Reminder[];
}

export function isClosesAt(text: string): boolean {
  return CLOSES_AT.test(text);
}

/** Milliseconds of a lead such as `4h`, a day counted as 24 hours; null when it is none. */
export function parseLeadMs(text: string): number | null {
  const lead = readLead(text);
  return lead === null ? null : lead.amount * UNIT_MS[lead.unit];
}

function readLead(text: string): { readonly amount: number; readonly unit: keyof typeof UNIT_MS } | null {
  const { amount, unit } = LEAD.exec(text)?.groups ?? {};
  return amount === undefined ? null : { amount: Number(amount), unit: unit as keyof typeof UNIT_MS };
}

/**
 * The deadline of the period that ends with a date, and its reminders: the first moment of `closesAt` at or after the
 * end of that day. A lead in days goes by the calendar, so that `1d` before Friday 10:00 is Thursday 10:00 also when
 * the clocks change; hours and minutes pass. Null when the calendar is not as the config accepts it.
 */
export function computeDeadline(
  { closesAt, remindBefore }: Omit<CalendarDeadline, 'name'>,
  finishDate: string,
  timeZone: string,
): Deadline | null {
  const moment = findClosingMoment(closesAt, finishDate);
  if (moment === null) return null;
  const at = toInstant(moment, timeZone);
  if (at === null) return null;
  const reminders = remindBefore.flatMap((before): Reminder[] => {
    const lead = readLead(before);
    if (lead === null) return [];
    const date = addDays(moment.date, -lead.amount);
    const remindAt =
      lead.unit === 'd' ? toInstant({ ...moment, date }, timeZone) : at - lead.amount * UNIT_MS[lead.unit];
    return remindAt === null ? [] : [{ before, at: remindAt }];
  });
  return { at, reminders: reminders.sort((a, b) => a.at - b.at) };
}

function findClosingMoment(closesAt: string, finishDate: string): LocalMoment | null {
  const { weekday, days, time } = CLOSES_AT.exec(closesAt)?.groups ?? {};
  if (time === undefined) return null;
  if (days !== undefined) return { date: addDays(finishDate, Number(days)), time };
  const first = addDays(finishDate, 1);
  // After a period that ends in 9999 no weekday comes.
  if (!isDate(first)) return null;
  const wait =
    (WEEKDAYS.indexOf(weekday ?? '') - new Date(`${first}T00:00:00Z`).getUTCDay() + WEEK_DAYS) % WEEK_DAYS;
  return { date: addDays(first, wait), time };
}

/** The instant of a wall-clock moment; the first one when it occurs twice. */
export function toInstant({ date, time }: LocalMoment, timeZone: string): number | null {
  return parseInstant(`${date}T${time}:00`, timeZone);
}
