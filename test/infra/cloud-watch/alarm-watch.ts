import { NotifierError } from '#shared/core/errors.ts';
import type { MetricStore, Period } from './metric-store.ts';
import type { TemplateAlarm } from './template-alarms.ts';

type AlarmState = 'ALARM' | 'INSUFFICIENT_DATA' | 'OK';

/** An alarm that began or ceased to sound. */
interface AlarmChange {
  readonly alarm: TemplateAlarm;
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

export function createAlarmWatch(alarms: readonly TemplateAlarm[], store: MetricStore): AlarmWatch {
  const states = new Map<string, AlarmState>();
  const sounding = new Set<string>();
  const stateOf = (name: string) => states.get(name) ?? 'INSUFFICIENT_DATA';
  const change = (alarm: TemplateAlarm, state: AlarmState): AlarmChange[] => {
    const { name } = alarm;
    const before = stateOf(name);
    states.set(name, state);
    if (before === state) return [];
    // Whoever listens is notified of a change of the state: an alarm without data from its start says nothing.
    const sounds = state === 'ALARM' || (state === 'INSUFFICIENT_DATA' && alarm.soundsWithoutData);
    const sounded = sounding.has(name);
    if (sounds) sounding.add(name);
    else sounding.delete(name);
    return sounds === sounded ? [] : [{ alarm, state, sounds }];
  };
  return {
    evaluate: (now) =>
      alarms.flatMap((alarm) => change(alarm, evaluateAlarm(alarm, stateOf(alarm.name), { store, now }))),
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

/** Value of what an alarm compares: a metric, null without data, or a sum such as `FILL(a, 0) + FILL(b, 0)`. */
function readValue(
  { name, metrics, expressions, compared }: TemplateAlarm,
  period: Period,
  store: MetricStore,
): number | null {
  const refuse = (form: string): never => {
    throw new NotifierError(
      'template_unsupported',
      `this test cannot evaluate ${JSON.stringify(form)} of the alarm ${name}; add its form to test/infra/cloud-watch/alarm-watch.ts`,
    );
  };
  const read = (id: string): number | null => {
    const watched = metrics.find((metric) => metric.id === id);
    return watched === undefined ? refuse(id) : store.read(watched.metric, watched.statistic, period);
  };
  const expression = expressions.get(compared);
  if (expression === undefined) return read(compared);
  const filled = expression.split(' + ').map((term) => {
    const [, id] = FILLED.exec(term) ?? [];
    return id === undefined ? refuse(term) : (read(id) ?? 0);
  });
  return filled.reduce((sum, value) => sum + value, 0);
}

const FILLED = /^FILL\((\w+), 0\)$/;

function isBreach(value: number, { operator, threshold }: TemplateAlarm): boolean {
  return operator === 'LessThanThreshold' ? value < threshold : value >= threshold;
}
