import { type ShortEventType, sourceOf, toEventType, topicOf } from '../../shared/core/event-types.ts';
import { computeEventId, toPartitionKey, toTraceParent } from '../../shared/core/events/envelope.ts';
import type { FeedPosition } from '../../shared/core/events/event-order.ts';
import type { FeedName } from '../../shared/core/feeds.ts';
import { feedDefinition } from '../../shared/core/records/feed-definition.ts';

/** Members that replace those of an example, in the event and in its `data`. */
interface Changes {
  readonly event?: Readonly<Record<string, unknown>>;
  readonly data?: Readonly<Record<string, unknown>>;
}

/** An event in the life of a timesheet. */
interface RecordStep {
  readonly record: string;
  /** Default: the same for every record. */
  readonly epoch?: string;
  readonly sequence: number;
  readonly data?: Readonly<Record<string, unknown>>;
}

/** Makes events that no receiver has seen before from the sample events. */
export interface EventMaker {
  /** The sample event of a type, with an id that is new in every run. */
  example(type: ShortEventType, changes?: Changes): string;
  /** Id of a timesheet, new in every run. */
  freshRecord(): string;
  ofRecord(type: ShortEventType, step: RecordStep): string;
}

/** Tells where these events come from when they are found in a receiver. */
const CONNECTION = 'conformance';
const EPOCH = '2026-11-02T00:00:00.000Z';
/** As after the sender's table was restored. */
export const LATER_EPOCH = '2026-11-09T00:00:00.000Z';

/** `run`: digits unique to this run. */
export function createEventMaker(examples: ReadonlyMap<ShortEventType, string>, run: string): EventMaker {
  let made = 0;
  const freshRecord = (): string => {
    made += 1;
    return `${run}${String(made).padStart(3, '0')}_1`;
  };
  const make = (type: ShortEventType, { event = {}, data = {} }: Changes): string => {
    const example = JSON.parse(examples.get(type) ?? '{}') as Record<string, unknown>;
    const inside = example.data as Record<string, unknown>;
    const changed = { ...example, connection: CONNECTION, ...event } as Record<string, string>;
    const { id = '', source = '', subject = null } = changed;
    const partitionkey = toPartitionKey(source, subject);
    const traceparent = toTraceParent(id);
    return JSON.stringify({ ...changed, partitionkey, traceparent, data: { ...inside, ...data } });
  };
  return {
    example: (type, { event, data } = {}) => {
      const own = buildMembers(type, freshRecord());
      return make(type, { event: { ...own.event, ...event }, data: { ...own.data, ...data } });
    },
    freshRecord,
    ofRecord: (type, { record, epoch = EPOCH, sequence, data }) => {
      const own = buildMembers(type, record);
      const event = { ...own.event, epoch, id: idOf(record, { epoch, sequence }), sequence };
      return make(type, { event, data: { ...own.data, ...data } });
    },
  };
}

function idOf(record: string, position: FeedPosition): string {
  return computeEventId({ connection: CONNECTION, feed: 'timesheets' }, record, position);
}

/** The feed of records other than timesheets, by the first word of a type. */
const FEEDS: Readonly<Record<string, FeedName>> = {
  pay_period: 'pay-periods',
  employee: 'employees',
  department: 'departments',
};

/** The members that tie an example to a record; for an operation, only an id of its own. */
function buildMembers(type: ShortEventType, record: string): Required<Changes> {
  const feed = FEEDS[type.split('.')[0] ?? ''] ?? 'timesheets';
  const id = computeEventId({ connection: CONNECTION, feed }, record, { epoch: EPOCH, sequence: 1 });
  if (topicOf(toEventType(type)) === 'operations') return { event: { id }, data: {} };
  const source = sourceOf(CONNECTION, feed);
  return { event: { id, source, subject: record }, data: { [feedDefinition(feed).idMember]: record } };
}

/** A timesheet in four events: created, approved, changed after approval, approval revoked. */
export function createTimesheetLife(
  record: string,
  events: EventMaker,
): readonly [string, string, string, string] {
  const late = ['approval'];
  return [
    events.ofRecord('timesheet.created', { record, sequence: 1 }),
    events.ofRecord('timesheet.approved', { record, sequence: 2 }),
    events.ofRecord('timesheet.changed', { record, sequence: 3, data: { late } }),
    events.ofRecord('timesheet.approval_revoked', {
      record,
      sequence: 4,
      data: { late, reverses: idOf(record, { epoch: EPOCH, sequence: 2 }) },
    }),
  ];
}
