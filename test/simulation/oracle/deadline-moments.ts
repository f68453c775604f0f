import type { Settings } from '../settings.ts';
import { dayAt, instantsOf, shiftDay } from './local-time.ts';
import type { Watched } from './reading.ts';

/** Moments before deadlines, computed without the engine's code. A local time may mean several instants. */
export interface PeriodMoments {
  readonly deadlines: readonly number[];
  readonly reminders: readonly { readonly before: string; readonly at: readonly number[] }[];
}

const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
const UNIT_MS: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, m: 60_000 };

/** Null for a calendar without a deadline. */
export function momentsOf(period: Watched, { connection }: Settings): PeriodMoments | null {
  const rule = connection.calendars?.find(({ name }) => name === period.calendar);
  if (rule === undefined) return null;
  const { timeZone } = connection;
  const [form = '', time = ''] = rule.closesAt.split(' ');
  const day = closingDay(form, String(period.finishDate));
  if (day === null) return null;
  const deadlines = instantsOf(`${day}T${time}:00`, timeZone);
  const reminders = rule.remindBefore.map((before) => {
    const amount = Number.parseInt(before, 10);
    const unit = before.slice(-1);
    const at =
      unit === 'd'
        ? instantsOf(`${shiftDay(day, -amount)}T${time}:00`, timeZone)
        : deadlines.map((deadline) => deadline - amount * (UNIT_MS[unit] ?? 0));
    return { before, at };
  });
  return { deadlines, reminders };
}

/** Null for a period without end: no date of the calendar comes after it. */
function closingDay(form: string, finishDate: string): string | null {
  const from = form.startsWith('+') ? Number.parseInt(form, 10) : 1;
  const week = Array.from({ length: 7 }, (_, later) => shiftDay(finishDate, from + later));
  const day = form.startsWith('+') ? week[0] : week.find((each) => weekdayOf(each) === form);
  return day === undefined || day.length !== 10 || day.startsWith('+') ? null : day;
}

function weekdayOf(day: string): string {
  // 5 January 1970 was a Monday.
  const days = Math.round(Date.parse(`${day}T12:00:00Z`) / 86_400_000 - 4.5);
  return WEEKDAYS[((days % 7) + 7) % 7] ?? '';
}

/** The instants that a daily summary may mean on the day of an instant. */
export function summariesAt(time: string, now: number, timeZone: string): number[] {
  return instantsOf(`${dayAt(now, timeZone)}T${time}:00`, timeZone);
}
