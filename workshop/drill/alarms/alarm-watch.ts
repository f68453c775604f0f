import { NotifierError } from '#shared/core/errors.ts';
import { evaluateExpression } from './metric-math.ts';
import type { MetricStore, Period } from './metric-store.ts';
import type { CompositeAlarm, TemplateAlarm, TemplateAlarms } from './template-alarms.ts';

type AlarmState = 'ALARM' | 'INSUFFICIENT_DATA' | 'OK';

/** An alarm that began or ceased to sound. */
export interface AlarmChange {
  readonly alarm: CompositeAlarm | TemplateAlarm;
  readonly state: AlarmState;
  readonly sounds: boolean;
}

/** Evaluates the alarms of a template as CloudWatch does. */
export interface AlarmWatch {
  /** Evaluates the periods that are over at an instant (ms since 1970), and returns which alarms changed their state. */
  evaluate(now: number): AlarmChange[];
  /** Names of the alarms that sound. */
  sounding(): string[];
}

export function createAlarmWatch({ alarms, composites }: TemplateAlarms, store: MetricStore): AlarmWatch {
  const states = new Map<string, AlarmState>();
  const sounding = new Set<string>();
  const stateOf = (name: string) => states.get(name) ?? 'INSUFFICIENT_DATA';
  const change = (alarm: AlarmChange['alarm'], state: AlarmState): AlarmChange[] => {
    const { name } = alarm;
    const before = stateOf(name);
    states.set(name, state);
    if (before === state) return [];
    // Whoever listens is notified of a change of the state: an alarm without data from its start says nothing.
    const sounds =
      state === 'ALARM' ||
      (state === 'INSUFFICIENT_DATA' && 'soundsWithoutData' in alarm && alarm.soundsWithoutData);
    const sounded = sounding.has(name);
    if (sounds) sounding.add(name);
    else sounding.delete(name);
    return sounds === sounded ? [] : [{ alarm, state, sounds }];
  };
  return {
    evaluate: (now) => [
      ...alarms.flatMap((alarm) => change(alarm, evaluateAlarm(alarm, stateOf(alarm.name), { store, now }))),
      ...composites.flatMap((composite) => change(composite, evaluateRule(composite, stateOf))),
    ],
    sounding: () => [...sounding],
  };
}

/** Periods begin at multiples of their length, and count once they are over. */
function evaluateAlarm(
  alarm: TemplateAlarm,
  before: AlarmState,
  { store, now }: { readonly store: MetricStore; readonly now: number },
): AlarmState {
  const { periodMs, evaluated, missing } = alarm;
  const lastEnd = Math.floor(now / periodMs) * periodMs;
  const values = Array.from({ length: evaluated }, (_, index) =>
    readValue(alarm, { from: lastEnd - (index + 1) * periodMs, until: lastEnd - index * periodMs }, store),
  );
  const present = values.filter((value) => value !== null);
  const breaching = present.filter((value) => isBreach(value, alarm)).length;
  const absent = values.length - present.length;
  if (missing === 'breaching') return breaching + absent >= alarm.breaches ? 'ALARM' : 'OK';
  if (breaching >= alarm.breaches) return 'ALARM';
  if (missing === 'notBreaching') return 'OK';
  if (breaching + absent < alarm.breaches) return 'OK';
  return missing === 'ignore' || present.length > 0 ? before : 'INSUFFICIENT_DATA';
}

function readValue(
  { name, metrics, expressions, compared }: TemplateAlarm,
  period: Period,
  store: MetricStore,
): number | null {
  const read = (id: string): number | null => {
    const expression = expressions.get(id);
    if (expression !== undefined) return evaluateExpression(expression, read);
    const watched = metrics.find((metric) => metric.id === id);
    if (watched !== undefined) return store.read(watched.metric, watched.statistic, period);
    throw new NotifierError(
      'template_unsupported',
      `the alarm ${name} names a metric ${id} that it does not have`,
    );
  };
  return read(compared);
}

function isBreach(value: number, { operator, threshold }: TemplateAlarm): boolean {
  switch (operator) {
    case 'GreaterThanOrEqualToThreshold':
      return value >= threshold;
    case 'GreaterThanThreshold':
      return value > threshold;
    case 'LessThanOrEqualToThreshold':
      return value <= threshold;
    case 'LessThanThreshold':
      return value < threshold;
  }
}

const STATE_TEST = /(ALARM|OK|INSUFFICIENT_DATA)\(\s*"?([^")]+?)"?\s*\)/g;

/** A rule of state tests with AND, OR and NOT. */
function evaluateRule({ name, rule }: CompositeAlarm, stateOf: (name: string) => AlarmState): AlarmState {
  const tested = rule.replaceAll(STATE_TEST, (_, state: string, alarm: string) => {
    // A rule may name an alarm by its ARN.
    return String(Number(stateOf(alarm.slice(alarm.lastIndexOf(':') + 1)) === state));
  });
  const result = reduceRule(tested);
  if (result === null) {
    throw new NotifierError(
      'template_unsupported',
      `the drill cannot evaluate the rule of the alarm ${name}: ${rule}; add its form to workshop/drill/alarms/alarm-watch.ts`,
    );
  }
  return result ? 'ALARM' : 'OK';
}

/** Replaces the innermost parts of a rule of 0 and 1 until one digit is left. */
function reduceRule(rule: string): boolean | null {
  const STEPS: readonly (readonly [RegExp, (...parts: string[]) => string])[] = [
    [/\(\s*([01])\s*\)/, (_, value = '') => value],
    [/NOT\s+([01])/, (_, value) => (value === '0' ? '1' : '0')],
    [/([01])\s+AND\s+([01])/, (_, a, b) => (a === '1' && b === '1' ? '1' : '0')],
    [/([01])\s+OR\s+([01])(?!\s+AND)/, (_, a, b) => (a === '1' || b === '1' ? '1' : '0')],
  ];
  let rest = rule.trim();
  for (;;) {
    const step = STEPS.find(([pattern]) => pattern.test(rest));
    if (step === undefined) break;
    rest = rest.replace(step[0], (...parts) => step[1](...(parts as string[])));
  }
  return rest === '1' ? true : rest === '0' ? false : null;
}
