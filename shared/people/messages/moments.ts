import { isDate, parseInstant, toLocalDate, toLocalTime } from '../../core/dates.ts';
import { cleanText } from './clean-text.ts';

const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** When and where a sentence is read, so that it can leave out what is obvious then. */
export interface MessageTimeContext {
  readonly timeZone: string;
  /** Year that is left out; null when years are always given. */
  readonly year: string | null;
  /** Calendar date that is left out; null when dates are always given. */
  readonly day: string | null;
}

type YearContext = Pick<MessageTimeContext, 'year'>;

/** `Mon 16 Nov`, with the year when it is another one. A text that is not a date is only cleaned. */
export function formatDay(date: string, { year }: YearContext): string {
  if (!isDate(date)) return cleanText(date);
  const weekday = WEEKDAYS[new Date(`${date}T00:00:00Z`).getUTCDay()] ?? '';
  return `${weekday} ${formatDate(date, date.startsWith(`${year}-`))}`;
}

/** `10-16 Nov`, `30 Nov - 6 Dec`, `28 Dec 2026 - 3 Jan 2027`. Both dates are included. */
export function formatDates(from: string, to: string, { year }: YearContext): string {
  if (!isDate(from) || !isDate(to)) return `${cleanText(from)} - ${cleanText(to)}`;
  const isOneYear = from.slice(0, 4) === to.slice(0, 4);
  const last = formatDate(to, isOneYear && to.startsWith(`${year}-`));
  if (from === to) return last;
  if (from.slice(0, 7) === to.slice(0, 7)) return `${formatDayOfMonth(from)}-${last}`;
  return `${formatDate(from, isOneYear)} - ${last}`;
}

/** `10:01`, or `Thu 12 Nov 10:01` when it is another day. */
export function formatMoment(instant: number, timeContext: MessageTimeContext): string {
  const { timeZone } = timeContext;
  const date = toLocalDate(instant, timeZone);
  const time = formatTime(instant, timeContext);
  return date === timeContext.day ? time : `${formatDay(date, timeContext)} ${time}`;
}

/** `at 10:01`, or `on Thu 12 Nov at 10:01` when it is another day. */
export function formatAt(instant: number, timeContext: MessageTimeContext): string {
  const date = toLocalDate(instant, timeContext.timeZone);
  const time = formatTime(instant, timeContext);
  if (date === timeContext.day) return `at ${time}`;
  return `on ${formatDay(date, timeContext)} at ${time}`;
}

/** `between 10:01 and 10:02`; `before 10:02` without a beginning; `at 10:02` when both are in the same minute. */
export function formatBetween(after: number | null, by: number, timeContext: MessageTimeContext): string {
  if (after === null) return `before ${formatMoment(by, timeContext)}`;
  if (formatMoment(after, timeContext) === formatMoment(by, timeContext)) return formatAt(by, timeContext);
  const day = toLocalDate(by, timeContext.timeZone);
  const isOneDay = toLocalDate(after, timeContext.timeZone) === day;
  // When there are two days both are given, also the one that is otherwise left out.
  const context = isOneDay ? timeContext : { ...timeContext, day: null };
  if (!isOneDay || day === timeContext.day)
    return `between ${formatMoment(after, context)} and ${formatMoment(by, context)}`;
  return `on ${formatDay(day, timeContext)} between ${formatTime(after, timeContext)} and ${formatTime(by, timeContext)}`;
}

/** An instant or a date of the source: `at 10:01`, `on Mon 16 Nov`; null when the text is neither. */
export function formatWhen(text: string, timeContext: MessageTimeContext): string | null {
  const instant = parseInstant(text, timeContext.timeZone);
  if (instant !== null) return formatAt(instant, timeContext);
  return isDate(text) ? `on ${formatDay(text, timeContext)}` : null;
}

/** An instant or a date of the source, to stand beside another one. A text that is neither is only cleaned. */
export function formatStamp(text: string, timeContext: MessageTimeContext): string {
  const instant = parseInstant(text, timeContext.timeZone);
  return instant === null ? formatDay(text, timeContext) : formatMoment(instant, timeContext);
}

/** `10:01`. */
export function formatTime(instant: number, { timeZone }: Pick<MessageTimeContext, 'timeZone'>): string {
  return toLocalTime(instant, timeZone).slice(0, 5);
}

/** `16 Nov`. */
function formatDate(date: string, leavesOutYear: boolean): string {
  const day = formatDayOfMonth(date);
  const month = MONTHS[Number(date.slice(5, 7)) - 1] ?? '';
  if (leavesOutYear) return `${day} ${month}`;
  return `${day} ${month} ${date.slice(0, 4)}`;
}

function formatDayOfMonth(date: string): string {
  return String(Number(date.slice(8)));
}

interface Occurrence {
  readonly occurredAt: string | null;
  readonly observed: { readonly after: string | null; readonly by: string };
}

/** `at 10:01` when the source says so, otherwise between which two polls: `between 10:01 and 10:02`. */
export function describeOccurrence(
  { occurredAt, observed }: Occurrence,
  timeContext: MessageTimeContext,
): string {
  const said = occurredAt === null ? null : formatWhen(occurredAt, timeContext);
  if (said !== null) return said;
  const after = observed.after === null ? null : Date.parse(observed.after);
  return formatBetween(after, Date.parse(observed.by), timeContext);
}
