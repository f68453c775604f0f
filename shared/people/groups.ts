import { isSnapshotType } from '../core/event-types.ts';
import { comparePositions } from '../core/events/event-order.ts';
import { parseJsonOrNull } from '../core/parse-json.ts';
import {
  type EnvelopedEvent,
  envelopeSchema,
  isDueEvent,
  isTimesheetEvent,
  type ReadableEvent,
  readableEventSchema,
} from './read-events.ts';
import type { WaitingEvent } from './waiting-event.ts';

/** What the events of one message are about. */
export type GroupKind = 'period' | 'late' | 'clockings' | 'due' | 'troubles' | 'unreadable';

export interface GroupedEvent {
  readonly waiting: WaitingEvent;
  /** Null for one whose data cannot be read. */
  readonly event: ReadableEvent | null;
  /** Null for what is no event. */
  readonly envelope: EnvelopedEvent | null;
}

/** Events of a connection that are sent as one message. */
export interface Group {
  readonly kind: GroupKind;
  readonly connection: string;
  /** Of a pay period: its id. */
  readonly periodId: string | null;
  /** In the order of their records' events, and else as they were seen. */
  readonly events: readonly GroupedEvent[];
}

/**
 * What belongs together: the news of a pay period with what changed in it after it closed; other late changes; missing
 * clockings; what is due; troubles.
 */
export function groupEvents(waiting: readonly WaitingEvent[]): Group[] {
  const read = waiting.map(readWaiting);
  const ofRecords = Map.groupBy(read, toRecordKey);
  const groups = Map.groupBy(read, (each) =>
    JSON.stringify(placeOf(each, ofRecords.get(toRecordKey(each)) ?? [each])),
  );
  return [...groups].map(([key, events]) => {
    const [kind, connection, id] = JSON.parse(key) as [GroupKind, string, string | null];
    return { kind, connection, periodId: kind === 'period' ? id : null, events: sortEvents(events) };
  });
}

function readWaiting(waiting: WaitingEvent): GroupedEvent {
  const value = parseJsonOrNull(waiting.text);
  const event = readableEventSchema.safeParse(value).data ?? null;
  return { waiting, event, envelope: envelopeSchema.safeParse(value).data ?? null };
}

function toRecordKey({ envelope }: GroupedEvent): string {
  return JSON.stringify([envelope?.source, envelope?.subject]);
}

/** `ofRecord`: all that waits of its record. */
function placeOf(
  { waiting, event, envelope }: GroupedEvent,
  ofRecord: readonly GroupedEvent[],
): readonly [GroupKind, string, string | null] {
  const connection = envelope?.connection ?? '';
  if (event === null) return ['unreadable', connection, waiting.id];
  if (isDueEvent(event)) return ['due', connection, null];
  if (isTimesheetEvent(event)) {
    if (isOfClocking(waiting, event)) return ['clockings', connection, null];
    // A record is told once: an event of it that names no closed period goes with those that do.
    const [period, another] = new Set(ofRecord.flatMap(listClosedPeriods));
    return period === undefined || another !== undefined
      ? ['late', connection, null]
      : ['period', connection, period];
  }
  const isOfPeriod = event.type.startsWith('workforce.pay_period.') && !isSnapshotType(event.type);
  return isOfPeriod ? ['period', connection, event.subject ?? null] : ['troubles', connection, null];
}

function listClosedPeriods({ waiting, event }: GroupedEvent): string[] {
  if (event === null || !isTimesheetEvent(event) || isOfClocking(waiting, event)) return [];
  return (event.data.closedPeriods ?? []).map(({ id }) => id);
}

function isOfClocking({ endsClocking }: WaitingEvent, { type }: ReadableEvent): boolean {
  return endsClocking === true || type.endsWith('_missing');
}

/**
 * In the order in which they were seen, but those of a record in the order of their events: of two polls with different
 * clocks the later one may say an earlier time.
 */
function sortEvents(events: readonly GroupedEvent[]): GroupedEvent[] {
  const seen = events.toSorted((a, b) => a.waiting.at - b.waiting.at);
  const byRecord = Map.groupBy(seen, ({ envelope }) => envelope?.subject ?? '');
  const queues = new Map([...byRecord].map(([id, own]) => [id, own.toSorted(compareEvents).values()]));
  return seen.map((each) => queues.get(each.envelope?.subject ?? '')?.next().value ?? each);
}

function compareEvents({ envelope: a }: GroupedEvent, { envelope: b }: GroupedEvent): number {
  return comparePositions(
    { epoch: a?.epoch, sequence: a?.sequence ?? 0 },
    { epoch: b?.epoch, sequence: b?.sequence ?? 0 },
  );
}
