import { beforeAll, describe, expect, test } from 'vitest';
import { type Assembly, readAssembly } from '#local/aws/template/assembly.ts';
import { createResolver } from '#local/aws/template/resolver.ts';
import { synthesize } from '#local/aws/template/synthesize.ts';
import { createAlarmWatch } from './cloud-watch/alarm-watch.ts';
import { createLogReader } from './cloud-watch/log-reader.ts';
import { createMetricStore, type MetricStore } from './cloud-watch/metric-store.ts';
import {
  readTemplateAlarms,
  type TemplateAlarm,
  type TemplateAlarms,
} from './cloud-watch/template-alarms.ts';

/** Each alarm and each metric filter of the template of `notifier.config.ts`, as CloudWatch evaluates them. */

const FROM = Date.parse('2026-03-04T00:00:00Z');
let template: TemplateAlarms;

beforeAll(async () => {
  const assembly: Assembly = readAssembly(await synthesize(() => {}));
  template = readTemplateAlarms(assembly, createResolver(assembly, ''));
});

describe('every alarm', () => {
  test('sounds when all periods breach, and ends when none does', () => {
    expect(template.alarms.length).toBeGreaterThanOrEqual(10);
    for (const alarm of template.alarms) {
      const { name, evaluated, periodMs } = alarm;
      const store = createMetricStore();
      const watch = createAlarmWatch([alarm], store);
      const turn = FROM + evaluated * periodMs;
      addPeriods(store, alarm, { from: FROM, value: breachingValue(alarm) });
      addPeriods(store, alarm, { from: turn, value: healthyValue(alarm) });
      expect(watch.evaluate(turn), `${name} sounds`).toMatchObject([{ sounds: true }]);
      expect(watch.evaluate(turn + evaluated * periodMs), `${name} ends`).toMatchObject([{ sounds: false }]);
    }
  });

  test('says nothing about periods without data, but for those on silence, which sound', () => {
    const soundsAfterSilence = template.alarms.filter((alarm) => {
      const watch = createAlarmWatch([alarm], createMetricStore());
      return watch.evaluate(FROM).some(({ sounds }) => sounds);
    });
    expect(soundsAfterSilence.map(({ missing }) => missing)).not.toContain('notBreaching');
    expect(soundsAfterSilence.map(({ name }) => name).sort()).toEqual(
      template.alarms
        .filter(({ missing }) => missing === 'breaching')
        .map(({ name }) => name)
        .sort(),
    );
  });
});

test('every metric filter counts the line that its function logs, and no other function’s', () => {
  expect(template.filters.length).toBeGreaterThanOrEqual(3);
  for (const { pattern, functions, transformations } of template.filters) {
    const store = createMetricStore();
    const reader = createLogReader(store, [{ pattern, functions, transformations }]);
    const [service = ''] = functions;
    const line = { service, timestamp: new Date(FROM).toISOString(), ...readGoldenLine(pattern) };
    reader.read(JSON.stringify({ ...line, service: 'another' }));
    reader.read(JSON.stringify({ ...line, outcome: 'another' }));
    reader.read('    at the stack of an error');
    const counted = transformations.map(({ MetricNamespace, MetricName, Dimensions }) => {
      const dimensions = Object.fromEntries(Dimensions.map(({ Key }) => [Key, service]));
      const metric = { namespace: MetricNamespace, name: MetricName, dimensions };
      return () => store.read(metric, 'SampleCount', { from: FROM, until: FROM + 1 });
    });
    expect(counted.map((count) => count())).toEqual(transformations.map(() => null));
    reader.read(JSON.stringify(line));
    expect(
      counted.map((count) => count()),
      pattern,
    ).toEqual(transformations.map(() => 1));
  }
});

/** A value in each evaluated period, of every metric that an alarm reads. */
function addPeriods(
  store: MetricStore,
  { metrics, evaluated, periodMs }: TemplateAlarm,
  { from, value }: { readonly from: number; readonly value: number },
): void {
  for (const { metric } of metrics)
    for (let period = 0; period < evaluated; period += 1) store.add(metric, from + period * periodMs, value);
}

function breachingValue({ operator, threshold }: TemplateAlarm): number {
  return operator === 'LessThanThreshold' ? threshold - 1 : threshold;
}

function healthyValue({ operator, threshold }: TemplateAlarm): number {
  return operator === 'LessThanThreshold' ? threshold : 0;
}

/** A line with the members that a pattern asks for. */
function readGoldenLine(pattern: string): Record<string, unknown> {
  const conditions = [...pattern.matchAll(/\$\.(\w+) = "([^"]*)"/g)];
  expect(conditions.length, pattern).toBeGreaterThan(0);
  const line = Object.fromEntries(conditions.map(([, member = '', value]) => [member, value]));
  return { failed: 1, refused: 1, ...line };
}
