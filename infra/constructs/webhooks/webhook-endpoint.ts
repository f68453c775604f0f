import { Duration } from 'aws-cdk-lib';
import { Metric, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import type { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { ENVIRONMENT, METRIC_DIMENSIONS, METRIC_NAMESPACE, METRICS } from '#shared/config/names.ts';
import { coarsenFilter } from '#shared/config/schema/event-filter.ts';
import type { Webhook } from '#shared/config/schema/webhook.ts';
import { QUEUE_RETENTION_DAYS } from '#shared/core/delivery-retention.ts';
import { NotifierAlarm } from '../foundation/notifier-alarm.ts';
import { createLog, type StackContext } from '../foundation/notifier-function.ts';
import { QueueFunction } from '../foundation/queue-function.ts';
import { allowSending } from '../foundation/queues.ts';
import type { Topics } from '../foundation/topics.ts';
import { buildFilterPolicy, subscribeToEvents } from '../subscribers/event-subscriptions.ts';

/** Two days before SQS deletes what waits. */
const PAUSED_TOO_LONG = Duration.days(QUEUE_RETENTION_DAYS - 2);

interface WebhookEndpointProps {
  /** Of all endpoints. */
  readonly log: LogGroup;
  readonly context: StackContext;
  readonly topics: Topics;
  readonly webhook: Webhook;
}

/** The delivery to each endpoint of the config. Their functions write one log. */
export function createWebhookEndpoints(
  scope: Construct,
  { context, topics }: Pick<WebhookEndpointProps, 'context' | 'topics'>,
): readonly WebhookEndpoint[] {
  const { webhooks } = context.config;
  if (webhooks.length === 0) return [];
  const log = createLog(new Construct(scope, 'Webhooks'), context);
  return webhooks.map(
    (webhook) => new WebhookEndpoint(scope, `Webhook-${webhook.name}`, { context, topics, log, webhook }),
  );
}

/** Delivers events to one endpoint. A failed event goes to the same queue again for its next attempt. */
export class WebhookEndpoint extends QueueFunction {
  constructor(scope: Construct, id: string, { context, topics, webhook, log }: WebhookEndpointProps) {
    const { encryption, table, alarmTopic } = context;
    const { name, secretName, paused } = webhook;
    super(scope, id, {
      context,
      code: 'deliver-webhook',
      callsOut: true,
      name: `webhook-${name}`,
      log,
      description: `Delivers events to the webhook ${name}`,
      timeoutSeconds: 60,
      memoryMb: 256,
      environment: {
        [ENVIRONMENT.webhook]: name,
        [ENVIRONMENT.topicArns.operations]: topics.events.operations.topicArn,
      },
      // A retry is a message to its own queue.
      sendsToItself: true,
      // Failures of the endpoint are new messages. Only failures of the function itself count here.
      maxReceives: 1_000,
      paused,
    });
    this.function.addEnvironment(ENVIRONMENT.queueUrl, this.queue.queueUrl);
    this.function.addEnvironment(ENVIRONMENT.deadLetterQueueUrl, this.deadLetters.queueUrl);
    table.allowRecordingDeliveries(this.role, `webhook/${name}`);
    table.allowItemAccess(this.role, `webhook#${name}`);
    topics.allowPublish(this.role, ['operations']);
    this.allowReadingSecrets([secretName]);
    allowSending(this.role, [this.queue, this.deadLetters]);
    encryption.allowSending(this.role);
    // The function filters as well.
    const filterPolicy = buildFilterPolicy(coarsenFilter(webhook.filter));
    subscribeToEvents(this, {
      topics: topics.events,
      wanted: new Map(webhook.topics.map((topic) => [topic, filterPolicy])),
      endpoint: this.queue.queueArn,
      deadLetters: this.deadLetters,
    });
    this.queue.allowTopics(webhook.topics.map((topic) => topics.events[topic]));
    this.addAlarms(webhook, alarmTopic);
  }

  private addAlarms({ name: about, paused }: Webhook, alarmTopic: StackContext['alarmTopic']): void {
    const ofPeriod = { period: Duration.minutes(5), statistic: Stats.MAXIMUM };
    new NotifierAlarm(this, 'FailingAlarm', {
      alarm: 'receiver-failing',
      about: `webhook-${about}`,
      // Lines of its log hold it.
      metric: new Metric({
        namespace: METRIC_NAMESPACE,
        metricName: METRICS.webhookRefusals,
        dimensionsMap: { [METRIC_DIMENSIONS.service]: this.serviceName },
        ...ofPeriod,
      }),
      when: { atLeast: 1 },
      // The next attempt may be hours away, and says whether it is over.
      missing: TreatMissingData.IGNORE,
      alarmTopic,
    });
    if (paused) {
      new NotifierAlarm(this, 'PausedAlarm', {
        alarm: 'webhook-paused',
        about,
        metric: this.queue.metricApproximateAgeOfOldestMessage(ofPeriod),
        when: { atLeast: PAUSED_TOO_LONG.toSeconds() },
        alarmTopic,
      });
    }
  }
}
