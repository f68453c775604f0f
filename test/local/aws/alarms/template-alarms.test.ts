import { beforeAll, expect, test } from 'vitest';
import { createAlarmWatch } from '#local/aws/alarms/alarm-watch.ts';
import { createLogReader } from '#local/aws/alarms/emitted-metrics.ts';
import { createMetricStore } from '#local/aws/alarms/metric-store.ts';
import { readTemplateAlarms, type TemplateAlarms } from '#local/aws/alarms/template-alarms.ts';
import { readAssembly } from '#local/aws/template/assembly.ts';
import { createResolver } from '#local/aws/template/resolver.ts';
import { synthesize } from '#local/aws/template/synthesize.ts';
import { ALARMS } from '#shared/config/alarms.ts';
import { METRIC_NAMESPACE } from '#shared/config/names.ts';

const AT = Date.parse('2026-03-04T22:00:00Z');
let alarms: TemplateAlarms;

beforeAll(async () => {
  const assembly = readAssembly(await synthesize(() => {}));
  alarms = readTemplateAlarms(assembly, createResolver(assembly, ''));
});

test('every alarm of the template can be evaluated, and names a heading of the runbook', () => {
  const store = createMetricStore();
  expect(() => createAlarmWatch(alarms, store).evaluate(AT)).not.toThrow();
  const headings = [...alarms.alarms, ...alarms.composites].map(
    ({ description }) => /docs\/runbook\.md#([\w-]+)/.exec(description)?.[1],
  );
  expect(headings.length).toBeGreaterThan(15);
  expect(headings.filter((heading) => heading === undefined || !(heading in ALARMS))).toEqual([]);
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

test('a line that a metric filter of the template matches is counted', () => {
  const store = createMetricStore();
  const service = 'workforce-notifier-webhook-payroll-system';
  const line = { service, timestamp: new Date(AT).toISOString(), outcome: 'delivery.interrupted' };
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
