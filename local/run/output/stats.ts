import { parseEventType } from '#cli/events/describe-event.ts';
import type { PollReport } from '#shared/config/requests/poll-report.ts';

/** Counts what a run does. */
export interface RunStats {
  /** Not for replayed events. */
  countEvent(body: string): void;
  countReport(report: PollReport): void;
  /** One line: events by type, polls, requests, duration. */
  summary(): string;
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
    summary: () => {
      const events = [...types.values()].reduce((sum, count) => sum + count, 0);
      const byType = [...types]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([type, count]) => `${type} ${count}`);
      const detail = byType.length === 0 ? '' : ` (${byType.join(', ')})`;
      const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
      return `${events} events${detail}, ${polls} polls, ${requests} requests, ${seconds} s`;
    },
  };
}
