import { toLocalDate } from '../core/dates.ts';
import { cleanText } from './messages/clean-text.ts';
import type { MessageTimeContext } from './messages/moments.ts';
import type { Names } from './names/names.ts';

/** Who reads of an event, and when. */
export interface Reader {
  /** When it is read, in milliseconds since 1970; absent: as the event was seen. */
  readonly now?: number | undefined;
  /** IANA zone of the dates and times. */
  readonly timeZone: string;
  /** The names that may be shown; ids elsewhere. */
  readonly names: Names;
  /** What they call the source; without it, `DEFAULT_SERVICE_NAME`. */
  readonly serviceName?: string | undefined;
  /** False where there is only one connection, whose name says nothing to them. */
  readonly namesConnection?: boolean | undefined;
  /** Of a trouble they read what it means for pay, not what failed. */
  readonly isForPay?: boolean | undefined;
}

/** What people call the source where the config has no name for it. */
const DEFAULT_SERVICE_NAME = 'the workforce service';

/** What they call it. */
export function nameService({ serviceName }: Pick<Reader, 'serviceName'>): string {
  return serviceName ?? DEFAULT_SERVICE_NAME;
}

/** Of an event of this time: the year in which it is read, and the day on which it is, go without saying. */
export function toTimeContext(
  time: string,
  { timeZone, now = Date.parse(time) }: Pick<Reader, 'timeZone' | 'now'>,
): MessageTimeContext {
  const day = toLocalDate(now, timeZone);
  return { timeZone, day, year: day.slice(0, 4) };
}

/** The name where it is known, otherwise the id, after such as `department `. */
export function nameOf(names: ReadonlyMap<string, string>, id: string, kind = ''): string {
  return cleanText(names.get(id) ?? '') || `${kind}${cleanText(id)}`;
}

/** The same at the beginning of a line, and of a record that may be none. */
export function callRecord(
  id: string | null,
  kind: 'Department' | 'Employee',
  names: ReadonlyMap<string, string>,
): string {
  return id === null ? `No ${kind.toLowerCase()}` : nameOf(names, id, `${kind} `);
}
