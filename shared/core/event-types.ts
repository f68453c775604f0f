import type { FeedName } from './feeds.ts';

type EventTopic = 'timesheets' | 'clockings' | 'pay-periods' | 'operations';

/** Every type of event, without the `workforce.` prefix, with its topic. `docs/events.md` describes them. */
export const EVENT_CATALOGUE = {
  'timesheet.created': 'timesheets',
  'timesheet.changed': 'timesheets',
  'timesheet.approved': 'timesheets',
  'timesheet.approval_revoked': 'timesheets',
  'timesheet.payroll_approved': 'timesheets',
  'timesheet.payroll_approval_revoked': 'timesheets',
  'timesheet.processed': 'timesheets',
  'timesheet.processing_reverted': 'timesheets',
  'timesheet.removed': 'timesheets',
  'record.forgotten': 'timesheets',
  'timesheet.clocked_in': 'clockings',
  'timesheet.clock_in_corrected': 'clockings',
  'timesheet.clock_in_removed': 'clockings',
  'timesheet.clocked_out': 'clockings',
  'timesheet.clock_out_corrected': 'clockings',
  'timesheet.clock_out_removed': 'clockings',
  'timesheet.clock_in_missing': 'clockings',
  'timesheet.clock_in_missing_cleared': 'clockings',
  'timesheet.clock_out_missing': 'clockings',
  'timesheet.clock_out_missing_cleared': 'clockings',
  'timesheet.snapshot': 'timesheets',
  'pay_period.created': 'pay-periods',
  'pay_period.changed': 'pay-periods',
  'pay_period.closed': 'pay-periods',
  'pay_period.reopened': 'pay-periods',
  'pay_period.removed': 'pay-periods',
  'pay_period.readiness': 'pay-periods',
  'pay_period.statement': 'pay-periods',
  'pay_period.snapshot': 'pay-periods',
  'baseline.completed': 'operations',
  'source.unreachable': 'operations',
  'source.recovered': 'operations',
  'record.quarantined': 'operations',
  'record.readable': 'operations',
  'slice.shrunk': 'operations',
  'slice.whole': 'operations',
  'poll.stalled': 'operations',
  'poll.resumed': 'operations',
  'slice.unreadable': 'operations',
  'slice.readable': 'operations',
  'feed.lagging': 'operations',
  'feed.caught_up': 'operations',
  'slice.mass_change': 'operations',
  'source.form_changed': 'operations',
  'source.form_restored': 'operations',
  'publish.failed': 'operations',
  'delivery.failed': 'operations',
  'delivery.recovered': 'operations',
  'webhook.disabled': 'operations',
  'webhook.enabled': 'operations',
} as const satisfies Record<string, EventTopic>;

export type ShortEventType = keyof typeof EVENT_CATALOGUE;
export type EventType = `workforce.${ShortEventType}`;

/** Types about a change of a record of the source. */
export type RecordEventType = Exclude<ShortEventType, OperationType | SnapshotType>;
/** Types about the state of a record: sent to one receiver that asks for it, and published after a restore. */
export type SnapshotType = 'timesheet.snapshot' | 'pay_period.snapshot';
/** Types about the notifier's own operation. */
export type OperationType =
  | 'baseline.completed'
  | 'source.unreachable'
  | 'source.recovered'
  | 'record.quarantined'
  | 'record.readable'
  | 'slice.shrunk'
  | 'slice.whole'
  | 'poll.stalled'
  | 'poll.resumed'
  | ProgressOperationType
  | DeliveryOperationType;
/** Types about whether polling and publishing keep up with the source. */
export type ProgressOperationType =
  | 'slice.unreadable'
  | 'slice.readable'
  | 'feed.lagging'
  | 'feed.caught_up'
  | 'slice.mass_change'
  | 'source.form_changed'
  | 'source.form_restored'
  | 'publish.failed';
/** Types about delivery to webhooks, which belongs to no feed. */
export type DeliveryOperationType = (typeof DELIVERY_OPERATION_TYPES)[number];
/** They are published, but not kept in the log, which holds changes of feeds. */
export const DELIVERY_OPERATION_TYPES = [
  'delivery.failed',
  'delivery.recovered',
  'webhook.disabled',
  'webhook.enabled',
] as const;

/** Full names, as in an event's `type`. */
export const EVENT_TYPES: readonly EventType[] = Object.keys(EVENT_CATALOGUE).map((name) =>
  toEventType(name as ShortEventType),
);

export function toEventType<Name extends ShortEventType>(name: Name): `workforce.${Name}` {
  return `workforce.${name}`;
}

/** Full names of the types about the state of a record. */
export const SNAPSHOT_TYPES = ['workforce.timesheet.snapshot', 'workforce.pay_period.snapshot'] as const;

/** Whether a full type is about the state of a record, not about a change. */
export function isSnapshotType(type: string): type is `workforce.${SnapshotType}` {
  return SNAPSHOT_TYPES.some((each) => each === type);
}

/** The full type of an event that is published to a topic. */
export type PublishedType = Exclude<EventType, `workforce.${SnapshotType}`>;
export const PUBLISHED_TYPES: readonly PublishedType[] = EVENT_TYPES.filter(
  (type): type is PublishedType => !isSnapshotType(type),
);

/** The topic to which an event of this full type is published. Snapshots go to receivers that subscribe to it. */
export function topicOf(type: EventType): EventTopic {
  return EVENT_CATALOGUE[type.slice('workforce.'.length) as ShortEventType];
}

/** Value of an event's `source`. */
export function sourceOf(connection: string, feed: FeedName): string {
  return `/connections/${connection}/${feed}`;
}
