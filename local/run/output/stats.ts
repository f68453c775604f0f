import type { PollReport } from '#shared/config/requests/poll-report.ts';
import { formatCount } from '#shared/people/messages/numbers.ts';
import { parseEventType } from '#shared/terminal/event-line.ts';

/** Counts what a run does. */
export interface RunStats {
  countEvent(body: string): void;
  countReport(report: PollReport): void;
  /** One line: events by type, polls, requests, and the seconds since it was made. */
  describe(): string;
}

export function createRunStats(): RunStats {
  const startedAt = performance.now();
  const types = new Map<string, number>();
  let polls = 0;
  let requests = 0;
  return {
    countEvent: (body) => {
      const type = parseEventType(body) ?? 'not an event';
      types.set(type, (types.get(type) ?? 0) + 1);
    },
    countReport: (report) => {
      polls += 1;
      requests += report.counts.requests;
    },
    describe: () => {
      const events = [...types.values()].reduce((sum, count) => sum + count, 0);
      const byType = [...types.keys()].sort().map((type) => `${type} ${types.get(type)}`);
      const detail = byType.length === 0 ? '' : ` (${byType.join(', ')})`;
      const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
      return `${formatCount(events, 'event')}${detail}, ${formatCount(polls, 'poll')}, ${formatCount(requests, 'request')}, ${seconds} s`;
    },
  };
}
