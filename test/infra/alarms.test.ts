import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { ALARMS, type AlarmId, describeAlarm } from '#shared/config/alarms.ts';
import { METRIC_NAMESPACE } from '#shared/config/names.ts';
import { type AlarmStack, POLL_SERVICE, synthesizeAlarms, toDimensions } from './alarm-stack.ts';
import { LARGE_ACCOUNT, synthesize, WEBHOOK } from './synthesized.ts';

const IDS = Object.keys(ALARMS) as AlarmId[];
let built: AlarmStack;

beforeAll(() => {
  built = synthesizeAlarms({
    schedules: { 'pay-periods': { everyMinutes: 30 } },
    functions: LARGE_ACCOUNT,
    alarms: { email: 'operations@acme.example', silentAfterMinutes: 20, waitingAfterMinutes: 25 },
    subscriptions: [{ name: 'payroll', topics: ['timesheets'], backlogMinutes: 90 }],
    webhooks: [WEBHOOK],
  });
});

describe('the list of alarms', () => {
  test('is what the stack makes, no more and no less', () => {
    const made = new Set(built.alarms.map(({ properties }) => properties.AlarmDescription));
    expect([...made].sort()).toEqual(IDS.map(describeAlarm).sort());
  });

  test('has one chapter each in the runbook, which has no other', () => {
    const chapters = readFileSync('docs/runbook.md', 'utf8').split(/^## /m).slice(1);
    expect(chapters.map((chapter) => chapter.split('\n', 1)[0])).toEqual(IDS);
    for (const chapter of chapters) {
      const parts = [...chapter.matchAll(/^\*\*(\w+)\.\*\* \S/gm)].map(([, name]) => name);
      expect(parts).toEqual(['Description', 'Investigation', 'Resolution']);
    }
  });

  test('says the impact and where to read on', () => {
    expect(describeAlarm('table-system-errors')).toBe(
      'DynamoDB fails to read or write the table: polls end early, changes are reported late. What to do: docs/runbook.md#table-system-errors',
    );
  });
});

describe('on errors', () => {
  test.each([
    ['PollTimesheets/Errors', 'Errors', { FunctionName: '<PollTimesheets/Function>' }],
    ['PollTimesheets/Throttled', 'Throttles', { FunctionName: '<PollTimesheets/Function>' }],
    ['PollTimesheets/ScheduleFailing', 'TargetErrorCount', { ScheduleGroup: POLL_SERVICE }],
  ])('%s sounds after two bad periods of three', (path, metricName, dimensions) => {
    expect(built.alarm(path)).toMatchObject({
      MetricName: metricName,
      Dimensions: toDimensions(dimensions),
      Statistic: 'Sum',
      Period: 300,
      Threshold: 1,
      ComparisonOperator: 'GreaterThanOrEqualToThreshold',
      DatapointsToAlarm: 2,
      EvaluationPeriods: 3,
      TreatMissingData: 'notBreaching',
    });
  });

  test('of a webhook: what ended its function, and what its log reports as failed', () => {
    const path = 'Webhook-system/ErrorsAlarm';
    expect(metricNames(path)).toEqual(['Errors', 'WebhookFaults']);
    expect(built.alarm(path)).toMatchObject({ Threshold: 1, DatapointsToAlarm: 2, EvaluationPeriods: 3 });
    expect(periodsOf(path)).toEqual([300, 300]);
    const { LogGroupName, FilterPattern, MetricTransformations } =
      built.at('Webhook-system/Faults').properties;
    expect(LogGroupName).toBe('<Webhook-system/Logs>');
    expect(FilterPattern).toBe('{ ($.outcome = "delivery.interrupted") || ($.reason = "secret_*") }');
    expect(MetricTransformations).toEqual([
      {
        MetricNamespace: METRIC_NAMESPACE,
        MetricName: 'WebhookFaults',
        MetricValue: '1',
        Dimensions: [{ Key: 'service', Value: '$.service' }],
      },
    ]);
  });

  test('no alarm on a sum is deaf because nothing of one kind happened', () => {
    const sums = built.alarms.flatMap(({ properties: { Metrics = [] } }) => {
      const metrics = Metrics as { readonly Id: string; readonly Expression?: string }[];
      return metrics.flatMap(({ Expression }) => (Expression === undefined ? [] : [{ Expression, metrics }]));
    });
    expect(sums.length).toBeGreaterThanOrEqual(5);
    for (const { Expression, metrics } of sums) {
      const counts = metrics.filter((metric) => metric.Expression === undefined);
      expect(Expression).toBe(counts.map(({ Id }) => `FILL(${Id}, 0)`).join(' + '));
    }
  });

  test('of requests for polls: only when three failed within the day that they are kept', () => {
    for (const poller of ['PollTimesheets', 'PollPayPeriods']) {
      expect(built.alarm(`${poller}/DeadLettersAlarm`)).toMatchObject({
        MetricName: 'ApproximateNumberOfMessagesVisible',
        Dimensions: toDimensions({ QueueName: `<${poller}/DeadLetters.QueueName>` }),
        Threshold: 3,
      });
      expect(built.at(`${poller}/DeadLetters`).properties.MessageRetentionPeriod).toBe(86_400);
    }
  });

  test.each([
    ['Subscription-payroll/DeadLettersAlarm', '<Subscription-payroll/DeadLetters.QueueName>'],
    ['People/Collect/DeadLettersAlarm', '<People/Collect/DeadLetters.QueueName>'],
    ['People/Slack-payroll/DeadLettersAlarm', '<People/Slack-payroll/DeadLetters.QueueName>'],
    ['Webhook-system/DeadLettersAlarm', '<Webhook-system/DeadLetters.QueueName>'],
  ])('%s sounds as long as a message lies there', (path, queueName) => {
    expect(built.alarm(path)).toMatchObject({
      MetricName: 'ApproximateNumberOfMessagesVisible',
      Dimensions: toDimensions({ QueueName: queueName }),
      Statistic: 'Maximum',
      Threshold: 1,
      EvaluationPeriods: 1,
    });
  });

  test('of a replay: at once, since a person waits for it', () => {
    expect(built.alarm('Replay/ErrorsAlarm')).toMatchObject({
      MetricName: 'Errors',
      Dimensions: toDimensions({ FunctionName: '<Replay/Function>' }),
      Threshold: 1,
      EvaluationPeriods: 1,
    });
  });

  test.each(['timesheets', 'clockings', 'pay-periods', 'operations'])('%s could not deliver', (name) => {
    expect(built.alarm(`Topics/${name}DeliveryFailed`)).toMatchObject({
      MetricName: 'NumberOfNotificationsFailed',
      Dimensions: toDimensions({ TopicName: `<Topics/${name}.TopicName>` }),
      Threshold: 1,
    });
  });

  test.each([
    ['People/Release/FailingAlarm', { DatapointsToAlarm: 2, EvaluationPeriods: 3 }, 300],
    ['People/Names/ErrorsAlarm', { DatapointsToAlarm: 1, EvaluationPeriods: 1 }, 3_600],
  ])('%s: a run that failed, or that its schedule could not start', (path, periods, seconds) => {
    expect(metricNames(path)).toEqual(['Errors', 'TargetErrorCount']);
    expect(built.alarm(path)).toMatchObject({ Threshold: 1, ...periods });
    expect(periodsOf(path)).toEqual([seconds, seconds]);
  });

  test('of the table: throttled reads and writes, and failed queries and transactions', () => {
    expect(metricNames('State/Throttled')).toEqual(['ReadThrottleEvents', 'WriteThrottleEvents']);
    expect(metricNames('State/SystemErrors')).toEqual(['SystemErrors', 'SystemErrors']);
    expect(operations('State/SystemErrors')).toEqual(['Query', 'TransactWriteItems']);
  });
});

describe('on silence', () => {
  test.each(['main', 'north'])('%s: no complete poll for a while, and no number is as bad', (connection) => {
    expect(built.alarm(`PollTimesheets/Silent-${connection}`)).toMatchObject({
      AlarmName: `workforce-notifier-poll-silent-timesheets-${connection}`,
      Namespace: METRIC_NAMESPACE,
      MetricName: 'PollCompleted',
      Dimensions: toDimensions({ connection, feed: 'timesheets', service: POLL_SERVICE }),
      Statistic: 'Sum',
      Period: 60,
      Threshold: 1,
      ComparisonOperator: 'LessThanThreshold',
      EvaluationPeriods: 20,
      DatapointsToAlarm: 20,
      TreatMissingData: 'breaching',
    });
  });

  test('no alerts were released for 15 minutes, although that runs every minute', () => {
    expect(built.alarm('People/Release/SilentAlarm')).toMatchObject({
      MetricName: 'Invocations',
      Dimensions: toDimensions({ FunctionName: '<People/Release/Function>' }),
      Statistic: 'Sum',
      Period: 300,
      Threshold: 1,
      ComparisonOperator: 'LessThanThreshold',
      EvaluationPeriods: 3,
      TreatMissingData: 'breaching',
    });
  });

  test('waits for three polls when they are far apart', () => {
    expect(built.alarm('PollPayPeriods/Silent-main')).toMatchObject({ Period: 1_800, EvaluationPeriods: 3 });
  });
});

describe('on a backlog', () => {
  test('stored events that every poll of some periods left waiting', () => {
    expect(built.alarm('PollTimesheets/Waiting-main')).toMatchObject({
      MetricName: 'EventsWaiting',
      Dimensions: toDimensions({ connection: 'main', feed: 'timesheets', service: POLL_SERVICE }),
      Statistic: 'Minimum',
      Period: 300,
      Threshold: 1,
      EvaluationPeriods: 5,
      TreatMissingData: 'ignore',
    });
    expect(built.alarm('PollPayPeriods/Waiting-main')).toMatchObject({ Period: 1_800, EvaluationPeriods: 3 });
  });

  test('a subscriber that leaves messages lying', () => {
    expect(built.alarm('Subscription-payroll/BacklogAlarm')).toMatchObject({
      MetricName: 'ApproximateAgeOfOldestMessage',
      Dimensions: toDimensions({ QueueName: '<Subscription-payroll/Queue.QueueName>' }),
      Statistic: 'Maximum',
      Threshold: 90 * 60,
    });
  });
});

describe('on what waits on its way to people or systems', () => {
  test.each([
    ['People/Collect/LateAlarm', '<People/Collect/Queue.QueueName>'],
    ['People/Slack-payroll/LateAlarm', '<People/Slack-payroll/Queue.QueueName>'],
  ])('%s: a message older than 15 minutes', (path, queueName) => {
    expect(built.alarm(path)).toMatchObject({
      MetricName: 'ApproximateAgeOfOldestMessage',
      Dimensions: toDimensions({ QueueName: queueName }),
      Statistic: 'Maximum',
      Threshold: 15 * 60,
      EvaluationPeriods: 1,
    });
  });

  test('many events that are due for a webhook; the age would count what waits for its next try', () => {
    expect(built.alarm('Webhook-system/BacklogAlarm')).toMatchObject({
      MetricName: 'ApproximateNumberOfMessagesVisible',
      Dimensions: toDimensions({ QueueName: '<Webhook-system/Queue.QueueName>' }),
      Statistic: 'Minimum',
      Threshold: 1_000,
      EvaluationPeriods: 3,
    });
  });
});

describe('who is notified', () => {
  test('everybody subscribed to the alerts, when an alarm sounds and when it is over', () => {
    for (const { properties } of built.alarms) {
      expect(properties.AlarmActions).toEqual(['<Topics/alerts>']);
      expect(properties.OKActions).toEqual(['<Topics/alerts>']);
    }
    expect(built.ofType('AWS::SNS::Subscription').map(({ properties }) => properties)).toContainEqual({
      TopicArn: '<Topics/alerts>',
      Protocol: 'email',
      Endpoint: 'operations@acme.example',
      FilterPolicy: { AlarmName: [{ exists: true }] },
      FilterPolicyScope: 'MessageBody',
    });
  });

  test('a topic that exists already, when the config names one', () => {
    const topicArn = 'arn:aws:sns:eu-west-1:111122223333:on-call';
    const { ofType } = synthesize({ alarms: { topicArn } });
    const actions = ofType('AWS::CloudWatch::Alarm').flatMap(({ properties }) => properties.AlarmActions);
    expect(new Set(actions)).toEqual(new Set([topicArn]));
  });
});

interface MetricOfExpression {
  readonly MetricStat?: {
    readonly Period: number;
    readonly Metric: { readonly MetricName: string; readonly Dimensions: { Name: string; Value: string }[] };
  };
}

function metricsOf(path: string) {
  const metrics = built.alarm(path).Metrics as MetricOfExpression[];
  return metrics.flatMap(({ MetricStat }) => (MetricStat === undefined ? [] : [MetricStat.Metric]));
}

function periodsOf(path: string): number[] {
  const metrics = built.alarm(path).Metrics as MetricOfExpression[];
  return metrics.flatMap(({ MetricStat }) => (MetricStat === undefined ? [] : [MetricStat.Period]));
}

function metricNames(path: string): string[] {
  return metricsOf(path).map(({ MetricName }) => MetricName);
}

function operations(path: string): string[] {
  const dimensions = metricsOf(path).flatMap(({ Dimensions }) => Dimensions);
  return dimensions.filter(({ Name }) => Name === 'Operation').map(({ Value }) => Value);
}
