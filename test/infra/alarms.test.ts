import { readFileSync } from 'node:fs';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createDelayMeter } from '#shared/adapters/telemetry/detection-delay.ts';
import { createTelemetry } from '#shared/adapters/telemetry/telemetry.ts';
import {
  ALARMS,
  type AlarmId,
  DOCTOR_CHAPTERS,
  describeAlarm,
  SEVERITY_WORDS,
} from '#shared/config/alarms.ts';
import { METRIC_NAMESPACE, METRICS } from '#shared/config/names.ts';
import { listModules, listReachable } from '#test/support/modules.ts';
import { CONFIGS, type Resource, type Synthesized, synthesize } from './synthesized.ts';

/** What is true of every alarm and metric. What one looks for, and when it sounds, is in the golden templates. */

const IDS = Object.keys(ALARMS) as AlarmId[];
const STACK = 'workforce-notifier';
const TROUBLE = {
  eventsWaiting: 1,
  worstLateSeconds: 90,
  doubtfulSlices: 2,
  credentialRefused: 1,
  publishFailed: 3,
};

const built = Object.values(CONFIGS).map((config) => synthesize(config));
const alarms = built.flatMap(alarmsOf);

test('the list of alarms is what the stack makes, with one chapter each in the runbook', () => {
  const descriptions = new Set(alarms.map(({ properties }) => properties.AlarmDescription));
  expect([...descriptions].sort()).toEqual(IDS.map(describeAlarm).sort());

  const chapters = readFileSync('docs/runbook.md', 'utf8').split(/^## /m).slice(1);
  expect(chapters.map((chapter) => chapter.split('\n', 1)[0])).toEqual([...IDS, ...DOCTOR_CHAPTERS]);
  for (const chapter of chapters) {
    const parts = [...chapter.matchAll(/^\*\*(\w+)\.\*\* \S/gm)].map(([, name]) => name);
    expect(parts, chapter).toEqual(['Means', 'Look', 'Mend', 'Ends']);
  }
  for (const [at, id] of IDS.entries())
    expect(chapters[at]).toContain(`**Means.** ${SEVERITY_WORDS[ALARMS[id].severity].replace(':', '.')} `);
});

test('every queue of dead letters has an alarm of its own, named like it', () => {
  for (const each of built) {
    const watched = alarmsOf(each).flatMap(({ properties: { AlarmName, Dimensions } }) =>
      String(AlarmName).startsWith(`${STACK}-dead-letters-`)
        ? [[AlarmName, (Dimensions as { readonly Value: string }[])[0]?.Value]]
        : [],
    );
    const deadLetters = each
      .ofType('AWS::SQS::Queue')
      .filter(({ path }) => path.endsWith('/DeadLetters'))
      .map(({ properties }) => String(properties.QueueName));
    expect(deadLetters.length).toBeGreaterThanOrEqual(1);
    const named = deadLetters.map((name) => {
      const [, part] = /^workforce-notifier-(.+)-dead-letters(?:\.fifo)?$/.exec(name) ?? [];
      return [`${STACK}-dead-letters-${part}`, name];
    });
    expect(watched.sort()).toEqual(named.sort());
  }
});

test('every metric filter counts a line that the function whose log it reads can write', () => {
  const modules = listModules(['functions', 'shared']);
  const filters = built.flatMap(({ ofType }) => ofType('AWS::Logs::MetricFilter'));
  expect(filters.length).toBeGreaterThanOrEqual(1);
  for (const { properties } of filters) {
    const [, outcome] = /^\{ \$\.outcome = "([\w.]+)" \}$/.exec(String(properties.FilterPattern)) ?? [];
    expect(properties.LogGroupName).toBe('<DeliveryCheck/Logs>');
    const writing = listReachable(modules, ['functions/check-deliveries.ts']).filter(({ text }) =>
      text.includes(`outcome: '${outcome}'`),
    );
    expect(writing.length).toBeGreaterThanOrEqual(1);
  }
});

describe('metrics of a poll', () => {
  beforeEach(() => {
    vi.stubEnv('POWERTOOLS_SERVICE_NAME', `${STACK}-poll`);
    // Lets the metrics go to the console, where a test can see them.
    vi.stubEnv('POWERTOOLS_DEV', 'true');
    vi.stubEnv('POWERTOOLS_METRICS_DISABLED', 'false');
  });

  afterEach(() => {
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
  });

  test('are what its alarms look for, with their dimensions', () => {
    const emitted = emittedBy({ connection: 'main', result: 'complete', ...TROUBLE });
    const watched = alarmsOf(synthesize(CONFIGS.smallest)).map(describeWatched);
    expect(emitted.length).toBeGreaterThan(Object.keys(TROUBLE).length);
    expect(watched).toEqual(expect.arrayContaining(emitted));
  });

  test.each<[Record<string, unknown>, string[]]>([
    [{ result: 'incomplete' }, []],
    [{ worstLateSeconds: 0, doubtfulSlices: 0, credentialRefused: 0, publishFailed: 0 }, ['CompletedPolls']],
    [{ worstLateSeconds: 61, eventsWaiting: null, requests: 9 }, ['CompletedPolls', 'WorstLateSeconds']],
    [{ result: 'refused', credentialRefused: 1 }, ['CredentialRefused']],
  ])('are, for a line with %j, %j', (values, expected) => {
    const emitted = emittedBy({ connection: 'main', result: 'complete', ...values });
    expect(emitted.map(({ name }) => name)).toEqual(expected);
  });

  test('hold the delay of each event, by feed: the only one without an alarm', () => {
    const delays = Array.from({ length: 250 }, (_, index) => index);
    const lines = record((metrics) => createDelayMeter(metrics)('timesheets', delays));
    expect(lines.flatMap(({ DetectionDelay }) => DetectionDelay)).toEqual(delays);
    for (const metric of lines.flatMap(describeEmitted))
      expect(metric.dimensions).toEqual({ feed: 'timesheets', service: STACK });
    const counted = new Set(alarms.map(({ properties: { MetricName } }) => MetricName));
    expect(Object.values(METRICS).filter((name) => !counted.has(name))).toEqual(['DetectionDelay']);
  });
});

function alarmsOf({ ofType }: Synthesized): readonly Resource[] {
  return ofType('AWS::CloudWatch::Alarm');
}

interface EmittedMetrics extends Record<string, unknown> {
  readonly _aws: {
    readonly CloudWatchMetrics: [
      { Namespace: string; Dimensions: string[][]; Metrics: readonly { Name: string }[] },
    ];
  };
}

/** The metrics that the telemetry writes for CloudWatch when a poll is completed. */
function emittedBy(line: Record<string, unknown>) {
  const lines = record((metrics) =>
    // @ts-expect-error: the log line is not looked at here.
    createTelemetry({ info: () => {} }, metrics).report({ outcome: 'poll.completed', ...line }),
  );
  return lines.flatMap(describeEmitted);
}

function record(emit: (metrics: Metrics) => void): EmittedMetrics[] {
  const written: string[] = [];
  vi.spyOn(console, 'log').mockImplementation((text) => void written.push(String(text)));
  emit(new Metrics({ namespace: METRIC_NAMESPACE, serviceName: STACK }));
  return written.map((text) => JSON.parse(text));
}

function describeEmitted(line: EmittedMetrics) {
  const [{ Namespace, Dimensions, Metrics: metrics }] = line._aws.CloudWatchMetrics;
  const dimensions = Object.fromEntries(Dimensions.flat().map((name) => [name, line[name]]));
  return metrics.map(({ Name }) => ({ name: Name, namespace: Namespace, dimensions }));
}

function describeWatched({ properties: { MetricName, Namespace, Dimensions } }: Resource) {
  const dimensions = (Dimensions as { readonly Name: string; readonly Value: string }[]).map(
    ({ Name, Value }) => [Name, Value],
  );
  return { name: MetricName, namespace: Namespace, dimensions: Object.fromEntries(dimensions) };
}
