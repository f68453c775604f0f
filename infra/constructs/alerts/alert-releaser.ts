import { Duration, Stack } from 'aws-cdk-lib';
import { TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import type { Construct } from 'constructs';
import { computeRetentionDays, writeAlertingSetting } from '#infra/settings.ts';
import { RELEASE_TIMEOUT_SECONDS } from '#shared/alerts/release.ts';
import { ENVIRONMENT } from '#shared/config/names.ts';
import type { ReleaseRequest } from '#shared/config/requests/release-request.ts';
import { NotifierAlarm } from '../foundation/notifier-alarm.ts';
import { NotifierFunction, type StackContext } from '../foundation/notifier-function.ts';
import { allowSending } from '../foundation/queues.ts';
import { Schedules } from '../foundation/schedules.ts';
import type { Topics } from '../foundation/topics.ts';
import type { ChatDelivery } from './chat-delivery.ts';

const OPERATIONS = ['BatchWriteItem', 'DeleteItem', 'GetItem', 'PutItem', 'Query', 'UpdateItem'] as const;

export interface AlertReleaserProps {
  readonly context: StackContext;
  readonly topics: Topics;
  /** By the names of their channels. */
  readonly chats: ReadonlyMap<string, ChatDelivery>;
}

/**
 * Runs every minute: makes messages of the alerts that are due, and passes them to queues of Slack and Teams and the topic `alerts`.
 */
export class AlertReleaser extends NotifierFunction {
  constructor(scope: Construct, id: string, { context, topics, chats }: AlertReleaserProps) {
    const { config, encryption, table, alarmTopics } = context;
    const [first] = chats.values();
    super(scope, id, {
      context,
      code: 'release-alerts',
      description: 'Sends the alerts that are due',
      timeoutSeconds: RELEASE_TIMEOUT_SECONDS,
      memoryMb: 256,
      environment: {
        [ENVIRONMENT.alerting]: writeAlertingSetting(config),
        [ENVIRONMENT.alertsTopicArn]: topics.alerts.topicArn,
        ...(first === undefined ? {} : { [ENVIRONMENT.chatQueueUrl]: first.queue.queueUrl }),
        [ENVIRONMENT.stackName]: Stack.of(scope).stackName,
        [ENVIRONMENT.retentionDays]: String(computeRetentionDays(config)),
      },
      startedBy: 'invocation',
    });
    table.allowUse(this.role, ['alerts#*', 'deliveries#*'], OPERATIONS);
    topics.allowPublishAlerts(this.role);
    if (chats.size > 0) {
      allowSending(
        this.role,
        [...chats.values()].map(({ queue }) => queue),
      );
      encryption.allowSending(this.role);
    }
    const request: ReleaseRequest = { scope: 'due' };
    new Schedules(this, 'Schedules', {
      target: this.function,
      deadLetters: this.deadLetters,
      groupName: this.serviceName,
      schedule: ScheduleExpression.rate(Duration.minutes(1)),
      inputs: new Map([['due', request]]),
    });
    this.addAlarms(alarmTopics);
  }

  /** Runs that failed; those that could not start are missing from its invocations. */
  private addAlarms(alarmTopics: StackContext['alarmTopics']): void {
    this.addRequestsAlarm({ alarm: 'release-dead-letters', alarmTopics });
    const period = Duration.minutes(5);
    new NotifierAlarm(this, 'FailingAlarm', {
      alarm: 'alerts-not-released',
      metric: this.metricOf('Errors', period),
      when: { atLeast: 1 },
      periods: 2,
      of: 3,
      alarmTopics,
    });
    new NotifierAlarm(this, 'SilentAlarm', {
      alarm: 'alerts-silent',
      metric: this.metricOf('Invocations', period),
      when: { below: 1 },
      periods: 3,
      missing: TreatMissingData.BREACHING,
      alarmTopics,
    });
  }
}
