import { MESSAGE_FLAGS } from '../core/message-flags.ts';

/** Names that the template and the running functions share. */

/** Topics, in the order of the catalogue. `alerts` is for people, the others for machines. */
const TOPIC_NAMES = ['timesheets', 'pay-periods', 'directory', 'operations', 'alerts'] as const;
export type TopicName = (typeof TOPIC_NAMES)[number];

/** Topics that carry CloudEvents. */
export const EVENT_TOPIC_NAMES = ['timesheets', 'pay-periods', 'directory', 'operations'] as const;
export type EventTopicName = (typeof EVENT_TOPIC_NAMES)[number];

/** Environment variables that the template sets on every function. */
export const ENVIRONMENT = {
  tableName: 'TABLE_NAME',
  topicArns: {
    timesheets: 'TOPIC_ARN_TIMESHEETS',
    'pay-periods': 'TOPIC_ARN_PAY_PERIODS',
    directory: 'TOPIC_ARN_DIRECTORY',
    operations: 'TOPIC_ARN_OPERATIONS',
  },
  /** Topic of messages to people. */
  alertsTopicArn: 'TOPIC_ARN_ALERTS',
  /** URL of the queue of a channel of Slack or Teams: those of all others differ from it in the name alone. */
  chatQueueUrl: 'CHAT_QUEUE_URL',
  /** Name of the channel of Slack or Teams, or of the webhook, that the function delivers to. */
  channel: 'CHANNEL',
  webhook: 'WEBHOOK',
  /** The webhook's own queue, for retries, and its dead-letter queue. */
  queueUrl: 'QUEUE_URL',
  deadLetterQueueUrl: 'DEAD_LETTER_QUEUE_URL',
  /** The queue of the messages by which a poll starts the next one. */
  followUpQueueUrl: 'FOLLOW_UP_QUEUE_URL',
  /** Name of the stack, for the metrics of polls. */
  stackName: 'STACK_NAME',
  /** Only where `npm start` runs the functions: path of another config than `CONFIG_FILE`. */
  configFile: 'NOTIFIER_CONFIG_FILE',
} as const;

/** The config of the stack, beside the code of each function. */
export const CONFIG_FILE = 'config.json';

/**
 * CloudWatch namespace and metrics, all counts unless the name says otherwise. A metric costs money in each hour that
 * has data, so each but `DetectionDelay` has an alarm, and all but that and `CompletedPolls` have data only in
 * times of trouble. Other figures are in the log lines.
 */
export const METRIC_NAMESPACE = 'WorkforceChangeNotifier';
export const METRICS = {
  completedPolls: 'CompletedPolls',
  eventsWaiting: 'EventsWaiting',
  /** Of each event of a record: seconds from when the source could first have been seen with the change to its publication. */
  detectionDelay: 'DetectionDelay',
  worstLateSeconds: 'WorstLateSeconds',
  doubtfulSlices: 'DoubtfulSlices',
  credentialRefused: 'CredentialRefused',
  publishFailed: 'PublishFailed',
  /** 1 for each receiver that is not subscribed, or whose events nobody tried. */
  withheld: 'DeliveriesWithheld',
  /** 1 for an attempt of a webhook that fails more than half an hour after the first; 0 when such an event is settled. */
  webhookRefusals: 'WebhookRefusals',
} as const;
/**
 * `service` tells apart the stacks of one account: the name of the stack for metrics of polls, the
 * POWERTOOLS_SERVICE_NAME of the function for those that are counted in its log.
 */
export const METRIC_DIMENSIONS = {
  service: 'service',
  connection: 'connection',
  feed: 'feed',
} as const;
/** SNS message attributes for filter policies (docs/events.md). */
export const MESSAGE_ATTRIBUTES = {
  type: 'type',
  connection: 'connection',
  organisationId: 'organisationId',
  departmentId: 'departmentId',
  late: 'late',
} as const;
/**
 * Attributes with the former organisation or department of a timesheet that left it. Filters on the current one match
 * them as well, so that subscribers for the former one get the event.
 */
export const FORMER_ATTRIBUTES = {
  organisationId: 'previousOrganisationId',
  departmentId: 'previousDepartmentId',
} as const;

/** Message attribute of events that are sent again: `true`. Nothing else distinguishes them from their first publication. */
export const SENT_AGAIN_ATTRIBUTE = MESSAGE_FLAGS.sentAgain;
/** Message attribute of examples, which are sent to try a receiver: `true`. */
export const EXAMPLE_ATTRIBUTE = MESSAGE_FLAGS.example;
/** Prefix of the id of an example event. The id is signed and stays with the event everywhere. */
export const EXAMPLE_ID_PREFIX = 'example-';
/** Attribute of messages on the topic `alerts`: the name of their channel. Alarms have none. */
export const CHANNEL_ATTRIBUTE = 'channel';
