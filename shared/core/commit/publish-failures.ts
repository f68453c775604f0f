import { toIso } from '../dates.ts';
import { MAX_NAMED_EVENTS, type Operation } from '../records/operation.ts';
import type { OutboxEntry } from './outbox.ts';

/**
 * Events of a batch that can never be published. `expired`: the event log no longer holds them. `refused`: SNS refused
 * them for good.
 */
export interface PublishFailure {
  readonly reason: 'expired' | 'refused';
  /** Instant of the commit, in milliseconds since 1970. */
  readonly committedAt: number;
  /** Number of events; 0 when unknown. */
  readonly events: number;
  readonly eventIds: readonly string[];
  readonly records: readonly string[];
  /** Pointers to remove from their outboxes after `publish.failed`; none while other events of the batch wait. */
  readonly entries: readonly OutboxEntry[];
}

/** One `publish.failed` per reason, with the ids of the first events. */
export function describePublishFailures(failures: readonly PublishFailure[]): Operation[] {
  return [...Map.groupBy(failures, ({ reason }) => reason)].map(([reason, alike]) => ({
    type: 'publish.failed' as const,
    subject: null,
    data: {
      reason,
      events: alike.reduce((sum, { events }) => sum + events, 0),
      eventIds: alike.flatMap(({ eventIds }) => eventIds).slice(0, MAX_NAMED_EVENTS),
      records: [...new Set(alike.flatMap(({ records }) => records))].slice(0, MAX_NAMED_EVENTS),
      committedAt: toIso(Math.min(...alike.map(({ committedAt }) => committedAt))),
    },
  }));
}

/** Number of events that failed, with an unreadable batch counted as one. */
export function countFailedEvents(failures: readonly PublishFailure[]): number {
  return failures.reduce((sum, { events }) => sum + Math.max(1, events), 0);
}
