import { beforeAll, describe, expect, test } from 'vitest';
import { type Assembly, readAssembly } from '#local/aws/template/assembly.ts';
import { createResolver } from '#local/aws/template/resolver.ts';
import { synthesize } from '#local/aws/template/synthesize.ts';
import { ALARMS } from '#shared/config/alarms.ts';
import { METRIC_NAMESPACE } from '#shared/config/names.ts';
import { createAlarmWatch } from '#workshop/drill/alarms/alarm-watch.ts';
import { createMetricStore } from '#workshop/drill/alarms/metric-store.ts';
import { readTemplateAlarms, type TemplateAlarms } from '#workshop/drill/alarms/template-alarms.ts';
import { createLogReader } from '#workshop/drill/cloud-watch.ts';

const AT = Date.parse('2026-03-04T22:00:00Z');
let assembly: Assembly;
let alarms: TemplateAlarms;

beforeAll(async () => {
  assembly = readAssembly(await synthesize(() => {}));
  alarms = readTemplateAlarms(assembly, createResolver(assembly, ''));
});

test('every alarm of the template can be evaluated, and names a heading of the runbook', () => {
  const store = createMetricStore();
  expect(() => createAlarmWatch(alarms.alarms, store).evaluate(AT)).not.toThrow();
  const headings = alarms.alarms.map(
    ({ description }) => /docs\/runbook\.md#([\w-]+)/.exec(description)?.[1],
  );
  expect(headings.length).toBeGreaterThan(15);
  expect(headings.filter((heading) => heading === undefined || !(heading in ALARMS))).toEqual([]);
});

test('a filter that reads a member of a member is refused', () => {
  const text = JSON.stringify(assembly.template);
  const nested = {
    ...assembly,
    template: JSON.parse(text.replaceAll('"MetricValue":"1"', '"MetricValue":"$.kinds.count"')),
  };
  expect(JSON.stringify(nested.template)).not.toBe(text);
  expect(() => readTemplateAlarms(nested, createResolver(nested, ''))).toThrow('cloud-watch.ts');
});

test('a line in the embedded metric format is data of its metrics, with their dimensions', () => {
  const store = createMetricStore();
  const line = {
    _aws: {
      Timestamp: AT,
      CloudWatchMetrics: [
        { Namespace: 'N', Dimensions: [['service', 'feed']], Metrics: [{ Name: 'Count', Unit: 'Count' }] },
      ],
    },
    service: 's',
    feed: 'timesheets',
    Count: [2, 3],
  };
  createLogReader(store, []).read(JSON.stringify(line));
  const metric = { namespace: 'N', name: 'Count', dimensions: { feed: 'timesheets', service: 's' } };
  expect(store.read(metric, 'Sum', { from: AT, until: AT + 1 })).toBe(5);
  expect(store.read(metric, 'SampleCount', { from: AT, until: AT + 1 })).toBe(2);
  expect(store.read(metric, 'Sum', { from: AT + 1, until: AT + 2 })).toBeNull();
});

test('a percentile rank is the percent of the values above one bound, and up to the other', () => {
  const store = createMetricStore();
  const metric = { namespace: 'N', name: 'Seconds', dimensions: {} };
  for (const value of [0, 0.001, 60, 60.5]) store.add(metric, AT, value);
  expect(store.read(metric, 'PR(0:60)', { from: AT, until: AT + 1 })).toBe(50);
  expect(store.read(metric, 'PR(0:60)', { from: AT + 1, until: AT + 2 })).toBeNull();
});

test('a line that a metric filter of the template matches is counted', () => {
  const store = createMetricStore();
  const service = 'workforce-notifier-collect-alerts';
  const at = { service, timestamp: new Date(AT).toISOString() };
  const line = { ...at, outcome: 'alerts.collected', result: 'incomplete' };
  const reader = createLogReader(store, alarms.filters);
  reader.read(JSON.stringify(line));
  reader.read(JSON.stringify({ ...line, service: 'another' }));
  reader.read('    at the stack of an error');
  const filter = alarms.filters.find(({ logGroup }) => logGroup === `/aws/lambda/${service}`);
  const [{ MetricName: name, Dimensions } = { MetricName: '', Dimensions: [] }] =
    filter?.transformations ?? [];
  const dimensions = Object.fromEntries(Dimensions.map(({ Key }) => [Key, service]));
  const metric = { namespace: METRIC_NAMESPACE, name, dimensions };
  expect(store.read(metric, 'Sum', { from: AT, until: AT + 1 })).toBe(1);
});

describe('the alarm of stale names', () => {
  const DAY_MS = 86_400_000;
  const [midnight, hour] = [Date.parse('2026-03-05T00:00:00Z'), 3_600_000];

  /** Evaluates hourly from 10 in the morning, when the stack is new; `refreshes`: results by the day, at once. */
  function playDays(refreshes: readonly ('complete' | 'incomplete' | null)[]) {
    const store = createMetricStore();
    const stale = alarms.alarms.filter(({ name }) => name.endsWith('-names-stale'));
    const watch = createAlarmWatch(stale, store);
    const reader = createLogReader(store, alarms.filters);
    const service = 'workforce-notifier-poll-directory';
    const begin = midnight + 10 * hour;
    const changes: string[] = [];
    for (let at = begin; at < begin + refreshes.length * DAY_MS; at += hour) {
      const day = (at - begin) / DAY_MS;
      const result = refreshes[day] ?? null;
      const line = { service, timestamp: new Date(at).toISOString(), outcome: 'directory.polled', result };
      if (result !== null) reader.read(JSON.stringify(line));
      for (const { state, sounds } of watch.evaluate(at)) {
        changes.push(`day ${Math.floor(day)}: ${sounds ? 'sounds' : 'ends'}, ${state}`);
      }
    }
    return changes;
  }

  test('does not sound on a new stack, whose first day is not over', () => {
    expect(playDays(['complete', 'complete', 'complete', 'complete'])).toEqual([]);
    expect(playDays([null, 'complete', 'complete', 'complete'])).toEqual([]);
  });

  test('does not sound for one failed refresh', () => {
    expect(playDays(['complete', 'incomplete', 'complete', 'complete'])).toEqual([]);
  });

  test('sounds when refreshes fail on two days, from the first on or later, and ends', () => {
    expect(playDays(['incomplete', 'incomplete', 'complete', 'complete'])).toEqual([
      'day 1: sounds, ALARM',
      'day 2: ends, OK',
    ]);
    expect(playDays(['complete', 'incomplete', 'incomplete', null])).toEqual(['day 2: sounds, ALARM']);
  });

  test('sounds when nothing refreshes them any more', () => {
    expect(playDays(['complete', null, null, null, 'complete', 'complete'])).toEqual([
      'day 2: sounds, INSUFFICIENT_DATA',
      'day 4: ends, OK',
    ]);
  });
});
