import { Duration, Stack } from 'aws-cdk-lib';
import { MathExpression, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { ScheduleExpression } from 'aws-cdk-lib/aws-scheduler';
import type { Construct } from 'constructs';
import { ENVIRONMENT } from '#shared/config/names.ts';
import type { ReleaseRequest } from '#shared/config/release-request.ts';
import { alertingOf, retentionDaysOf } from '../settings.ts';
import { NotifierAlarm } from './notifier-alarm.ts';
import { NotifierFunction, type Surroundings } from './notifier-function.ts';
import { Schedules } from './schedules.ts';
import type { SlackDelivery } from './slack-delivery.ts';
import type { Topics } from './topics.ts';

export interface AlertReleaserProps {
  readonly surroundings: Surroundings;
  readonly topics: Topics;
  /** By the names of their channels. */
  readonly slack: ReadonlyMap<string, SlackDelivery>;
}

/** Every minute makes messages of the alerts that have waited long enough, and sends them on to Slack and by mail. */
export class AlertReleaser extends NotifierFunction {
  constructor(scope: Construct, id: string, { surroundings, topics, slack }: AlertReleaserProps) {
    const { config, table, notify } = surroundings;
    const queueUrls = [...slack].map(([name, { queue }]) => [name, queue.queueUrl]);
    super(scope, id, {
      surroundings,
      code: 'release-alerts',
      description: 'Tells people what waits for them',
      timeoutSeconds: 120,
      memoryMb: 256,
      environment: {
        [ENVIRONMENT.alerting]: alertingOf(config),
        [ENVIRONMENT.alertsTopicArn]: topics.alerts.topicArn,
        [ENVIRONMENT.slackQueueUrls]: Stack.of(scope).toJsonString(Object.fromEntries(queueUrls)),
        [ENVIRONMENT.stackName]: Stack.of(scope).stackName,
        [ENVIRONMENT.retentionDays]: String(retentionDaysOf(config)),
      },
      startedBy: 'invocation',
    });
    table.allowUse(this.role, ['alerts#*', 'deliveries#*']);
    topics.allowTelling(this.role);
    for (const { queue } of slack.values()) queue.grantSendMessages(this.role);
    const request: ReleaseRequest = { scope: 'due' };
    const schedules = new Schedules(this, 'Schedules', {
      target: this.function,
      deadLetters: this.deadLetters,
      groupName: this.serviceName,
      schedule: ScheduleExpression.rate(Duration.minutes(1)),
      inputs: new Map([['due', request]]),
    });
    const period = Duration.minutes(5);
    new NotifierAlarm(this, 'FailingAlarm', {
      alarm: 'alerts-not-released',
      metric: new MathExpression({
        expression: 'errors + unstarted',
        label: 'Releases that failed or could not start',
        period,
        usingMetrics: {
          errors: this.function.metricErrors({ period }),
          unstarted: schedules.group.metricTargetErrors({ period, statistic: Stats.SUM }),
        },
      }),
      when: { atLeast: 1 },
      periods: 2,
      of: 3,
      notify,
    });
  }
}
