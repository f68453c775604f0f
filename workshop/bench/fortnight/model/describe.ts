import { DATE_CLASSES, type DateClass } from '#shared/core/snapshot/learned-state.ts';
import { type ChangeGroup, mean, percentile } from './delays.ts';
import type { ModelResult } from './run-model.ts';

const GROUPS: readonly ChangeGroup[] = ['clockings', 'approvals', 'payroll', 'roster'];

/** A result in lines for a terminal. */
export function describeModelResult({
  requestsPerDay,
  seen,
  published,
  maxAgeMs,
  unseen,
}: ModelResult): string {
  const seconds = (milliseconds: number) => Math.round(milliseconds / 1_000);
  const line = (name: ChangeGroup | DateClass) => {
    const [delaysSeen, delaysPublished] = [seen.of(name), published.of(name)];
    const p = (list: readonly number[]) =>
      `${seconds(percentile(list, 0.5))} / ${seconds(percentile(list, 0.99))} s`;
    return `  ${name}: ${delaysSeen.length} changes, seen ${p(delaysSeen)}, published ${p(delaysPublished)}`;
  };
  const ages = DATE_CLASSES.map((name) => `${name} ${(maxAgeMs[name] / 60_000).toFixed(1)}`);
  return [
    `${Math.round(requestsPerDay)} requests a day, mean delay ${seconds(mean(seen.all))} s until seen and ${seconds(mean(published.all))} s until published, ${unseen} never seen`,
    'p50 / p99 by what changed and by class of date:',
    ...[...GROUPS, ...DATE_CLASSES].map(line),
    `longest time between two reads, minutes: ${ages.join(', ')}`,
  ].join('\n');
}
