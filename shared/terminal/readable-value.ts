import { parseInstant, toLocalDate } from '#shared/core/dates.ts';
import { escapeUnprintable } from './output.ts';

const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/;
const MAX_TEXT_CHARACTERS = 60;
const NOTHING = '–';

export interface FormatContext {
  readonly timeZone: string;
  /** Calendar date of the line: times on that date are shown without it. */
  readonly day: string | null;
}

/** A value of an event in readable form, on one line, with control characters escaped. */
export function readable(value: unknown, reading: FormatContext): string {
  if (value === null || value === undefined) return NOTHING;
  if (typeof value === 'string')
    return MOMENT.test(value) ? formatMoment(value, reading) : toPlainLine(value);
  if (Array.isArray(value)) return `${value.length} ${value.length === 1 ? 'entry' : 'entries'}`;
  if (typeof value === 'object') return formatObject(value, reading);
  return toPlainLine(String(value));
}

/** A clock record is shown by its time. */
function formatObject(value: object, reading: FormatContext): string {
  if (!('localTime' in value)) return toPlainLine(JSON.stringify(value));
  return typeof value.localTime === 'string' ? formatMoment(value.localTime, reading) : 'without time';
}

function formatMoment(text: string, { timeZone, day }: FormatContext): string {
  const moment = formatLocalMoment(text, timeZone);
  return day !== null && moment.startsWith(`${day} `) ? moment.slice(day.length + 1) : moment;
}

/** `2026-11-16 09:01:37` in the zone; any other text is returned as one plain line. */
export function formatLocalMoment(text: string, timeZone: string): string {
  const instant = parseInstant(text, timeZone);
  if (instant === null) return toPlainLine(text);
  const time = new Intl.DateTimeFormat('en-GB', { timeZone, timeStyle: 'medium' }).format(instant);
  return `${toLocalDate(instant, timeZone)} ${time}`;
}

/** Cut twice: an escaped character is up to six. */
function toPlainLine(text: string): string {
  const line = escapeUnprintable(text.slice(0, MAX_TEXT_CHARACTERS + 1));
  return line.length > MAX_TEXT_CHARACTERS ? `${line.slice(0, MAX_TEXT_CHARACTERS)}…` : line;
}
