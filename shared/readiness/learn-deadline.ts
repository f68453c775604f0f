import { toLocalDate, toLocalTime } from '../core/dates.ts';

/** Closings that are looked at: the last ones. */
const MAX_CLOSINGS = 6;
const MIN_CLOSINGS = 3;
/** Share of them that must agree. */
const MIN_SHARE = 0.75;
/** Times of day that are further apart are no habit. */
const MAX_SPREAD_MINUTES = 240;
const ROUNDED_TO_MINUTES = 30;
const DAY_MINUTES = 1_440;
const WEEK_DAYS = 7;
const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

/** The first closing of a pay period. `at`: when it was seen, in milliseconds since 1970. */
export interface SeenClosing {
  readonly finishDate: string;
  readonly at: number;
}

/** When the periods of a calendar usually close. */
export interface LearnedDeadline {
  readonly closesAt: string;
  /** `Fri 09:40 to 10:05`, or `2 days after the last day, 10:30 to 10:31`. */
  readonly habit: string;
  /** How many of the closings were so. */
  readonly agreeing: number;
  readonly closings: number;
}

interface LocalClosing {
  readonly weekday: string;
  /** Days after the last day of the period. */
  readonly days: number;
  readonly finishWeekday: string;
  readonly time: string;
}

/** What the last closings of a calendar have in common; null when they are too few, or too different. */
export function learnDeadline(closings: readonly SeenClosing[], timeZone: string): LearnedDeadline | null {
  const last = closings
    .toSorted((a, b) => a.at - b.at)
    .slice(-MAX_CLOSINGS)
    .map((closing) => toLocal(closing, timeZone));
  if (last.length < MIN_CLOSINGS) return null;
  const isWeekly = new Set(last.map(({ finishWeekday }) => finishWeekday)).size === 1;
  // The first such weekday after the last day, or so many days after it: neither can express a closing before the end.
  const isAfter = last.filter(({ days }) => days >= 1);
  const byWeekday = findHabit(
    last,
    isAfter.filter(({ days }) => days <= WEEK_DAYS),
    ({ weekday }) => weekday,
  );
  const byDays = findHabit(last, isAfter, ({ days }) => `+${days}d`);
  const habits = (isWeekly ? [byWeekday, byDays] : [byDays, byWeekday]).filter((habit) => habit !== null);
  return habits.toSorted((a, b) => b.agreeing - a.agreeing)[0] ?? null;
}

function toLocal({ finishDate, at }: SeenClosing, timeZone: string): LocalClosing {
  const date = toLocalDate(at, timeZone);
  return {
    weekday: weekdayOf(date),
    days: Math.round((Date.parse(date) - Date.parse(finishDate)) / 86_400_000),
    finishWeekday: weekdayOf(finishDate),
    time: toLocalTime(at, timeZone),
  };
}

function weekdayOf(date: string): string {
  return WEEKDAYS[new Date(`${date}T00:00:00Z`).getUTCDay()] ?? '';
}

/** `closings`: those that a form can say. `formOf`: what they may have in common, as `closesAt` says it. */
function findHabit(
  all: readonly LocalClosing[],
  closings: readonly LocalClosing[],
  formOf: (closing: LocalClosing) => string,
): LearnedDeadline | null {
  const [largest] = [...Map.groupBy(closings, formOf)].sort(([, a], [, b]) => b.length - a.length);
  if (largest === undefined) return null;
  const [form, agreeing] = largest;
  const times = agreeing.map(({ time }) => time).sort();
  const [from = '', to = ''] = [times[0], times.at(-1)];
  const isHabit =
    agreeing.length / all.length >= MIN_SHARE && toMinutes(to) - toMinutes(from) <= MAX_SPREAD_MINUTES;
  if (!isHabit) return null;
  const days = form === '+1d' ? '1 day' : `${form.slice(1, -1)} days`;
  const when = form.startsWith('+') ? `${days} after the last day,` : form;
  return {
    closesAt: `${form} ${roundTime(times[Math.floor(times.length / 2)] ?? '')}`,
    habit: from === to ? `${when} ${from}` : `${when} ${from} to ${to}`,
    agreeing: agreeing.length,
    closings: all.length,
  };
}

function toMinutes(time: string): number {
  const [hours = '0', minutes = '0'] = time.split(':');
  return Number(hours) * 60 + Number(minutes);
}

/** To the nearest half hour of the same day. */
function roundTime(time: string): string {
  const rounded = Math.round(toMinutes(time) / ROUNDED_TO_MINUTES) * ROUNDED_TO_MINUTES;
  const minutes = Math.min(rounded, DAY_MINUTES - ROUNDED_TO_MINUTES);
  return `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
}
