import { describe, expect, test } from 'vitest';
import { createAlarmWatch } from '#workshop/drill/alarms/alarm-watch.ts';
import { createMetricStore } from '#workshop/drill/alarms/metric-store.ts';
import type { TemplateAlarm } from '#workshop/drill/alarms/template-alarms.ts';

const MINUTE_MS = 60_000;
const METRIC = { namespace: 'N', name: 'M', dimensions: { a: '1', b: '2' } };
const ALARM: TemplateAlarm = {
  name: 'alarm',
  description: 'docs/runbook.md#alarm',
  metrics: [{ id: 'metric', metric: METRIC, statistic: 'Sum' }],
  expressions: new Map(),
  compared: 'metric',
  periodMs: 5 * MINUTE_MS,
  operator: 'GreaterThanOrEqualToThreshold',
  threshold: 1,
  breaches: 2,
  evaluated: 3,
  missing: 'notBreaching',
  soundsWithoutData: false,
};

/** Evaluates after each minute that has a value, or null for a minute without data. */
function play(alarm: Partial<TemplateAlarm>, values: readonly (number | null)[]) {
  const store = createMetricStore();
  const watch = createAlarmWatch([{ ...ALARM, ...alarm }], store);
  const states: string[] = [];
  values.forEach((value, minute) => {
    const changes = watch.evaluate(minute * MINUTE_MS);
    states.push(...changes.map(({ alarm: { name }, state }) => `${minute} ${name} ${state}`));
    if (value !== null) store.add(METRIC, minute * MINUTE_MS + 1, value);
  });
  return { states, sounding: watch.sounding() };
}

const repeat = (value: number | null, times: number) => Array.from({ length: times }, () => value);

test('sounds when so many of the evaluated periods breach, at the end of the period', () => {
  const values = [1, ...repeat(0, 9), 1, ...repeat(0, 20)];
  expect(play({}, values).states).toEqual(['15 alarm ALARM', '20 alarm OK']);
});

describe('minutes without data', () => {
  const values = [...repeat(0, 5), ...repeat(null, 30)];

  test('do not count as a breach with notBreaching', () => {
    expect(play({}, values).sounding).toEqual([]);
  });

  test('count with breaching', () => {
    const silent = { operator: 'LessThanThreshold', missing: 'breaching' } as const;
    expect(play(silent, [...repeat(1, 20), ...repeat(null, 15)]).states.at(-1)).toBe('30 alarm ALARM');
  });

  test('leave the state as it is with ignore', () => {
    const ignoring = { missing: 'ignore' } as const;
    expect(play(ignoring, [...repeat(1, 20), ...repeat(null, 30)]).sounding).toEqual(['alarm']);
    expect(play(ignoring, [...repeat(0, 20), ...repeat(null, 30)]).sounding).toEqual([]);
  });
});

describe('an alarm that also notifies of the end of its data', () => {
  const alarm = { operator: 'LessThanThreshold', missing: 'missing', soundsWithoutData: true } as const;

  test('says nothing before there are any, and sounds when there are none any more', () => {
    const values = [...repeat(null, 30), ...repeat(1, 10), ...repeat(null, 30), ...repeat(1, 15)];
    expect(play(alarm, values).states).toEqual(['55 alarm INSUFFICIENT_DATA', '80 alarm OK']);
  });

  test('sounds as any other when its data breach, and goes on without data', () => {
    const { states, sounding } = play(alarm, [...repeat(0, 11), ...repeat(null, 30)]);
    expect(states).toEqual(['10 alarm ALARM']);
    expect(sounding).toEqual(['alarm']);
  });

  test('does not, when its template has no action for it', () => {
    const values = [...repeat(1, 10), ...repeat(null, 30)];
    expect(play({ ...alarm, soundsWithoutData: false }, values).states).toEqual([]);
  });
});

test('a sum of metrics is compared, of which one without data counts as none', () => {
  const sum = { expressions: new Map([['sum', 'FILL(metric, 0) + FILL(other, 0)']]), compared: 'sum' };
  const other = { id: 'other', metric: { ...METRIC, name: 'Other' }, statistic: 'Sum' } as const;
  expect(play({ ...sum, metrics: [...ALARM.metrics, other] }, repeat(1, 20)).sounding).toEqual(['alarm']);
});

test.each([['metric'], ['FILL(metric, 1)'], ['metric * 2'], ['FILL(metric, 0) + FILL(absent, 0)']])(
  'the expression %s is refused',
  (expression) => {
    const run = () => play({ expressions: new Map([['math', expression]]), compared: 'math' }, [1]);
    expect(run).toThrow('alarm-watch.ts');
  },
);
