import { computeDetectionDelay, findPercentile } from '#shared/core/events/detection-delay.ts';
import { formatDuration } from '#shared/people/messages/numbers.ts';
import { openEventLog } from '../log-query.ts';
import type { Target } from '../target.ts';
import { type Finding, finding, ok } from './finding.ts';

const DAY_MS = 86_400_000;

/** Says how soon the changes of the last 24 hours were found, by the event log. */
export async function checkDelays(target: Target): Promise<Finding[]> {
  const to = target.system.now();
  const log = openEventLog(target);
  return await Promise.all(
    target.connections.map(({ name }) => {
      const about = `delay of ${name}`;
      return finding(about, async () => {
        const delays: number[] = [];
        for await (const { texts, committedAt } of log.read(name, { from: to - DAY_MS, to }))
          for (const text of texts) {
            const delay = computeDetectionDelay(JSON.parse(text).data, committedAt);
            if (delay !== null) delays.push(delay);
          }
        return ok(about, describeDelays(delays));
      });
    }),
  );
}

function describeDelays(delays: readonly number[]): string {
  const [p50, p99] = [findPercentile(delays, 0.5), findPercentile(delays, 0.99)];
  if (p50 === null || p99 === null) return 'no changes in the last 24 hours';
  return `${delays.length} changes in the last 24 hours: found within ${formatDuration(p50)} (p50), ${formatDuration(p99)} (p99)`;
}
