import { type ShortEventType, sourceOf, toEventType, topicOf } from '#shared/core/event-types.ts';
import type { EventPosition } from '#shared/core/events/event-order.ts';
import { computeEventId } from '#shared/core/events/events.ts';

/** What is put into an example: members of the event, and of its `data`. */
interface Changes {
  readonly event?: Readonly<Record<string, unknown>>;
  readonly data?: Readonly<Record<string, unknown>>;
}

/** Which of the events of a timesheet it is. */
interface RecordStep {
  readonly record: string;
  /** Without it that of every record that is made up. */
  readonly epoch?: string;
  readonly sequence: number;
  readonly data?: Readonly<Record<string, unknown>>;
}

/** Events that no receiver has seen before, made of the examples of the catalogue. */
export interface EventMaker {
  /** The example of a type, with an id that no run had before. */
  example(type: ShortEventType, changes?: Changes): string;
  /** Id of a timesheet that no run had before. */
  freshRecord(): string;
  /** An event of a timesheet. */
  ofRecord(type: ShortEventType, step: RecordStep): string;
}

/** Says to whoever finds such events in a receiver where they come from. */
const CONNECTION = 'conformance';
const EPOCH = '2026-11-02T00:00:00.000Z';
/** As after a restore of the sender's table. */
export const LATER_EPOCH = '2026-11-09T00:00:00.000Z';

/** `run`: digits that no other run has. */
export function createEventMaker(examples: ReadonlyMap<ShortEventType, string>, run: string): EventMaker {
  let made = 0;
  const freshRecord = (): string => {
    made += 1;
    return `${run}${String(made).padStart(3, '0')}_1`;
  };
  const make = (type: ShortEventType, { event = {}, data = {} }: Changes): string => {
    const example = JSON.parse(examples.get(type) ?? '{}') as Record<string, unknown>;
    const inside = example.data as Record<string, unknown>;
    return JSON.stringify({ ...example, connection: CONNECTION, ...event, data: { ...inside, ...data } });
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

/** The id that an event of a timesheet has. */
function idOf(record: string, position: EventPosition): string {
  return computeEventId({ connection: CONNECTION, feed: 'timesheets' }, record, position);
}

/** What makes an example one of a record, whose sequence may be any; of operations, one more. */
function buildMembers(type: ShortEventType, record: string): Required<Changes> {
  const [feed, member] = type.startsWith('pay_period.')
    ? (['pay-periods', 'payPeriodId'] as const)
    : (['timesheets', 'timesheetId'] as const);
  const id = computeEventId({ connection: CONNECTION, feed }, record, 1);
  if (topicOf(toEventType(type)) === 'operations') return { event: { id }, data: {} };
  const source = sourceOf(CONNECTION, feed);
  return { event: { id, source, subject: record }, data: { [member]: record } };
}

/** The life of a timesheet in four events: created, approved, changed too late, its approval taken back. */
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
