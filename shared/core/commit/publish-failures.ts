import { toIso } from '../dates.ts';
import type { Operation } from '../records/operation.ts';
import type { OutboxEntry } from './outbox.ts';

/** Ids that one `publish.failed` names. */
const MAX_IDS = 50;

/**
 * Events of a batch that can never be published: `expired`, their items are no longer in the event log; `refused`,
 * SNS will not take them however often they are sent.
 */
export interface PublishFailure {
  readonly reason: 'expired' | 'refused';
  /** Instant of the commit, in milliseconds. */
  readonly committedAt: number;
  /** How many; 0 when unknown. */
  readonly events: number;
  readonly eventIds: readonly string[];
  readonly records: readonly string[];
  /** Pointers to take out of their outboxes once the failure has been told; none while other events wait. */
  readonly entries: readonly OutboxEntry[];
}

/** The operational events that tell of failures: one per reason, with the ids of the first ones. */
export function describePublishFailures(failures: readonly PublishFailure[]): Operation[] {
  return [...Map.groupBy(failures, ({ reason }) => reason)].map(([reason, alike]) => ({
    type: 'publish.failed' as const,
    subject: null,
    data: {
      reason,
      events: alike.reduce((sum, { events }) => sum + events, 0),
      eventIds: alike.flatMap(({ eventIds }) => eventIds).slice(0, MAX_IDS),
      records: [...new Set(alike.flatMap(({ records }) => records))].slice(0, MAX_IDS),
      committedAt: toIso(Math.min(...alike.map(({ committedAt }) => committedAt))),
    },
  }));
}

/** Events that failures stand for, each unreadable batch counted as one. */
export function countFailedEvents(failures: readonly PublishFailure[]): number {
  return failures.reduce((sum, { events }) => sum + Math.max(1, events), 0);
}
