import { cleanText } from '../core/messages/clean-text.ts';
import { parseJsonOrNull } from '../core/parse-json.ts';
import { toQueueSafeJson } from '../core/queue-safe-json.ts';
import { isRecord } from '../core/records/fields.ts';
import { loggedTimesheetSchema, tellsOf, toForgottenText } from './forgotten-event.ts';

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
export type StoredKind = 'events' | 'ledger' | 'membership' | 'alert' | 'message' | 'thread';

/** Characters that mean something in a regular expression. */
const SYNTAX = /[\\^$.*+?()[\]{}|/]/g;
/** Stands for a sentence that names a forgotten person. */
export const FORGOTTEN_TEXT = '(forgotten)';
/** Members of an alert or of what a thread remembers, which go with its sentence. */
const MESSAGE_MEMBERS: readonly string[] = ['story', 'strong', 'url', 'details', 'words', 'facts'];

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
  const kept = dropEntries(value, person);
  return JSON.stringify(kept) === JSON.stringify(value) ? text : toQueueSafeJson(kept as object);
}

function forgetInValue(kind: StoredKind, value: unknown, person: Person): unknown {
  switch (kind) {
    case 'membership':
      return forgetMember(value, person);
    case 'alert':
      return isOwnAlert(value, person) ? null : blankMentions(dropEntries(value, person), person);
    case 'thread':
      return isOwnThread(value, person) ? null : blankMentions(dropEntries(value, person), person);
    case 'message':
      return blankMentions(dropEntries(value, person), person);
    default:
      return dropEntries(value, person);
  }
}

function forgetMember(value: unknown, { employeeId }: Person): unknown {
  if (!isRecord(value) || !isRecord(value.employees)) return value;
  const kept = Object.entries(value.employees).filter(([id]) => id !== employeeId);
  return { ...value, employees: Object.fromEntries(kept) };
}

function isOwnAlert(value: unknown, { connection, timesheets }: Person): boolean {
  return isRecord(value) && value.connection === connection && timesheets.has(String(value.subject));
}

function isOwnThread(value: unknown, { connection, timesheets }: Person): boolean {
  if (!isRecord(value)) return false;
  const prefix = `timesheet#${connection}#`;
  const topic = String(value.topic);
  return topic.startsWith(prefix) && timesheets.has(topic.slice(prefix.length));
}

/** Without entries of lists that are about the person or a timesheet of his. Counts and sums stay. */
function dropEntries(value: unknown, person: Person): unknown {
  if (Array.isArray(value))
    return value.filter((entry) => !isEntryOf(entry, person)).map((entry) => dropEntries(entry, person));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, dropEntries(each, person)]));
}

/** An entry of a statement, of a reminder or of a thread, or of a ledger, which begins with the id. */
function isEntryOf(entry: unknown, { employeeId, timesheets }: Person): boolean {
  if (Array.isArray(entry)) return timesheets.has(String(entry[0]));
  if (!isRecord(entry)) return false;
  const { timesheetId, item } = entry;
  return entry.employeeId === employeeId || [timesheetId, item].some((id) => timesheets.has(String(id)));
}

/** What a text beside `facts` names them for. */
const NAMING_MEMBERS: readonly string[] = ['title', 'line', 'heading'];

/** With `FORGOTTEN_TEXT` in place of each text that names the person, and without the facts that such a text is about. */
function blankMentions(value: unknown, person: Person): unknown {
  const isMention = findMentions(person);
  const blank = (each: unknown): unknown => {
    if (typeof each === 'string') return isMention(each) ? FORGOTTEN_TEXT : each;
    if (Array.isArray(each)) return each.map(blank);
    if (!isRecord(each)) return each;
    const members = Object.entries(each).map(([name, member]) => [name, blank(member)] as const);
    const isNamed = NAMING_MEMBERS.some((name) => isMention(String(each[name] ?? '')));
    if (!isEntryOf(each, person))
      return Object.fromEntries(isNamed ? members.filter(([name]) => name !== 'facts') : members);
    const kept = members.filter(([name]) => !MESSAGE_MEMBERS.includes(name));
    const texts = ['line', 'heading'].filter((name) => Object.hasOwn(each, name));
    return {
      ...Object.fromEntries(kept),
      ...Object.fromEntries(texts.map((name) => [name, FORGOTTEN_TEXT])),
    };
  };
  return blank(value);
}

/** Sentences name an employee, or say `employee 2001_4711`; addresses hold the id. */
function findMentions({ employeeId, name }: Person): (text: string) => boolean {
  const id = cleanText(employeeId);
  const whole = (word: string) =>
    new RegExp(`(?<![\\p{L}\\p{N}])${word.replace(SYNTAX, '\\$&')}(?![\\p{L}\\p{N}])`, 'u');
  const shown = cleanText(name ?? '');
  const words = [whole(`employee ${id}`), ...(shown === '' ? [] : [whole(shown)])];
  const inAddress = whole(encodeURIComponent(employeeId));
  return (text) => words.some((word) => word.test(text)) || (/^https?:/.test(text) && inAddress.test(text));
}
