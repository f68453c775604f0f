import type { MetricStore } from './metric-store.ts';
import type { TemplateAlarm } from './template-alarms.ts';

type AlarmState = 'ALARM' | 'INSUFFICIENT_DATA' | 'OK';

/**
 * The state of an alarm at an instant (ms since 1970), as CloudWatch finds it: periods begin at multiples of their
 * length, and count once they are over. `before`: its state until then.
 */
export function evaluateAlarm(
  alarm: TemplateAlarm,
  before: AlarmState,
  { store, now }: { readonly store: MetricStore; readonly now: number },
): AlarmState {
  const { metric, statistic, periodMs, evaluated, missing } = alarm;
  const lastEnd = Math.floor(now / periodMs) * periodMs;
  const values = Array.from({ length: evaluated }, (_, index) =>
    store.read(metric, statistic, {
      from: lastEnd - (index + 1) * periodMs,
      until: lastEnd - index * periodMs,
    }),
  );
  const present = values.filter((value) => value !== null);
  const breaching = present.filter((value) => isBreach(value, alarm)).length;
  const absent = values.length - present.length;
  if (missing === 'breaching') return breaching + absent >= evaluated ? 'ALARM' : 'OK';
  if (breaching >= evaluated) return 'ALARM';
  if (missing === 'notBreaching') return 'OK';
  if (breaching + absent < evaluated) return 'OK';
  return missing === 'ignore' || present.length > 0 ? before : 'INSUFFICIENT_DATA';
}

function isBreach(value: number, { operator, threshold }: TemplateAlarm): boolean {
  return operator === 'LessThanThreshold' ? value < threshold : value >= threshold;
}
