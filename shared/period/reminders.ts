import { isMisdated } from '../core/clock-tolerance.ts';
import { addDays, toLocalDate } from '../core/dates.ts';
import { type CalendarDeadline, computeDeadline, type Reminder, toInstant } from './deadlines.ts';

/** When people are reminded of open periods. */
export interface ReminderPlan {
  /** Calendars with a deadline; others have daily summaries alone. */
  readonly calendars: readonly CalendarDeadline[];
  /** Times of day, `HH:MM`, at which some channel gets a daily summary. */
  readonly summaries: readonly string[];
  readonly timeZone: string;
  /** Periods that ended before this date are not summarized any more. */
  readonly windowFrom: string;
}

/** A pay period as far as its moments depend on it. */
export interface RemindedPeriod {
  readonly closed: boolean;
  readonly calendar: string;
  readonly startDate: string;
  readonly finishDate: string;
}

/** That it is time to tell what an open period comes to. Instants in milliseconds since 1970. */
export interface DueReminder {
  /** Null for a calendar without one. May have passed: then only a daily summary is due. */
  readonly deadline: number | null;
  /** The latest reminder that is due; null when only a summary is. */
  readonly reminder: Reminder | null;
  /** Times of day of the daily summaries that are due. */
  readonly summaries: readonly string[];
  /** The last of these moments: what the row remembers once this is published. */
  readonly momentAt: number;
  /** The last date that is over, or the last of the period. */
  readonly through: string;
}

/**
 * Which moments of an open period lie after `since` and not after `now`. Of several reminders the latest counts, and
 * none once the deadline has passed; of the summaries those of today. Null when there is none, or no day of the period
 * is over yet.
 */
export function findDueReminder(
  { closed, startDate, finishDate, calendar }: RemindedPeriod,
  { since, now }: { readonly since: number; readonly now: number },
  plan: ReminderPlan,
): DueReminder | null {
  const { timeZone, windowFrom } = plan;
  const today = toLocalDate(now, timeZone);
  if (closed || startDate >= today) return null;
  const isDue = ({ at }: { readonly at: number }) => since < at && at <= now;
  const rule = plan.calendars.find(({ name }) => name === calendar);
  const deadline = rule === undefined ? null : computeDeadline(rule, finishDate, timeZone);
  const isAhead = deadline !== null && now < deadline.at;
  const reminder = isAhead ? (deadline.reminders.findLast(isDue) ?? null) : null;
  const summaries = finishDate < windowFrom ? [] : listSummaries(today, plan).filter(isDue);
  if (reminder === null && summaries.length === 0) return null;
  return {
    deadline: deadline?.at ?? null,
    reminder,
    summaries: summaries.map(({ time }) => time),
    momentAt: Math.max(...[...summaries, ...(reminder === null ? [] : [reminder])].map(({ at }) => at)),
    through: finishDate < today ? finishDate : addDays(today, -1),
  };
}

function listSummaries(
  date: string,
  { summaries, timeZone }: ReminderPlan,
): { readonly time: string; readonly at: number }[] {
  return summaries.flatMap((time) => {
    const at = toInstant({ date, time }, timeZone);
    return at === null ? [] : [{ time, at }];
  });
}

/** The last moment that a row has as published; 0 for none, and for one ahead of now, from a wrong clock. */
export function findLastReminder(remindedAt: number | undefined, now: number): number {
  return remindedAt === undefined || isMisdated(remindedAt, now) ? 0 : remindedAt;
}
