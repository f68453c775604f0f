import { toEventType } from '../../core/event-types.ts';
import { parseJsonOrNull } from '../../core/parse-json.ts';
import { toQueueSafeJson } from '../../core/queue-safe-json.ts';
import { isRecord } from '../../core/records/fields.ts';
import { cleanText } from '../../people/messages/clean-text.ts';
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
  /** Ids of their events. */
  readonly events: ReadonlySet<string>;
  /** As channels show it; null when none does. */
  readonly name: string | null;
}

/** Items whose body is a text that may hold a person. */
export type StoredKind = 'events' | 'count' | 'answers' | 'alert' | 'message';

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
    case 'alert':
      return isOwnAlert(value, person) ? null : blankMentions(dropEntries(value, person), person);
    case 'message':
      return blankMentions(dropEntries(value, person), person);
    default:
      return dropEntries(value, person);
  }
}

function forgetAnswer(value: unknown, { employeeId }: Person): unknown {
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([id]) => id !== employeeId));
}

/** About a timesheet of the person, or the person as one of the employees. */
function isOwnAlert(value: unknown, { connection, employeeId, timesheets }: Person): boolean {
  if (!isRecord(value) || value.connection !== connection) return false;
  const { type, subject } = value;
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

/** What a text beside `facts` names them for. */
const NAMING_MEMBERS: readonly string[] = ['title', 'line', 'heading'];

/** With `FORGOTTEN_TEXT` in place of each text that names the person, and without the facts that such a text is about. */
function blankMentions(value: unknown, person: Person): unknown {
  const isMention = findMentions(person);
  const blank = (each: unknown, isStrong = false): unknown => {
    if (typeof each === 'string') return isMention(each, isStrong) ? FORGOTTEN_TEXT : each;
    if (Array.isArray(each)) return each.map((one) => blank(one, isStrong));
    if (!isRecord(each)) return each;
    const members = Object.entries(each).map(
      ([name, member]) => [name, blank(member, isStrong || name === 'strong')] as const,
    );
    const isNamed = NAMING_MEMBERS.some((name) => isMention(String(each[name] ?? '')));
    return Object.fromEntries(isNamed ? members.filter(([name]) => name !== 'facts') : members);
  };
  return blank(value);
}

/**
 * Sentences name an employee, or say `employee 1030_1` or `Employee 1030_1`; addresses hold the id, and what stands
 * out (strong) may be it.
 */
function findMentions({ employeeId, name }: Person): (text: string, isStrong?: boolean) => boolean {
  const id = cleanText(employeeId);
  const whole = (word: string, flags = 'u') =>
    new RegExp(`(?<![\\p{L}\\p{N}])${word.replace(SYNTAX, '\\$&')}(?![\\p{L}\\p{N}])`, flags);
  const shown = cleanText(name ?? '');
  const named = [whole(`employee ${id}`, 'iu'), ...(shown === '' ? [] : [whole(shown)])];
  const inAddress = whole(encodeURIComponent(employeeId));
  return (text, isStrong = false) =>
    (isStrong && text === employeeId) ||
    named.some((word) => word.test(text)) ||
    (/^https?:/.test(text) && inAddress.test(text));
}
