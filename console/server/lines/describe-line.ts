import * as z from 'zod';
import type { Line } from '#console/answers/lines.ts';
import { toIso } from '#shared/core/dates.ts';
import { parseJsonOrNull } from '#shared/core/parse-json.ts';
import type { LogItem } from '#shared/flow/poll/ports.ts';
import { toText } from '#shared/people/message.ts';
import { capitalize } from '#shared/people/messages/wording.ts';
import { type ReadableEvent, readableEventSchema } from '#shared/people/read-events.ts';
import { sayEvent, toSentence } from '#shared/people/types/all.ts';
import type { ConnectionKnowledge } from '../knowledge.ts';

const PREFIX = 'workforce.';
/** Digits of the place of an event in its commit, so that keys sort as text. */
const PLACE_DIGITS = 6;

const text = z.string().nullish().catch(null);
const stateSchema = z.looseObject({ date: text, departmentId: text }).nullish().catch(null);

/** What a line needs of an event of any type, also of one that this version does not know. */
const eventSchema = z.looseObject({
  id: z.string(),
  type: z.string(),
  subject: text,
  time: z.string(),
  data: z
    .looseObject({
      employeeId: text,
      departmentId: text,
      current: stateSchema,
      previous: stateSchema,
      late: z.array(z.string()).optional().catch(undefined),
      occurredAt: text,
    })
    .catch({} as never),
});
type LoggedEvent = z.output<typeof eventSchema>;
type NamedEvent = { readonly type: string; readonly subject?: string | null | undefined };

/** Begins the keys of the lines of a commit. A key of the log begins with the instant of its commit. */
export function toCommitKey({ key }: LogItem, connection: string): string {
  return `${key}|${connection}|`;
}

/** The lines of a commit, in its order. A text that is no event has none. */
export function describeCommit(commit: LogItem, knowledge: ConnectionKnowledge): Line[] {
  const committedAt = toIso(commit.committedAt);
  return commit.texts.flatMap((each, index) => {
    const line = describeText(each, committedAt, knowledge);
    const number = String(index).padStart(PLACE_DIGITS, '0');
    return line === null ? [] : [{ key: `${toCommitKey(commit, knowledge.connection)}${number}`, ...line }];
  });
}

/** The line of one event; null for a text that is none. */
export function describeText(
  text: string,
  committedAt: string,
  knowledge: ConnectionKnowledge,
): Omit<Line, 'key'> | null {
  const value = parseJsonOrNull(text);
  const { data: event } = eventSchema.safeParse(value);
  return event === undefined ? null : { committedAt, ...describeEvent(event, value, knowledge) };
}

function describeEvent(
  event: LoggedEvent,
  value: unknown,
  knowledge: ConnectionKnowledge,
): Omit<Line, 'key' | 'committedAt'> {
  const { data } = event;
  const { names, connection, timeZone } = knowledge;
  const state = data.current ?? data.previous ?? null;
  const date = state?.date ?? null;
  const departmentId = data.departmentId ?? state?.departmentId ?? null;
  const employeeId = data.employeeId ?? null;
  return {
    id: event.id,
    type: event.type.replace(PREFIX, ''),
    ...{ connection, timeZone },
    record: event.subject ?? null,
    date,
    employeeId,
    employee: names.employees.get(employeeId ?? '') ?? null,
    departmentId,
    department: names.departments.get(departmentId ?? '') ?? null,
    late: data.late ?? [],
    occurredAt: data.occurredAt ?? null,
    seenAt: event.time,
    ...describeChange(event, value, knowledge),
  };
}

type Reader = Pick<ConnectionKnowledge, 'timeZone' | 'names' | 'serviceName' | 'namesConnection'>;

/** What changed, and of which pay period. */
export function describeChange(
  event: NamedEvent,
  value: unknown,
  knowledge: Reader,
): Pick<Line, 'period' | 'says'> {
  const { data } = readableEventSchema.safeParse(value);
  const isOfPeriod = data?.type.startsWith('workforce.pay_period.') === true;
  if (data === undefined || !(isOfPeriod || data.type.startsWith('workforce.timesheet.')))
    return { period: null, says: writeSentence(event, value, knowledge) };
  const { subject, says } = splitSentence(data, knowledge);
  return { period: isOfPeriod ? subject : null, says };
}

/** What a line is about, which stands in a column of its own, and what happened to it. */
function splitSentence(event: ReadableEvent, knowledge: Reader): { subject: string; says: string } {
  const [first = '', ...rest] = sayEvent(event, knowledge);
  return { subject: toText([first]), says: `${capitalize(toText(rest).replace(/^[:\s]+/, ''))}.` };
}

/** As people read it in a message; of a type that this version does not know, its name. */
function writeSentence(
  { type, subject }: NamedEvent,
  value: unknown,
  { timeZone, names, serviceName, namesConnection }: Reader,
): string {
  const event = readableEventSchema.safeParse(value);
  if (event.success) return toSentence(event.data, { timeZone, names, serviceName, namesConnection });
  return `${type.replace(PREFIX, '').replaceAll(/[._]/g, ' ')} ${subject ?? ''}`.trim();
}
