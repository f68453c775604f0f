import { type EventType, topicOf } from '../event-types.ts';
import { NAMED_KINDS, type NamedKind, type Names } from '../words/names.ts';
import { headlineOf, sentenceOf, type TellableEvent } from '../words/sentences.ts';
import type { Alert } from './alert.ts';
import { type Match, worded } from './rules.ts';

/** For whom an alert is made. */
export interface Audience {
  readonly match: Match;
  /** Those that the channel may see. */
  readonly names: Names;
  readonly timeZone: string;
}

/** What one channel is told of an event. */
export function alertOf(event: TellableEvent, { match, names, timeZone }: Audience): Alert {
  const { id, type, connection } = event;
  const { departmentId, reverses } = event.data as Readonly<Record<string, unknown>>;
  const inWords = (sentence: string) => worded(match.words, { sentence, connection, type });
  const headline = headlineOf(event, { timeZone, names });
  return {
    id,
    type,
    connection,
    timeZone,
    at: Date.parse(event.time),
    sequence: event.sequence,
    line: inWords(sentenceOf(event, { timeZone, names })),
    ...(headline === undefined ? {} : { headline: inWords(headline) }),
    urgent: match.urgent,
    subject: isOfRecord(type) ? (event.subject ?? null) : null,
    reverses: textOrNull(reverses),
    department: departmentOf(textOrNull(departmentId), names),
  };
}

/** Names of some kinds, and of the others none. */
export function namesOnlyOf(kinds: readonly NamedKind[], names: Names): Names {
  return Object.fromEntries(
    NAMED_KINDS.map((kind) => [kind, kinds.includes(kind) ? names[kind] : new Map<string, string>()]),
  ) as Record<NamedKind, ReadonlyMap<string, string>>;
}

function isOfRecord(type: EventType): boolean {
  return topicOf(type) !== 'operations';
}

function departmentOf(id: string | null, names: Names): string | null {
  return id === null ? null : (names.departments.get(id) ?? id);
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
