import * as z from 'zod';
import { addDays, isDate } from '#shared/core/dates.ts';
import { parseJsonOrNull } from '#shared/core/parse-json.ts';
import { bold, type Spans, toText } from '#shared/people/message.ts';
import { formatDay } from '#shared/people/messages/moments.ts';
import { isTimesheetEvent, readableEventSchema, type TimesheetEvent } from '#shared/people/read-events.ts';
import { nameOf, type Reader, toTimeContext } from '#shared/people/reader.ts';
import { type TimesheetContext, toTimesheetContext } from '#shared/people/timesheet-context.ts';
import { entryOf } from '#shared/people/types/all.ts';
import { sayFacts } from '#shared/people/types/timesheets.ts';
import { escapeUnprintable } from './output.ts';
import { formatLocalMoment } from './readable-value.ts';

const PREFIX = 'workforce.';

/** The members of an event that every line has, whatever its type. */
const anyEventSchema = z.looseObject({
  type: z.string(),
  time: z.iso.datetime(),
  subject: z.string().default(''),
});

/** An event in words, for one line. */
export interface EventLine {
  /** Type without its prefix. */
  readonly type: string;
  /** When it was seen, in milliseconds since 1970. */
  readonly seenAt: number;
  /** Id of the record; empty for an event about the watching itself. */
  readonly record: string;
  /** Whom or what it is about, and the whole change; the type where a later version has other words. */
  readonly words: Spans;
  /** `timesheet approved` and `timesheets approved`. */
  readonly counted: readonly [one: string, many: string];
}

/** An event in words; null when the text is not an event. Texts of the source are not escaped for a terminal. */
export function readEventLine(text: string, reader: Reader): EventLine | null {
  const value = parseJsonOrNull(text);
  const known = anyEventSchema.safeParse(value);
  if (!known.success) return null;
  const { time, subject: record } = known.data;
  const type = known.data.type.replace(PREFIX, '');
  const line = { type, record, seenAt: Date.parse(time) };
  const event = readableEventSchema.safeParse(value);
  if (!event.success) return { ...line, words: [type], counted: [type, type] };
  const entry = entryOf(event.data.type);
  const { counted } = entry;
  if (entry.heading !== undefined)
    return { ...line, counted, words: [bold(entry.heading(event.data, reader))] };
  const words = isTimesheetEvent(event.data)
    ? sayTimesheet(event.data, reader)
    : entry.says(event.data, reader);
  return { ...line, counted, words };
}

/** Type of an event without its prefix; null when the text is not an event. */
export function parseEventType(text: string): string | null {
  const known = anyEventSchema.safeParse(parseJsonOrNull(text));
  return known.success ? known.data.type.replace(PREFIX, '') : null;
}

/** `Ana Lee, Thu: approved at 10:15 with 7.5 h to pay`. Of the day on which it is read, the day goes without saying. */
function sayTimesheet(event: TimesheetEvent, reader: Reader): Spans {
  const seen = toTimeContext(event.time, reader);
  const context: TimesheetContext = { ...toTimesheetContext(event, reader), seen };
  const { date } = context;
  const name = nameOf(reader.names.employees, event.data.employeeId, 'Employee ');
  const day = date === null || date === seen.day ? '' : `, ${nameDay(date, seen)}`;
  return [bold(name), `${day}: ${sayFacts(context)}`];
}

/** `Thu` in the six days before, `Thu 12 Nov` else. */
function nameDay(date: string, { day, year }: { readonly day: string | null; readonly year: string | null }) {
  const named = formatDay(date, { year });
  const isRecent = day !== null && isDate(date) && date < day && date > addDays(day, -7);
  return isRecent ? named.slice(0, 3) : named;
}

/** One line about an event of a list, with its date, type and record; the text itself when it is not an event. */
export function formatEventLine(text: string, reader: Reader): string {
  const line = readEventLine(text, reader);
  if (line === null) return escapeUnprintable(text);
  const { seenAt, words, type, record } = line;
  const when = formatLocalMoment(new Date(seenAt).toISOString(), reader.timeZone);
  return escapeUnprintable([when, toText(words), type, record].filter((part) => part !== '').join('  '));
}
