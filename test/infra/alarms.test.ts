import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { ALARMS, type AlarmId, DOCTOR_CHAPTERS, describeAlarm } from '#shared/config/alarms.ts';
import { METRIC_NAMESPACE } from '#shared/config/names.ts';
import { type AlarmStack, synthesizeAlarms, toDimensions } from './alarm-stack.ts';
import { EVERYTHING, LARGE_ACCOUNT, synthesize, WEBHOOK } from './synthesized.ts';

const IDS = Object.keys(ALARMS) as AlarmId[];
let built: AlarmStack;

beforeAll(() => {
  built = synthesizeAlarms({
    poll: LARGE_ACCOUNT,
    alarms: { email: 'operations@acme.example' },
    queues: [{ name: 'payroll', topics: ['timesheets'], backlogMinutes: 90 }],
    webhooks: [WEBHOOK, { ...WEBHOOK, name: 'away', paused: true }],
    people: {
      channels: [
        ...(EVERYTHING.people?.channels ?? []),
        { name: 'board', kind: 'teams', secretName: 'notifier/teams/board' },
      ],
    },
  });
});

describe('the list of alarms', () => {
  test('is what the stack makes, no more and no less', () => {
    const made = new Set(built.alarms.map(({ properties }) => properties.AlarmDescription));
    expect([...made].sort()).toEqual(IDS.map(describeAlarm).sort());
  });

  test('has one chapter each in the runbook, which has besides only what doctor leads to', () => {
    const chapters = readFileSync('docs/runbook.md', 'utf8').split(/^## /m).slice(1);
    expect(chapters.map((chapter) => chapter.split('\n', 1)[0])).toEqual([...IDS, ...DOCTOR_CHAPTERS]);
    for (const chapter of chapters) {
      const parts = [...chapter.matchAll(/^\*\*(\w+)\.\*\* \S/gm)].map(([, name]) => name);
      const id = IDS.find((alarm) => chapter.startsWith(`${alarm}\n`));
      expect(parts).toEqual([
        ...(id === undefined ? [] : ['Severity']),
        'Description',
        'Investigation',
        'Resolution',
      ]);
      if (id !== undefined)
        expect(chapter.toLowerCase()).toContain(`**severity.** ${ALARMS[id].severity}.\n`);
    }
  });

  test('says the severity, the impact and where to read on', () => {
    expect(describeAlarm('poll-silent')).toMatch(/^Critical: No poll /);
    expect(describeAlarm('alerts-late')).toBe(
      'Warning: Events wait for more than 15 minutes to become alerts: people get messages late. What to do: docs/runbook.md#alerts-late',
    );
  });
});

describe('on errors', () => {
  test('of requests that a schedule repeats: only when three failed within the day that they are kept', () => {
    for (const path of ['PollTimesheets', 'People/Release']) {
      expect(built.alarm(`${path}/DeadLettersAlarm`)).toMatchObject({
        MetricName: 'ApproximateNumberOfMessagesVisible',
        Dimensions: toDimensions({ QueueName: nameOf(`${path}/DeadLetters`) }),
        Threshold: 3,
      });
      expect(built.at(`${path}/DeadLetters`).properties.MessageRetentionPeriod).toBe(86_400);
    }
  });

  test.each([
    ['default', synthesize()],
    ['one with everything', synthesize(EVERYTHING)],
  ])('of whatever kind: every queue of dead letters has an alarm, by the %s config', (_, { ofType }) => {
    const watched = ofType('AWS::CloudWatch::Alarm').flatMap(({ properties: { MetricName, Dimensions } }) =>
      MetricName === 'ApproximateNumberOfMessagesVisible'
        ? (Dimensions as { readonly Value: string }[]).map(({ Value }) => Value)
        : [],
    );
    const deadLetters = ofType('AWS::SQS::Queue')
      .filter(({ path }) => path.endsWith('/DeadLetters'))
      .map(({ properties }) => properties.QueueName);
    expect(deadLetters.length).toBeGreaterThanOrEqual(1);
    expect(deadLetters.filter((name) => !watched.includes(String(name)))).toEqual([]);
  });

  test.each([
    ['Queue-payroll/DeadLettersAlarm', 'Queue-payroll/DeadLetters'],
    ['People/Collect/DeadLettersAlarm', 'People/Collect/DeadLetters'],
    ['People/Slack-payroll/DeadLettersAlarm', 'People/Slack-payroll/DeadLetters'],
    ['People/Teams-board/DeadLettersAlarm', 'People/Teams-board/DeadLetters'],
    ['Webhook-system/DeadLettersAlarm', 'Webhook-system/DeadLetters'],
  ])('%s sounds as long as a message lies there', (path, queue) => {
    expect(built.alarm(path)).toMatchObject({
      MetricName: 'ApproximateNumberOfMessagesVisible',
      Dimensions: toDimensions({ QueueName: nameOf(queue) }),
      Statistic: 'Maximum',
      Threshold: 1,
      EvaluationPeriods: 1,
    });
  });
});

describe('on silence', () => {
  test.each(['main', 'north'])('%s: no complete poll of a feed for a while', (connection) => {
    const common = {
      Namespace: METRIC_NAMESPACE,
      MetricName: 'CompletedFeed',
      Dimensions: toDimensions({ connection, service: 'workforce-notifier' }),
      Threshold: 2,
      TreatMissingData: 'breaching',
    };
    // Only pay periods, whose mark is 2, were completed.
    expect(built.alarm(`PollTimesheets/Silent-${connection}`)).toMatchObject({
      ...common,
      AlarmName: `workforce-notifier-poll-silent-timesheets-${connection}`,
      Statistic: 'Minimum',
      Period: 60,
      ComparisonOperator: 'GreaterThanOrEqualToThreshold',
      EvaluationPeriods: 15,
      DatapointsToAlarm: 15,
    });
    // Only timesheets, whose mark is 1, were completed.
    expect(built.alarm(`PollPayPeriods/Silent-${connection}`)).toMatchObject({
      ...common,
      AlarmName: `workforce-notifier-poll-silent-pay-periods-${connection}`,
      Statistic: 'Maximum',
      Period: 60,
      ComparisonOperator: 'LessThanThreshold',
    });
  });

  test('names were not refreshed on two days, by all connections', () => {
    expect(built.alarm('People/Names/StaleAlarm')).toMatchObject({
      MetricName: 'NamesRefreshed',
      Dimensions: toDimensions({ service: 'workforce-notifier-poll-directory' }),
      Statistic: 'Sum',
      Period: 86_400,
      Threshold: 2,
      ComparisonOperator: 'LessThanThreshold',
      EvaluationPeriods: 2,
      // A new stack has refreshed nothing yet; the end of all data is notified.
      TreatMissingData: 'missing',
      InsufficientDataActions: ['<Topics/alerts>'],
    });
  });

  test.each([
    ['Refreshed', 'complete', '1'],
    ['NotRefreshed', 'incomplete', '0'],
  ])('%s: a refresh that is %s counts as %s', (id, result, value) => {
    const { FilterPattern, MetricTransformations } = built.at(`People/Names/${id}`).properties;
    expect(FilterPattern).toBe(`{ ($.outcome = "directory.polled") && ($.result = "${result}") }`);
    expect(MetricTransformations).toMatchObject([{ MetricName: 'NamesRefreshed', MetricValue: value }]);
  });

  test('no alerts were released for 15 minutes, although that runs every minute', () => {
    expect(built.alarm('People/Release/SilentAlarm')).toMatchObject({
      MetricName: 'Invocations',
      Dimensions: toDimensions({ FunctionName: 'workforce-notifier-release-alerts' }),
      Statistic: 'Sum',
      Period: 300,
      Threshold: 1,
      ComparisonOperator: 'LessThanThreshold',
      EvaluationPeriods: 3,
      TreatMissingData: 'breaching',
    });
  });
});

describe('on a backlog', () => {
  test('stored events that polls of some periods in a row left waiting, of any connection', () => {
    expect(built.alarm('PollTimesheets/Waiting')).toMatchObject({
      MetricName: 'EventsWaiting',
      Dimensions: toDimensions({ feed: 'timesheets', service: 'workforce-notifier' }),
      Statistic: 'Maximum',
      Period: 300,
      Threshold: 1,
      EvaluationPeriods: 3,
      // A zero that a process owes would not come if it ends before: silence means that nothing waits.
      TreatMissingData: 'notBreaching',
    });
  });

  test('a subscriber that leaves messages lying', () => {
    expect(built.alarm('Queue-payroll/BacklogAlarm')).toMatchObject({
      MetricName: 'ApproximateAgeOfOldestMessage',
      Dimensions: toDimensions({ QueueName: nameOf('Queue-payroll/Queue') }),
      Statistic: 'Maximum',
      Threshold: 90 * 60,
    });
  });
});

describe('on what waits on its way to people or systems', () => {
  test.each([
    ['People/Collect/LateAlarm', 'People/Collect/Queue'],
    ['People/Slack-payroll/LateAlarm', 'People/Slack-payroll/Queue'],
    ['People/Teams-board/LateAlarm', 'People/Teams-board/Queue'],
  ])('%s: a message older than 15 minutes', (path, queue) => {
    expect(built.alarm(path)).toMatchObject({
      MetricName: 'ApproximateAgeOfOldestMessage',
      Dimensions: toDimensions({ QueueName: nameOf(queue) }),
      Statistic: 'Maximum',
      Threshold: 15 * 60,
      EvaluationPeriods: 1,
    });
  });
});

describe('on an endpoint that refuses', () => {
  test('an event for more than half an hour; silence in between changes nothing', () => {
    expect(built.alarm('Webhook-system/FailingAlarm')).toMatchObject({
      MetricName: 'WebhookRefusals',
      Dimensions: toDimensions({ service: 'workforce-notifier-webhook-system' }),
      Statistic: 'Maximum',
      Threshold: 1,
      EvaluationPeriods: 1,
      TreatMissingData: 'ignore',
    });
  });
});

/** The name of a queue. */
function nameOf(path: string): unknown {
  return built.at(path).properties.QueueName;
}
