import type { FeedName } from './feeds.ts';

/** Where events are published: a feed's go to one topic, in the order of its commits. */
export type EventTopic = 'timesheets' | 'pay-periods' | 'directory' | 'operations';

/** Every type of event by topic, without the `workforce.` prefix. `docs/events.md` describes them in this order. */
const CATALOGUE = [
  [
    'timesheets',
    [
      'timesheet.created',
      'timesheet.changed',
      'timesheet.approved',
      'timesheet.approval_revoked',
      'timesheet.payroll_approved',
      'timesheet.payroll_approval_revoked',
      'timesheet.processed',
      'timesheet.processing_reverted',
      'timesheet.removed',
      'timesheet.clocked_in',
      'timesheet.clock_in_corrected',
      'timesheet.clock_in_removed',
      'timesheet.clocked_out',
      'timesheet.clock_out_corrected',
      'timesheet.clock_out_removed',
      'timesheet.clock_in_missing',
      'timesheet.clock_out_missing',
      'timesheet.snapshot',
    ],
  ],
  [
    'pay-periods',
    [
      'pay_period.created',
      'pay_period.changed',
      'pay_period.due',
      'pay_period.closed',
      'pay_period.recounted',
      'pay_period.reopened',
      'pay_period.settled',
      'pay_period.removed',
      'pay_period.snapshot',
    ],
  ],
  [
    'directory',
    [
      'employee.joined',
      'employee.moved',
      'employee.left',
      'employee.snapshot',
      'department.added',
      'department.renamed',
      'department.manager_changed',
      'department.removed',
      'department.snapshot',
    ],
  ],
  [
    'operations',
    ['baseline.completed', 'feed.complete', 'trouble.began', 'trouble.ended', 'employee.forgotten'],
  ],
] as const satisfies readonly (readonly [EventTopic, readonly string[]])[];

type Section = (typeof CATALOGUE)[number];
export type ShortEventType = Section[1][number];
export type EventType = `workforce.${ShortEventType}`;

/** The topic of each type. */
export const EVENT_CATALOGUE = Object.fromEntries(
  CATALOGUE.flatMap(([topic, types]) => types.map((type) => [type, topic])),
) as Readonly<Record<ShortEventType, EventTopic>>;

/** Types about the notifier's own operation. */
export type OperationType = Exclude<
  Extract<Section, readonly ['operations', unknown]>[1][number],
  'employee.forgotten'
>;
/** Types about the state of a record: sent to one receiver that asks for it, and published after a restore. */
export type SnapshotType = Extract<ShortEventType, `${string}.snapshot`>;
/** Types about a change of a record of the source. */
export type RecordEventType = Exclude<ShortEventType, OperationType | SnapshotType>;

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

/** Whether a type is about the notifier's own operation. */
export function isOperationType(type: ShortEventType): type is OperationType {
  return EVENT_CATALOGUE[type] === 'operations' && type !== 'employee.forgotten';
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
