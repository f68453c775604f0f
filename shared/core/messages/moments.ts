import { ENGLISH, type Language } from '../../languages/language.ts';
import { say } from '../../languages/text.ts';
import { isDate, parseInstant, toLocalDate, toLocalTime } from '../dates.ts';
import { cleanText } from './clean-text.ts';

/** When and where a sentence is read, so that it can leave out what is obvious then. */
export interface MessageTimeContext {
  readonly timeZone: string;
  /** Year that is left out; null when years are always given. */
  readonly year: string | null;
  /** Calendar date that is left out; null when dates are always given. */
  readonly day: string | null;
  /** English without it. */
  readonly language?: Language | undefined;
}

type YearContext = Pick<MessageTimeContext, 'year' | 'language'>;

/** `Mon 16 Nov`, with the year when it is another one. A text that is not a date is only cleaned. */
export function formatDay(date: string, { year, language = ENGLISH }: YearContext): string {
  if (!isDate(date)) return cleanText(date);
  const weekday = language.formats.weekdays[new Date(`${date}T00:00:00Z`).getUTCDay()] ?? '';
  return say(language.forms.day, { weekday, date: formatDate(date, date.startsWith(`${year}-`), language) });
}

/** `10-16 Nov`, `30 Nov - 6 Dec`, `28 Dec 2026 - 3 Jan 2027`. Both dates are included. */
export function formatDates(from: string, to: string, { year, language = ENGLISH }: YearContext): string {
  const { forms } = language;
  if (!isDate(from) || !isDate(to)) return say(forms.dates, { first: cleanText(from), last: cleanText(to) });
  const isOneYear = from.slice(0, 4) === to.slice(0, 4);
  const last = formatDate(to, isOneYear && to.startsWith(`${year}-`), language);
  if (from === to) return last;
  if (from.slice(0, 7) === to.slice(0, 7))
    return say(forms.datesOfMonth, { day: formatDayOfMonth(from, language), last });
  return say(forms.dates, { first: formatDate(from, isOneYear, language), last });
}

/** `10:01`, or `Thu 12 Nov 10:01` when it is another day. */
export function formatMoment(instant: number, timeContext: MessageTimeContext): string {
  const { timeZone, language = ENGLISH } = timeContext;
  const date = toLocalDate(instant, timeZone);
  const time = formatTime(instant, timeContext);
  return date === timeContext.day
    ? time
    : say(language.forms.moment, { day: formatDay(date, timeContext), time });
}

/** `at 10:01`, or `on Thu 12 Nov at 10:01` when it is another day. */
export function formatAt(instant: number, timeContext: MessageTimeContext): string {
  const { forms } = timeContext.language ?? ENGLISH;
  const date = toLocalDate(instant, timeContext.timeZone);
  const time = formatTime(instant, timeContext);
  if (date === timeContext.day) return say(forms.at, { time });
  return say(forms.onDayAt, { day: formatDay(date, timeContext), time });
}

/** `between 10:01 and 10:02`; `before 10:02` without a beginning; `at 10:02` when both are in the same minute. */
export function formatBetween(after: number | null, by: number, timeContext: MessageTimeContext): string {
  const { forms } = timeContext.language ?? ENGLISH;
  if (after === null) return say(forms.before, { moment: formatMoment(by, timeContext) });
  if (formatMoment(after, timeContext) === formatMoment(by, timeContext)) return formatAt(by, timeContext);
  const day = toLocalDate(by, timeContext.timeZone);
  const isOneDay = toLocalDate(after, timeContext.timeZone) === day;
  // When there are two days both are given, also the one that is otherwise left out.
  const context = isOneDay ? timeContext : { ...timeContext, day: null };
  if (!isOneDay || day === timeContext.day)
    return say(forms.between, { from: formatMoment(after, context), to: formatMoment(by, context) });
  return say(forms.onDayBetween, {
    day: formatDay(day, timeContext),
    from: formatTime(after, timeContext),
    to: formatTime(by, timeContext),
  });
}

/** An instant or a date of the source: `at 10:01`, `on Mon 16 Nov`; null when the text is neither. */
export function formatWhen(text: string, timeContext: MessageTimeContext): string | null {
  const instant = parseInstant(text, timeContext.timeZone);
  if (instant !== null) return formatAt(instant, timeContext);
  const { forms } = timeContext.language ?? ENGLISH;
  return isDate(text) ? say(forms.onDay, { day: formatDay(text, timeContext) }) : null;
}

/** An instant or a date of the source, to stand beside another one. A text that is neither is only cleaned. */
export function formatStamp(text: string, timeContext: MessageTimeContext): string {
  const instant = parseInstant(text, timeContext.timeZone);
  return instant === null ? formatDay(text, timeContext) : formatMoment(instant, timeContext);
}

/** `10:01`. */
export function formatTime(
  instant: number,
  { timeZone, language = ENGLISH }: Pick<MessageTimeContext, 'timeZone' | 'language'>,
): string {
  return language.formats.time.format(Date.parse(`1970-01-01T${toLocalTime(instant, timeZone)}Z`));
}

/** `16 Nov`. */
function formatDate(date: string, leavesOutYear: boolean, language: Language): string {
  const { forms, formats } = language;
  const day = formatDayOfMonth(date, language);
  const month = formats.months[Number(date.slice(5, 7)) - 1] ?? '';
  if (leavesOutYear) return say(forms.date, { day, month });
  return say(forms.dateOfYear, { day, month, year: formats.year.format(Number(date.slice(0, 4))) });
}

function formatDayOfMonth(date: string, { formats }: Language): string {
  return formats.number.format(Number(date.slice(8)));
}
