import { hash } from 'node:crypto';
import type { Group, GroupKind } from './groups.ts';
import type { Message } from './message.ts';
import { cleanText, fitHeading } from './messages/clean-text.ts';
import { type Names, NO_NAMES } from './names/names.ts';
import { describePeriod } from './period-name.ts';
import { type DueEvent, isDueEvent, isMomentEvent, type MomentEvent } from './read-events.ts';
import { toTimeContext } from './reader.ts';
import { buildPeriodsUrl } from './record-address.ts';
import { renderClockings } from './render/clockings.ts';
import { renderPeriod } from './render/period.ts';
import type { MessageReader, Rendered } from './render/rendered.ts';
import { renderSheets } from './render/sheets.ts';
import { renderTroubles } from './render/troubles.ts';
import { renderUnreadable } from './render/unreadable.ts';
import { sayDueHeading, sayDueLines } from './types/due.ts';

/** A connection as its messages need it. */
export interface ComposedConnection {
  readonly timeZone: string;
  readonly names: Names;
  /** Pay periods by id, as they are stored; absent where none had to be read. */
  readonly periods?: ReadonlyMap<string, Readonly<Record<'calendar' | 'startDate' | 'finishDate', string>>>;
}

/** What a channel's messages are rendered with. */
export interface ComposeContext {
  /** When they are sent, in milliseconds since 1970. */
  readonly now: number;
  /** Those of the config; of one that was taken out of it, UTC and no names. */
  readonly connections: ReadonlyMap<string, ComposedConnection>;
  /** What people call the source. */
  readonly serviceName?: string | undefined;
  /** Of a trouble the channel reads what it means for pay; otherwise what failed, and what to do. */
  readonly isForPay: boolean;
  /** Address of a timesheet for people, with `{timesheetId}`, `{employeeId}` and `{connection}`. */
  readonly recordUrl?: string | undefined;
  /** Address of the console, for what has no `recordUrl`. */
  readonly consoleUrl?: string | undefined;
}

/** A message, or nothing to say, with the ids of all events that it stands for. */
export interface ComposedMessage {
  /** Null where its events undo each other. */
  readonly message: Message | null;
  readonly eventIds: readonly string[];
  /** What kept it from being rendered: the message says where to look instead. */
  readonly error?: unknown;
}

/** Ids stored with one message: a bound, so that its item always fits DynamoDB's 400 KB. */
const MAX_EVENT_IDS = 2_000;
const MAX_LINES = 40;
const ID_DIGITS = 32;

/**
 * The messages of the groups of a channel that are due, urgent ones first. Of more than 2,000 events in one message the
 * further ids come without content.
 */
export function composeMessages(groups: readonly Group[], context: ComposeContext): ComposedMessage[] {
  const told = groups.flatMap(({ events: own }) =>
    own.flatMap(({ event }) => (event !== null && isMomentEvent(event) ? [event] : [])),
  );
  const composed = groups.flatMap((group) => composeGroup(group, told, context));
  const urgency = ({ message }: ComposedMessage) => Number(message?.urgent === true);
  return composed.sort((a, b) => urgency(b) - urgency(a));
}

function composeGroup(
  group: Group,
  told: readonly MomentEvent[],
  context: ComposeContext,
): ComposedMessage[] {
  const { rendered, ...failure } = tryToRender(group, told, toReader(group, context));
  const ids = group.events.map(({ waiting }) => waiting.id);
  const parts = Array.from({ length: Math.ceil(ids.length / MAX_EVENT_IDS) }, (_, part) =>
    ids.slice(part * MAX_EVENT_IDS, (part + 1) * MAX_EVENT_IDS),
  );
  return parts.map((eventIds, part) => ({
    ...{ eventIds, ...failure },
    message: rendered === null || part > 0 ? null : toMessage(rendered, eventIds, { group, context }),
  }));
}

/** What cannot be rendered keeps nothing else waiting. */
function tryToRender(
  group: Group,
  told: readonly MomentEvent[],
  reader: MessageReader,
): { readonly rendered: Rendered | null; readonly error?: unknown } {
  try {
    if (group.kind === 'due') return { rendered: renderDue(group, told, reader) };
    return { rendered: RENDERERS[group.kind](group, reader) };
  } catch (error) {
    return { rendered: renderUnreadable(group, reader), error };
  }
}

const RENDERERS: Readonly<
  Record<Exclude<GroupKind, 'due'>, (group: Group, reader: MessageReader) => Rendered | null>
> = {
  period: renderPeriod,
  late: renderSheets,
  clockings: renderClockings,
  troubles: renderTroubles,
  unreadable: renderUnreadable,
};

function toReader({ connection }: Group, context: ComposeContext): MessageReader {
  const { now, connections, serviceName, isForPay, recordUrl, consoleUrl } = context;
  const { timeZone, names, periods } = connections.get(connection) ?? { timeZone: 'UTC', names: NO_NAMES };
  const namePeriod = (id: string) => {
    const period = periods?.get(id);
    const named = { current: period ?? null, previous: null, payPeriodId: id };
    return period === undefined ? null : describePeriod(named, toTimeContext('', { timeZone, now }));
  };
  return {
    ...{ now, timeZone, names, serviceName, isForPay, recordUrl, consoleUrl, namePeriod },
    namesConnection: connections.size > 1,
  };
}

/** Whether more is told of a period than what was due of it: after a reopening it is due again. */
function isReplaced(
  { connection, time, data: { payPeriodId } }: DueEvent,
  told: readonly MomentEvent[],
): boolean {
  const last = told.findLast(
    (each) => each.connection === connection && each.data.payPeriodId === payPeriodId,
  );
  if (last === undefined) return false;
  return !last.type.endsWith('.reopened') || Date.parse(last.time) >= Date.parse(time);
}

/** What is due of open pay periods: of each the last, and nothing of one of which more is told. */
function renderDue({ events }: Group, told: readonly MomentEvent[], reader: MessageReader): Rendered | null {
  const latest = new Map<string, DueEvent>();
  for (const { event } of events)
    if (event !== null && isDueEvent(event) && !isReplaced(event, told))
      latest.set(event.data.payPeriodId, event);
  const due = [...latest.values()];
  if (due.length === 0) return null;
  const url = reader.consoleUrl === undefined ? undefined : buildPeriodsUrl(reader.consoleUrl);
  return { heading: sayDueHeading(due, reader), lines: sayDueLines(due, reader), url };
}

function toMessage(
  { heading, lines, more = 0, url }: Rendered,
  eventIds: readonly string[],
  { group, context }: { readonly group: Group; readonly context: ComposeContext },
): Message {
  const { connection, kind, events } = group;
  const isNamed = context.connections.size > 1 && kind !== 'troubles' && kind !== 'unreadable';
  const thread = findThread(group);
  return {
    id: hash('sha256', JSON.stringify(eventIds.toSorted()), 'hex').slice(0, ID_DIGITS),
    heading: fitHeading(`${isNamed ? `${cleanText(connection)}: ` : ''}${heading}`),
    lines: lines.slice(0, MAX_LINES),
    more: more + Math.max(0, lines.length - MAX_LINES),
    urgent: events.some(({ waiting }) => waiting.urgent),
    at: Math.max(...events.map(({ waiting }) => waiting.at)),
    timeZone: context.connections.get(connection)?.timeZone ?? 'UTC',
    ...(url === undefined ? {} : { url }),
    ...(thread === null ? {} : { thread }),
  };
}

/** The pay period that a message is about: `main#9013_1`; null for one about several, or none. */
function findThread({ kind, connection, periodId, events }: Group): string | null {
  if (kind !== 'due') return periodId === null ? null : `${connection}#${periodId}`;
  const ids = new Set(events.map(({ envelope }) => envelope?.subject));
  const [id] = ids;
  return ids.size === 1 && id !== undefined ? `${connection}#${id}` : null;
}
