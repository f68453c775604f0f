import { MESSAGE_MARKS } from '../core/message-marks.ts';

/**
 * Names that the infrastructure and the running functions share. Each is defined here once, so that a rename
 * reaches both sides or neither.
 */

/** Topics, in the order of the catalogue. `alerts` is for people, the others for machines. */
export const TOPIC_NAMES = ['timesheets', 'clockings', 'pay-periods', 'operations', 'alerts'] as const;
export type TopicName = (typeof TOPIC_NAMES)[number];

/** Topics that carry CloudEvents. */
export const EVENT_TOPIC_NAMES = ['timesheets', 'clockings', 'pay-periods', 'operations'] as const;
export type EventTopicName = (typeof EVENT_TOPIC_NAMES)[number];

/** Environment variables that the template sets on every function. */
export const ENVIRONMENT = {
  tableName: 'TABLE_NAME',
  topicArns: {
    timesheets: 'TOPIC_ARN_TIMESHEETS',
    clockings: 'TOPIC_ARN_CLOCKINGS',
    'pay-periods': 'TOPIC_ARN_PAY_PERIODS',
    operations: 'TOPIC_ARN_OPERATIONS',
  },
  /** Topic that people are told through. */
  alertsTopicArn: 'TOPIC_ARN_ALERTS',
  /** What `alertingSchema` describes, written by `writeSetting`. */
  alerting: 'ALERTING',
  /** JSON: URL of the queue of each Slack channel, by its name. */
  slackQueueUrls: 'SLACK_QUEUE_URLS',
  /** The Slack channel or the webhook that the function delivers to, written by `writeSetting`. */
  channel: 'CHANNEL',
  webhook: 'WEBHOOK',
  /** Queue of the webhook, to send what is to be tried again, and the one for what is given up. */
  queueUrl: 'QUEUE_URL',
  deadLetterQueueUrl: 'DEAD_LETTER_QUEUE_URL',
  /** Name of the stack, as people are told it. */
  stackName: 'STACK_NAME',
  /** Days that events, alerts and deliveries are remembered: the longest of all connections. */
  retentionDays: 'RETENTION_DAYS',
} as const;

/**
 * CloudWatch namespace and metric names, all counts unless the name says otherwise. Each costs money: there is none
 * without an alarm. Other figures are in the log lines.
 */
export const METRIC_NAMESPACE = 'WorkforceChangeNotifier';
export const METRICS = {
  pollCompleted: 'PollCompleted',
  eventsWaiting: 'EventsWaiting',
  worstLateSeconds: 'WorstLateSeconds',
  unreadableSlices: 'UnreadableSlices',
  formChanged: 'FormChanged',
  publishFailed: 'PublishFailed',
  namesForbidden: 'NamesForbidden',
} as const;
/** `service` is the POWERTOOLS_SERVICE_NAME of the function, which keeps two stacks of one account apart. */
export const METRIC_DIMENSIONS = { service: 'service', connection: 'connection', feed: 'feed' } as const;

/** SNS message attributes, so that filter policies need not look into the message (design of the events). */
export const MESSAGE_ATTRIBUTES = {
  type: 'type',
  connection: 'connection',
  organisationId: 'organisationId',
  departmentId: 'departmentId',
  late: 'late',
} as const;
/**
 * Where a timesheet was until now, on messages that tell of its leaving: filters on the attribute they stand for match
 * them too, so that whoever it left is told.
 */
export const FORMER_ATTRIBUTES = {
  organisationId: 'previousOrganisationId',
  departmentId: 'previousDepartmentId',
} as const;

/** Message attribute of replayed events: `true`. Nothing else distinguishes a replay from the first publication. */
export const REPLAYED_ATTRIBUTE = MESSAGE_MARKS.replayed;
/** Message attribute of examples, which are sent to try a receiver: `true`. */
export const EXAMPLE_ATTRIBUTE = MESSAGE_MARKS.example;
/** Prefix of the id of an example event. The id is signed and stays with the event everywhere. */
export const EXAMPLE_ID_PREFIX = 'example-';
/** Attribute of messages on the topic `alerts`: which channel of the config they are for. Alarms have none. */
export const CHANNEL_ATTRIBUTE = 'channel';
