import { toIso } from '../dates.ts';
import { MAX_NAMED_EVENTS, type Operation } from '../records/operation.ts';
import type { EventAddress } from '../snapshot/held-events.ts';
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

/** A topic that fails this many records in one call, and accepts none, is not tried again in this poll. */
const RECORDS_TO_CLOSE_A_TOPIC = 3;

/**
 * The topics that accepted nothing of several records. `sent`: the events of one call, those of a record in order.
 * `held`: positions of those that did not go out.
 */
export function findClosedTopics(sent: readonly EventAddress[], held: ReadonlySet<number>): string[] {
  const tried = Map.groupBy(listTried(sent, held), ([, { topic }]) => topic);
  return [...tried].flatMap(([topic, events]) => {
    const marks = new Set(events.map(([, { mark }]) => mark));
    const isClosed = marks.size >= RECORDS_TO_CLOSE_A_TOPIC && events.every(([index]) => held.has(index));
    return isClosed ? [topic] : [];
  });
}

/** Events behind a held one of their record say nothing of their topic: the held one may have another. */
function listTried(sent: readonly EventAddress[], held: ReadonlySet<number>): [number, EventAddress][] {
  const behind = new Set<string>();
  return [...sent.entries()].filter(([index, { mark }]) => {
    if (behind.has(mark)) return false;
    if (held.has(index)) behind.add(mark);
    return true;
  });
}
