import { type ChangeGroup, DATE_CLASSES, type DateClass, mean, percentile } from './delays.ts';
import type { ModelResult } from './run-model.ts';

const GROUPS: readonly ChangeGroup[] = ['clockings', 'approvals', 'payroll', 'roster'];

/** A result in lines for a terminal. */
export function describeModelResult({ requestsPerDay, seen, told, maxAgeMs, unseen }: ModelResult): string {
  const seconds = (milliseconds: number) => Math.round(milliseconds / 1_000);
  const line = (name: ChangeGroup | DateClass) => {
    const [bySeen, byTold] = [seen.of(name), told.of(name)];
    const p = (list: readonly number[]) =>
      `${seconds(percentile(list, 0.5))} / ${seconds(percentile(list, 0.99))} s`;
    return `  ${name}: ${bySeen.length} changes, seen ${p(bySeen)}, told ${p(byTold)}`;
  };
  const ages = DATE_CLASSES.map((name) => `${name} ${(maxAgeMs[name] / 60_000).toFixed(1)}`);
  return [
    `${Math.round(requestsPerDay)} requests a day, mean delay ${seconds(mean(seen.all))} s to be seen and ${seconds(mean(told.all))} s to be told, ${unseen} never seen`,
    'p50 / p99 by what changed and by class of date:',
    ...[...GROUPS, ...DATE_CLASSES].map(line),
    `longest time without a look, minutes: ${ages.join(', ')}`,
  ].join('\n');
}
