import { toEventType } from '../../core/event-types.ts';
import { parseJsonOrNull } from '../../core/parse-json.ts';
import { toQueueSafeJson } from '../../core/queue-safe-json.ts';
import { isRecord } from '../../core/records/fields.ts';
import { type Line, type Message, toText } from '../../people/message.ts';
import { cleanText } from '../../people/messages/clean-text.ts';
import type { WaitingEvent } from '../../people/waiting-event.ts';
import {
  FORGOTTEN_TEXT,
  forgetInDirectory,
  loggedTimesheetSchema,
  tellsOf,
  toForgottenText,
} from './forgotten-event.ts';

/** A person in what is stored of a connection. */
export interface Person {
  readonly connection: string;
  readonly employeeId: string;
  /** Ids of the timesheets that are, or were last, of this employee, and of those forgotten before. */
  readonly timesheets: ReadonlySet<string>;
  /** As channels show it; null when none does. */
  readonly name: string | null;
}

/** Items whose body is a text that may hold a person. */
export type StoredKind = 'events' | 'count' | 'answers' | 'waiting' | 'message';

/** Types about an employee. */
const OF_EMPLOYEES = 'workforce.employee.';
/** Of these, the one whose subject is a timesheet. */
const FORGOTTEN = toEventType('employee.forgotten');
/** Characters that mean something in a regular expression. */
const SYNTAX = /[\\^$.*+?()[\]{}|/]/g;

/** The text without the person: the same text where nothing in it is, null where nothing is left. */
export function forgetIn(kind: StoredKind, text: string, person: Person): string | null {
  if (kind === 'events') return forgetInLines(text, person);
  const value = parseJsonOrNull(text);
  const kept = forgetInValue(kind, value, person);
  if (kept === null) return null;
  // Members that did not change are the same objects in another place: texts tell whether anything did.
  const rewritten = JSON.stringify(kept);
  return rewritten === JSON.stringify(value) ? text : rewritten;
}

function forgetInLines(text: string, person: Person): string {
  return text
    .split('\n')
    .map((line) => forgetEvent(line, person))
    .join('\n');
}

function forgetEvent(text: string, person: Person): string {
  const value = parseJsonOrNull(text);
  const { data: event } = loggedTimesheetSchema.safeParse(value);
  if (event !== undefined) return tellsOf(event, person.employeeId) ? toForgottenText(event) : text;
  const directory = forgetInDirectory(value, person);
  if (directory !== null) return directory;
  const kept = dropEntries(value, person);
  return JSON.stringify(kept) === JSON.stringify(value) ? text : toQueueSafeJson(kept as object);
}

function forgetInValue(kind: StoredKind, value: unknown, person: Person): unknown {
  switch (kind) {
    case 'answers':
      return forgetAnswer(value, person);
    case 'waiting':
      return forgetWaiting(value as WaitingEvent, person);
    case 'message':
      return forgetInSealed(value as SealedBody, person);
    default:
      return dropEntries(value, person);
  }
}

function forgetAnswer(value: unknown, { employeeId }: Person): unknown {
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([id]) => id !== employeeId));
}

/** What nobody was told of yet goes as a whole. Ids mean somebody else in another connection. */
function forgetWaiting(waiting: WaitingEvent, person: Person): WaitingEvent | null {
  const { text } = waiting;
  const event = parseJsonOrNull(text);
  if (!isRecord(event) || event.connection !== person.connection) return waiting;
  return isOwn(event, person) ? null : { ...waiting, text: forgetEvent(text, person) };
}

/** About a timesheet of the person, or the person as one of the employees. */
function isOwn({ type, subject }: Record<string, unknown>, { employeeId, timesheets }: Person): boolean {
  const isEmployee = String(type).startsWith(OF_EMPLOYEES) && type !== FORGOTTEN;
  return isEmployee ? subject === employeeId : timesheets.has(String(subject));
}

/** Without entries of lists that are about the person or a timesheet of his. Counts and sums stay. */
function dropEntries(value: unknown, person: Person): unknown {
  if (Array.isArray(value))
    return value.filter((entry) => !isEntryOf(entry, person)).map((entry) => dropEntries(entry, person));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, dropEntries(each, person)]));
}

/** An entry of an account, or of a count, which begins with the id. */
function isEntryOf(entry: unknown, { employeeId, timesheets }: Person): boolean {
  if (Array.isArray(entry)) return timesheets.has(String(entry[0]));
  if (!isRecord(entry)) return false;
  return entry.employeeId === employeeId || timesheets.has(String(entry.timesheetId));
}

interface SealedBody {
  readonly message: Message | null;
}

/** With `FORGOTTEN_TEXT` in place of the heading and each line that names the person. */
function forgetInSealed(sealed: SealedBody, person: Person): SealedBody {
  if (sealed.message === null) return sealed;
  const isMention = findMentions(person);
  const { url, ...message } = sealed.message;
  const isNamed = isMention(message.heading) || isMention(url ?? '');
  return {
    ...sealed,
    message: {
      ...message,
      heading: isNamed ? FORGOTTEN_TEXT : message.heading,
      lines: message.lines.map((line) => (isOfPerson(line, isMention) ? { ...line, ...BLANK } : line)),
      ...(url === undefined || isMention(url) ? {} : { url }),
    },
  };
}

const BLANK = { spans: [FORGOTTEN_TEXT], url: undefined };

function isOfPerson({ spans, url = '' }: Line, isMention: (text: string) => boolean): boolean {
  return isMention(toText(spans)) || isMention(url);
}

/** Lines name an employee, or say `employee 1030_1` or `Employee 1030_1`; addresses hold the id. */
function findMentions({ employeeId, name }: Person): (text: string) => boolean {
  const id = cleanText(employeeId);
  const whole = (word: string, flags = 'u') =>
    new RegExp(`(?<![\\p{L}\\p{N}])${word.replace(SYNTAX, '\\$&')}(?![\\p{L}\\p{N}])`, flags);
  const shown = cleanText(name ?? '');
  const named = [whole(`employee ${id}`, 'iu'), ...(shown === '' ? [] : [whole(shown)])];
  const inAddress = whole(encodeURIComponent(employeeId));
  return (text) => named.some((word) => word.test(text)) || (/^https?:/.test(text) && inAddress.test(text));
}
