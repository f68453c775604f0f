import { Metrics } from '@aws-lambda-powertools/metrics';
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { createTelemetry } from '#shared/adapters/telemetry/telemetry.ts';
import { METRIC_NAMESPACE, METRICS } from '#shared/config/names.ts';
import { type AlarmStack, POLL_SERVICE, synthesizeAlarms, toDimensions } from './alarm-stack.ts';

/** Metrics of our own, and the alarms on them. */

const POLL = { connection: 'main', feed: 'timesheets', result: 'complete' };
const TROUBLE = {
  eventsWaiting: 1,
  worstLateSeconds: 90,
  unreadableSlices: 2,
  formChanged: 1,
  publishFailed: 3,
};

let built: AlarmStack;

beforeAll(() => {
  built = synthesizeAlarms();
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

describe('on what cannot be read or published', () => {
  test.each([
    ['PollTimesheets/Lagging', 'WorstLateSeconds', 1_800, 3],
    ['PollTimesheets/Unreadable', 'UnreadableSlices', 1, 3],
    ['PollTimesheets/FormChanged', 'FormChanged', 1, 1],
    ['PollTimesheets/PublishFailed', 'PublishFailed', 1, 1],
  ] as const)('%s', (path, ...[metricName, threshold, periods]) => {
    expect(built.alarm(path)).toMatchObject({
      Namespace: METRIC_NAMESPACE,
      MetricName: metricName,
      Dimensions: toDimensions({ service: POLL_SERVICE }),
      Statistic: 'Maximum',
      Period: 300,
      Threshold: threshold,
      EvaluationPeriods: periods,
      DatapointsToAlarm: periods,
      TreatMissingData: 'notBreaching',
    });
  });

  test('pay periods have no dates that could be late or unreadable alone', () => {
    const paths = built.alarms.map(({ path }) => path.replace('/Resource', ''));
    expect(paths).toContain('PollPayPeriods/FormChanged');
    expect(paths.filter((path) => /PollPayPeriods\/(?:Lagging|Unreadable)/.test(path))).toEqual([]);
  });

  test('lists of names that were forbidden within a day, as the log of the function counts them', () => {
    const { LogGroupName, FilterPattern, MetricTransformations } =
      built.at('People/Names/Forbidden').properties;
    expect(LogGroupName).toBe('<People/Names/Logs>');
    expect(FilterPattern).toBe('{ ($.outcome = "directory.polled") && ($.forbidden > 0) }');
    expect(MetricTransformations).toEqual([
      {
        MetricNamespace: METRIC_NAMESPACE,
        MetricName: 'NamesForbidden',
        MetricValue: '$.forbidden',
        Dimensions: [{ Key: 'service', Value: '$.service' }],
      },
    ]);
    expect(built.alarm('People/Names/ForbiddenAlarm')).toMatchObject({
      MetricName: 'NamesForbidden',
      Dimensions: toDimensions({ service: 'workforce-notifier-poll-directory' }),
      Statistic: 'Sum',
      Period: 86_400,
      Threshold: 1,
      EvaluationPeriods: 1,
    });
  });
});

describe('metrics of a poll', () => {
  beforeEach(() => {
    vi.stubEnv('POWERTOOLS_SERVICE_NAME', POLL_SERVICE);
    // Lets the metrics go to the console, where a test can see them.
    vi.stubEnv('POWERTOOLS_DEV', 'true');
    vi.stubEnv('POWERTOOLS_METRICS_DISABLED', 'false');
  });

  test('carry the dimensions that the alarms look for', () => {
    const emitted = emittedBy({ ...POLL, ...TROUBLE });
    const watched = ['Silent-main', 'Waiting-main', 'Lagging', 'Unreadable', 'FormChanged', 'PublishFailed'];
    for (const path of watched.map((each) => `PollTimesheets/${each}`)) {
      const { MetricName, Dimensions: wanted, Namespace: namespace } = built.alarm(path);
      const line = emitted.find((each) => namesIn(each).includes(String(MetricName)));
      const [{ Namespace, Dimensions }] = line?._aws.CloudWatchMetrics ?? [{ Dimensions: [] }];
      expect(namespace).toBe(Namespace);
      expect(toDimensions(Object.fromEntries(Dimensions.flat().map((name) => [name, line?.[name]])))).toEqual(
        wanted,
      );
    }
    expect(emitted.flatMap(namesIn)).toHaveLength(watched.length);
  });

  test.each<[Record<string, unknown>, string[]]>([
    [{}, ['PollCompleted']],
    [{ eventsWaiting: 0, requests: 9 }, ['PollCompleted', 'EventsWaiting']],
    [{ worstLateSeconds: 0, unreadableSlices: 0, formChanged: 0, publishFailed: 0 }, ['PollCompleted']],
    [{ worstLateSeconds: 61, eventsWaiting: null }, ['PollCompleted', 'WorstLateSeconds']],
    [
      { ...TROUBLE, worstLateSeconds: null },
      ['PollCompleted', 'EventsWaiting', 'UnreadableSlices', 'FormChanged', 'PublishFailed'],
    ],
  ])('are, for a line with %j, %j', (values, expected) => {
    expect(emittedBy({ ...POLL, ...values }).flatMap(namesIn)).toEqual(expected);
  });

  test('are none without an alarm', () => {
    const counted = new Set(built.alarms.map(({ properties }) => properties.MetricName));
    expect(Object.values(METRICS).filter((name) => !counted.has(name))).toEqual([]);
  });
});

interface EmittedMetrics extends Record<string, unknown> {
  readonly _aws: {
    readonly CloudWatchMetrics: [
      { Namespace: string; Dimensions: string[][]; Metrics: readonly { Name: string }[] },
    ];
  };
}

/** What the telemetry writes for CloudWatch when a poll is completed, line by line. */
function emittedBy(line: Record<string, unknown>): EmittedMetrics[] {
  const written: string[] = [];
  const metrics = new Metrics({ namespace: METRIC_NAMESPACE });
  vi.spyOn(console, 'log').mockImplementation((text) => void written.push(String(text)));
  // @ts-expect-error: the log line is not looked at here.
  createTelemetry({ info: () => {} }, metrics).report({ outcome: 'poll.completed', ...line });
  return written.map((text) => JSON.parse(text));
}

function namesIn({ _aws }: EmittedMetrics): string[] {
  return _aws.CloudWatchMetrics.flatMap(({ Metrics: metrics }) => metrics.map(({ Name }) => Name));
}
