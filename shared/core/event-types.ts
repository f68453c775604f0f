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

/** Types that are published to a topic. */
type OfTopic<Topic extends EventTopic> = {
  [Name in ShortEventType]: (typeof EVENT_CATALOGUE)[Name] extends Topic ? Name : never;
}[ShortEventType];
/** Types about the notifier's own operation. */
export type OperationType = OfTopic<'operations'>;
/** Types about the state of a record: sent to one receiver that asks for it, and published after a restore. */
export type SnapshotType = Extract<ShortEventType, `${string}.snapshot`>;
/** Types about a change of a record of the source. */
export type RecordEventType = Exclude<ShortEventType, OperationType | SnapshotType>;
/** Types about delivery to webhooks, which belongs to no feed: published, but not kept in the log of the feeds. */
export type DeliveryOperationType = Extract<OperationType, `${'delivery' | 'webhook'}.${string}`>;

/** Every type of the catalogue, in its order. */
export const SHORT_EVENT_TYPES = Object.keys(EVENT_CATALOGUE) as ShortEventType[];
/** Full names, as in an event's `type`. */
export const EVENT_TYPES: readonly EventType[] = SHORT_EVENT_TYPES.map(toEventType);

export function toEventType<Name extends ShortEventType>(name: Name): `workforce.${Name}` {
  return `workforce.${name}`;
}

/** The type without its prefix. */
export function toShortType<Name extends ShortEventType>(type: `workforce.${Name}`): Name {
  return type.slice('workforce.'.length) as Name;
}

/** Whether a full type is about the state of a record, not about a change. */
export function isSnapshotType(type: string): type is `workforce.${SnapshotType}` {
  return type.endsWith('.snapshot');
}

/** Full names of the types about the state of a record. */
export const SNAPSHOT_TYPES: readonly `workforce.${SnapshotType}`[] = EVENT_TYPES.filter(isSnapshotType);
export const OPERATION_TYPES = SHORT_EVENT_TYPES.filter(isOperationType);
export const DELIVERY_OPERATION_TYPES = OPERATION_TYPES.filter((type): type is DeliveryOperationType =>
  /^(?:delivery|webhook)\./.test(type),
);

/** Whether a type is about the notifier's own operation. */
export function isOperationType(type: ShortEventType): type is OperationType {
  return EVENT_CATALOGUE[type] === 'operations';
}

/** The full type of an event that is published to a topic. */
export type PublishedType = Exclude<EventType, `workforce.${SnapshotType}`>;
export const PUBLISHED_TYPES: readonly PublishedType[] = EVENT_TYPES.filter(
  (type): type is PublishedType => !isSnapshotType(type),
);

/** The topic to which an event of this full type is published. Snapshots go to receivers that subscribe to it. */
export function topicOf(type: EventType): EventTopic {
  return EVENT_CATALOGUE[toShortType(type)];
}

/** Value of an event's `source`. */
export function sourceOf(connection: string, feed: FeedName): string {
  return `/connections/${connection}/${feed}`;
}
