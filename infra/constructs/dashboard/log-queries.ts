import { isLogged, PUBLISHED_TYPES } from '#shared/core/event-types.ts';

/** A query of CloudWatch Logs Insights, which costs nothing until somebody opens the dashboard. */
export interface LogQuery {
  readonly title: string;
  readonly lines: readonly string[];
  /** A line over time; otherwise a table. */
  readonly isChart: boolean;
}

const POLLS = 'filter outcome = "poll.completed"';
const RELEASES = 'filter outcome = "alerts.released"';
const DELIVERIES = 'filter outcome = "delivery.attempted"';
/** Polls publish all types but those that functions of webhooks do. */
const POLLED_TYPES = PUBLISHED_TYPES.filter(isLogged);
const FORWARDED = 'filter outcome = "events.forwarded"';
const EVERY_5_MINUTES = 'by bin(5m)';

export const QUERIES = {
  polls: {
    title: 'Polls by result',
    lines: [POLLS, 'stats count(*) as polls by connection, feed, result, reason', 'sort polls desc'],
    isChart: false,
  },
  requests: {
    title: 'Requests to the source, and those answered with 429',
    lines: [POLLS, `stats sum(requests) as sent, sum(throttled) as refused ${EVERY_5_MINUTES}`],
    isChart: true,
  },
  changes: {
    title: 'Changes found, and records in quarantine',
    lines: [POLLS, `stats sum(changes) as changed, sum(quarantined) as unreadable ${EVERY_5_MINUTES}`],
    isChart: true,
  },
  lag: {
    title: 'Seconds from observed to published, of the slowest event of a poll',
    lines: [
      `${POLLS} and eventsPublished > 0`,
      `stats pct(lag_ms, 50) / 1000 as half, max(lag_ms) / 1000 as slowest ${EVERY_5_MINUTES}`,
    ],
    isChart: true,
  },
  types: {
    title: 'Events by type',
    lines: [POLLS, `stats ${POLLED_TYPES.map(sumPublished).join(', ')}`],
    isChart: false,
  },
  deliveries: {
    title: 'Deliveries by endpoint',
    lines: [
      DELIVERIES,
      'stats count(*) as attempts, pct(age_ms, 99) / 1000 as oldest_seconds by webhook, result, reason',
      'sort attempts desc',
    ],
    isChart: false,
  },
  forwarded: {
    title: 'Events on the bus, and those that wait for it',
    lines: [
      FORWARDED,
      `stats sum(taken) as put, sum(left) as waiting, sum(refused) as dead ${EVERY_5_MINUTES}`,
    ],
    isChart: true,
  },
  alerts: {
    title: 'Alerts by channel',
    lines: [
      RELEASES,
      'stats sum(messages) as sent, sum(alerts) as contained, max(waiting) as held, max(oldest_ms) / 1000 as oldest_seconds by channel',
    ],
    isChart: false,
  },
} as const satisfies Record<string, LogQuery>;

/** `sum(published_timesheet_approved) as timesheet_approved` */
function sumPublished(type: string): string {
  const name = type.replace(/^workforce\./, '').replaceAll('.', '_');
  return `sum(published_${name}) as ${name}`;
}
