import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  ALARMS,
  type AlarmId,
  DOCTOR_CHAPTERS,
  describeAlarm,
  SEVERITY_WORDS,
} from '#shared/config/alarms.ts';
import { METRIC_NAMESPACE } from '#shared/config/names.ts';
import { type AlarmStack, synthesizeAlarms, toDimensions } from './alarm-stack.ts';
import { EVERYTHING, synthesize, WEBHOOK } from './synthesized.ts';

const IDS = Object.keys(ALARMS) as AlarmId[];
let built: AlarmStack;

beforeAll(() => {
  built = synthesizeAlarms({
    alarms: { email: 'operations@acme.example' },
    queues: [{ name: 'payroll', topics: ['timesheets'] }],
    webhooks: [WEBHOOK, { ...WEBHOOK, name: 'away', paused: true }],
    people: {
      ...EVERYTHING.people,
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
      expect(parts, chapter).toEqual(['Means', 'Look', 'Mend', 'Ends']);
    }
    for (const [at, id] of IDS.entries()) {
      expect(chapters[at]).toContain(`**Means.** ${SEVERITY_WORDS[ALARMS[id].severity].replace(':', '.')} `);
    }
  });

  test('says the severity, the impact and where to read on', () => {
    expect(describeAlarm('poll-silent')).toMatch(/^Critical: No poll /);
    expect(describeAlarm('messages-late')).toBe(
      'Warning: Messages to people wait for more than 15 minutes: they get them late. None is lost. What to do: docs/runbook.md#messages-late',
    );
  });
});

describe('on dead letters', () => {
  test.each([
    ['default', synthesize()],
    ['one with everything', synthesize(EVERYTHING)],
  ])('every queue of them has an alarm of its own, named like it, by the %s config', (_, { ofType }) => {
    const watched = ofType('AWS::CloudWatch::Alarm').flatMap(({ properties: { AlarmName, Dimensions } }) =>
      String(AlarmName).startsWith('workforce-notifier-dead-letters-')
        ? [[AlarmName, (Dimensions as { readonly Value: string }[])[0]?.Value]]
        : [],
    );
    const deadLetters = ofType('AWS::SQS::Queue')
      .filter(({ path }) => path.endsWith('/DeadLetters'))
      .map(({ properties }) => String(properties.QueueName));
    expect(deadLetters.length).toBeGreaterThanOrEqual(1);
    const named = deadLetters.map((name) => {
      const [, part] = /^workforce-notifier-(.+)-dead-letters(?:\.fifo)?$/.exec(name) ?? [];
      return [`workforce-notifier-dead-letters-${part}`, name];
    });
    expect(watched.sort()).toEqual(named.sort());
  });

  test('of requests that a schedule repeats: only when three failed within the day that they are kept', () => {
    for (const path of ['Poll', 'People/Release', 'DeliveryCheck']) {
      expect(built.alarm(`${path}/DeadLettersAlarm`)).toMatchObject({ Threshold: 3 });
      expect(built.at(`${path}/DeadLetters`).properties.MessageRetentionPeriod).toBe(86_400);
    }
  });

  test.each([
    'Queue-payroll',
    'People/Collect',
    'People/Slack-payroll',
    'People/Teams-board',
    'Webhook-system',
  ])('of %s: as long as a message lies there', (path) => {
    expect(built.alarm(`${path}/DeadLettersAlarm`)).toMatchObject({
      MetricName: 'ApproximateNumberOfMessagesVisible',
      Dimensions: toDimensions({ QueueName: nameOf(`${path}/DeadLetters`) }),
      Statistic: 'Maximum',
      Threshold: 1,
      EvaluationPeriods: 1,
    });
  });
});

describe('on silence', () => {
  test.each(['main', 'north'])('%s: no complete poll for a while', (connection) => {
    expect(built.alarm(`PollAlarms/Silent-${connection}`)).toMatchObject({
      AlarmName: `workforce-notifier-poll-silent-${connection}`,
      Namespace: METRIC_NAMESPACE,
      MetricName: 'CompletedPolls',
      Dimensions: toDimensions({ connection, service: 'workforce-notifier' }),
      Statistic: 'Sum',
      Period: 60,
      Threshold: 1,
      ComparisonOperator: 'LessThanThreshold',
      EvaluationPeriods: 15,
      TreatMissingData: 'breaching',
    });
  });

  test('no alerts were released for 15 minutes, although that runs every minute', () => {
    expect(built.alarm('People/Release/SilentAlarm')).toMatchObject({
      AlarmName: 'workforce-notifier-messages-late-release-alerts',
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

describe('on what waits', () => {
  test.each([
    ['People/Collect', 'messages-late-collect-alerts', 15],
    ['People/Slack-payroll', 'messages-late-slack-payroll', 15],
    ['People/Teams-board', 'messages-late-teams-board', 15],
    ['Queue-payroll', 'receiver-failing-payroll', 30],
  ])('%s: %s, for a message older than %i minutes', (path, name, minutes) => {
    const id = name.startsWith('messages') ? 'LateAlarm' : 'FailingAlarm';
    expect(built.alarm(`${path}/${id}`)).toMatchObject({
      AlarmName: `workforce-notifier-${name}`,
      MetricName: 'ApproximateAgeOfOldestMessage',
      Dimensions: toDimensions({ QueueName: nameOf(`${path}/Queue`) }),
      Statistic: 'Maximum',
      Threshold: minutes * 60,
      EvaluationPeriods: 1,
    });
  });
});

describe('on an endpoint that refuses', () => {
  test('an event for more than half an hour; silence in between changes nothing', () => {
    expect(built.alarm('Webhook-system/FailingAlarm')).toMatchObject({
      AlarmName: 'workforce-notifier-receiver-failing-webhook-system',
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
