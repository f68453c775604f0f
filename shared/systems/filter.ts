import { type EventType, isSnapshotType, topicOf } from '../core/event-types.ts';
import { findFormerPlaces } from '../core/events/former-places.ts';
import type { DeliverableEvent } from './delivery-message.ts';

/** Events that match every field given; within a field, any value may match. */
export interface DeliveryFilter {
  readonly type?: readonly string[] | undefined;
  readonly connection?: readonly string[] | undefined;
  readonly organisationId?: readonly string[] | undefined;
  readonly departmentId?: readonly string[] | undefined;
  readonly late?: boolean | undefined;
}

export interface Interest {
  readonly topics: readonly string[];
  readonly filter: DeliveryFilter;
}

/** A receiver of any of these topics has the state of such records. */
const SNAPSHOT_TOPICS = {
  'workforce.timesheet.snapshot': ['timesheets'],
  'workforce.pay_period.snapshot': ['pay-periods'],
  'workforce.employee.snapshot': ['directory'],
  'workforce.department.snapshot': ['directory'],
} as const;

/**
 * Whether a receiver subscribes to an event. One of an unknown type comes from a newer version, through a topic that
 * the receiver subscribes to. A snapshot is for whoever wants events of its record: `type` and `late` choose among
 * changes.
 */
export function isFor(event: DeliverableEvent, interest: Interest): boolean {
  const { type: _, late: __, ...place } = interest.filter;
  return (
    mayBeFor(event.type, interest) &&
    passesFilter(event, isSnapshotType(event.type) ? place : interest.filter)
  );
}

/** Whether a receiver gets events of a full type at all. */
export function mayBeFor(type: string, { topics, filter }: Interest): boolean {
  if (isSnapshotType(type)) return SNAPSHOT_TOPICS[type].some((topic) => topics.includes(topic));
  const topic: string | undefined = topicOf(type as EventType);
  return (topic === undefined || topics.includes(topic)) && (filter.type?.includes(type) ?? true);
}

/**
 * Whether an event passes a filter, by the rules of SNS: an attribute that is absent matches no value. A timesheet that
 * leaves a department or an organisation matches both.
 */
function passesFilter({ type, connection, data }: DeliverableEvent, filter: DeliveryFilter): boolean {
  const former = findFormerPlaces(data);
  const late = data.late === undefined ? null : data.late.length > 0;
  return (
    (filter.type?.includes(type) ?? true) &&
    (filter.connection?.includes(connection) ?? true) &&
    isAmong(filter.organisationId, [data.organisationId, former.organisationId]) &&
    isAmong(filter.departmentId, [data.departmentId, former.departmentId]) &&
    (filter.late === undefined || filter.late === late)
  );
}

function isAmong(
  wanted: readonly string[] | undefined,
  values: readonly (string | null | undefined)[],
): boolean {
  return wanted === undefined || values.some((value) => value != null && wanted.includes(value));
}
