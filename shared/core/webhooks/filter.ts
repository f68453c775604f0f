import { type EventType, topicOf } from '../event-types.ts';
import { findFormerPlaces } from '../events/former-places.ts';
import type { DeliverableEvent } from './delivery-message.ts';

/** Which events an endpoint wants: those that match every field given; within a field any value does. */
export interface DeliveryFilter {
  readonly type?: readonly string[] | undefined;
  readonly connection?: readonly string[] | undefined;
  readonly organisationId?: readonly string[] | undefined;
  readonly departmentId?: readonly string[] | undefined;
  readonly late?: boolean | undefined;
}

/** What a receiver subscribes to. */
export interface Interest {
  readonly topics: readonly string[];
  readonly filter: DeliveryFilter;
}

/**
 * Whether an event is for a receiver, however it came. One of a type that we do not know came from a newer version
 * through a topic that is wanted.
 */
export function isFor(event: DeliverableEvent, { topics, filter }: Interest): boolean {
  const topic: string | undefined = topicOf(event.type as EventType);
  return (topic === undefined || topics.includes(topic)) && passesFilter(event, filter);
}

/**
 * Whether an event passes a filter, as SNS would decide it: what an event does not have matches no value. A timesheet
 * that leaves a department or an organisation passes for both.
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
