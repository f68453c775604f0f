import { beforeAll, describe, expect, test } from 'vitest';
import config from '#config';
import { templateSchema } from '#local/aws/template/assembly.ts';
import { createResolver } from '#local/aws/template/resolver.ts';
import { evaluateAlarm } from './cloud-watch/alarm-watch.ts';
import { countLine } from './cloud-watch/log-reader.ts';
import { createMetricStore, type MetricStore } from './cloud-watch/metric-store.ts';
import {
  readTemplateAlarms,
  type TemplateAlarm,
  type TemplateAlarms,
} from './cloud-watch/template-alarms.ts';
import { buildStack, readTemplate } from './synthesized.ts';

/** Each alarm and each metric filter of the template of `notifier.config.ts`, as CloudWatch evaluates them. */

const FROM = Date.parse('2026-03-04T00:00:00Z');
let template: TemplateAlarms;

beforeAll(() => {
  const stack = buildStack(config);
  const parsed = templateSchema.parse(readTemplate(stack));
  const assembly = { stackName: stack.stackName, template: parsed, assetFolder: () => undefined };
  template = readTemplateAlarms(assembly, createResolver(assembly, ''));
});

describe('every alarm', () => {
  test('sounds when all periods breach, and ends when none does', () => {
    expect(template.alarms.length).toBeGreaterThanOrEqual(10);
    for (const alarm of template.alarms) {
      const { name, evaluated, periodMs } = alarm;
      const store = createMetricStore();
      const turn = FROM + evaluated * periodMs;
      addPeriods(store, alarm, { from: FROM, value: breachingValue(alarm) });
      addPeriods(store, alarm, { from: turn, value: healthyValue(alarm) });
      const sounding = evaluateAlarm(alarm, 'INSUFFICIENT_DATA', { store, now: turn });
      expect(sounding, `${name} sounds`).toBe('ALARM');
      const after = { store, now: turn + evaluated * periodMs };
      expect(evaluateAlarm(alarm, sounding, after), `${name} ends`).toBe('OK');
    }
  });

  test('says nothing about periods without data, but for those on silence, which sound', () => {
    const soundsAfterSilence = template.alarms.filter((alarm) => {
      const unheard = { store: createMetricStore(), now: FROM };
      return evaluateAlarm(alarm, 'INSUFFICIENT_DATA', unheard) === 'ALARM';
    });
    expect(soundsAfterSilence.length).toBeGreaterThan(0);
    expect(soundsAfterSilence).toEqual(template.alarms.filter(({ missing }) => missing === 'breaching'));
  });
});

test('every metric filter counts the line that its function logs, and no other function’s', () => {
  expect(template.filters.length).toBeGreaterThanOrEqual(1);
  for (const filter of template.filters) {
    const { pattern, functions, transformations } = filter;
    const store = createMetricStore();
    const [service = ''] = functions;
    const line = { service, timestamp: new Date(FROM).toISOString(), ...readGoldenLine(pattern) };
    countLine({ ...line, service: 'another' }, filter, store);
    countLine({ ...line, outcome: 'another' }, filter, store);
    const counted = transformations.map(({ MetricNamespace, MetricName, Dimensions }) => {
      const dimensions = Object.fromEntries(Dimensions.map(({ Key }) => [Key, service]));
      const metric = { namespace: MetricNamespace, name: MetricName, dimensions };
      return () => store.read(metric, 'SampleCount', { from: FROM, until: FROM + 1 });
    });
    expect(counted.map((count) => count())).toEqual(transformations.map(() => null));
    countLine(line, filter, store);
    expect(
      counted.map((count) => count()),
      pattern,
    ).toEqual(transformations.map(() => 1));
  }
});

/** A value in each evaluated period of an alarm. */
function addPeriods(
  store: MetricStore,
  { metric, evaluated, periodMs }: TemplateAlarm,
  { from, value }: { readonly from: number; readonly value: number },
): void {
  for (let period = 0; period < evaluated; period += 1) store.add(metric, from + period * periodMs, value);
}

function breachingValue({ operator, threshold }: TemplateAlarm): number {
  return operator === 'LessThanThreshold' ? threshold - 1 : threshold;
}

function healthyValue({ operator, threshold }: TemplateAlarm): number {
  return operator === 'LessThanThreshold' ? threshold : 0;
}

/** A line with the members that a pattern asks for. */
function readGoldenLine(pattern: string): Record<string, string> {
  const conditions = [...pattern.matchAll(/\$\.(\w+) = "([^"]*)"/g)];
  expect(conditions.length, pattern).toBeGreaterThan(0);
  return Object.fromEntries(conditions.map(([, member = '', value = '']) => [member, value]));
}
