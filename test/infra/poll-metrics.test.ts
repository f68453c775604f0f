import { Metrics } from '@aws-lambda-powertools/metrics';
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { createDelayMeter } from '#shared/adapters/telemetry/detection-delay.ts';
import { createTelemetry } from '#shared/adapters/telemetry/telemetry.ts';
import { METRIC_NAMESPACE, METRICS } from '#shared/config/names.ts';
import { type AlarmStack, synthesizeAlarms, toDimensions } from './alarm-stack.ts';
import { WEBHOOK } from './synthesized.ts';

/** Metrics of our own, and the alarms on them. */

const STACK = 'workforce-notifier';
const POLL = { connection: 'main', result: 'complete' };
const TROUBLE = {
  eventsWaiting: 1,
  worstLateSeconds: 90,
  doubtfulSlices: 2,
  credentialRefused: 1,
  publishFailed: 3,
};

let built: AlarmStack;

beforeAll(() => {
  built = synthesizeAlarms({ webhooks: [WEBHOOK] });
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

describe('on what polls report', () => {
  test.each([
    ['EventsWaiting', 1, 3],
    ['WorstLateSeconds', 1_800, 3],
    ['DoubtfulSlices', 1, 1],
    ['CredentialRefused', 1, 1],
    ['PublishFailed', 1, 1],
  ])('%s', (metricName, threshold, periods) => {
    expect(built.alarm(`PollAlarms/${metricName}`)).toMatchObject({
      Namespace: METRIC_NAMESPACE,
      MetricName: metricName,
      Dimensions: toDimensions({ service: STACK }),
      Statistic: 'Maximum',
      Period: 300,
      Threshold: threshold,
      EvaluationPeriods: periods,
      // A zero that a process owes would not come if it ends before: silence means that nothing is wrong.
      TreatMissingData: 'notBreaching',
    });
  });
});

describe('metrics of a poll', () => {
  beforeEach(() => {
    vi.stubEnv('POWERTOOLS_SERVICE_NAME', 'workforce-notifier-poll');
    // Lets the metrics go to the console, where a test can see them.
    vi.stubEnv('POWERTOOLS_DEV', 'true');
    vi.stubEnv('POWERTOOLS_METRICS_DISABLED', 'false');
  });

  test('carry the dimensions that the alarms look for', () => {
    const emitted = emittedBy({ ...POLL, ...TROUBLE });
    const watched = [
      'PollAlarms/Silent-main',
      'PollAlarms/EventsWaiting',
      'PollAlarms/WorstLateSeconds',
      'PollAlarms/DoubtfulSlices',
      'PollAlarms/CredentialRefused',
      'PollAlarms/PublishFailed',
    ];
    for (const path of watched) {
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
    [{}, ['CompletedPolls']],
    [{ result: 'incomplete' }, []],
    [{ eventsWaiting: 0, requests: 9 }, ['CompletedPolls']],
    [{ eventsWaiting: 3 }, ['CompletedPolls', 'EventsWaiting']],
    [{ worstLateSeconds: 0, doubtfulSlices: 0, credentialRefused: 0, publishFailed: 0 }, ['CompletedPolls']],
    [{ worstLateSeconds: 61, eventsWaiting: null }, ['CompletedPolls', 'WorstLateSeconds']],
    [{ result: 'refused', credentialRefused: 1 }, ['CredentialRefused']],
    [
      { ...TROUBLE, worstLateSeconds: null },
      ['CompletedPolls', 'EventsWaiting', 'DoubtfulSlices', 'CredentialRefused', 'PublishFailed'],
    ],
  ])('are, for a line with %j, %j', (values, expected) => {
    expect(emittedBy({ ...POLL, ...values }).flatMap(namesIn)).toEqual(expected);
  });

  test('hold the delay of each event, by feed', () => {
    const delays = Array.from({ length: 250 }, (_, index) => index);
    const emitted = record((metrics) => createDelayMeter(metrics)('timesheets', delays));
    for (const line of emitted) {
      const [{ Dimensions }] = line._aws.CloudWatchMetrics;
      expect(Object.fromEntries(Dimensions.flat().map((name) => [name, line[name]]))).toEqual({
        service: STACK,
        feed: 'timesheets',
      });
    }
    expect(emitted.flatMap(({ DetectionDelay }) => DetectionDelay)).toEqual(delays);
  });

  test('are none without an alarm, but for the delay', () => {
    const counted = new Set(built.alarms.map(({ properties: { MetricName } }) => MetricName));
    expect(Object.values(METRICS).filter((name) => !counted.has(name))).toEqual(['DetectionDelay']);
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
  return record((metrics) =>
    // @ts-expect-error: the log line is not looked at here.
    createTelemetry({ info: () => {} }, metrics).report({ outcome: 'poll.completed', ...line }),
  );
}

function record(emit: (metrics: Metrics) => void): EmittedMetrics[] {
  const written: string[] = [];
  vi.spyOn(console, 'log').mockImplementation((text) => void written.push(String(text)));
  emit(new Metrics({ namespace: METRIC_NAMESPACE, serviceName: STACK }));
  return written.map((text) => JSON.parse(text));
}

function namesIn({ _aws }: EmittedMetrics): string[] {
  return _aws.CloudWatchMetrics.flatMap(({ Metrics: metrics }) => metrics.map(({ Name }) => Name));
}
