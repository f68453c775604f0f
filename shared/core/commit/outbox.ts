import { toIso } from '../dates.ts';
import { compareIds } from '../events/compare-ids.ts';
import { MAX_NAMED_EVENTS, type Operation } from '../records/operation.ts';
import type { EventAddress } from '../snapshot/held-events.ts';
import type { SliceHead } from '../snapshot/snapshot.ts';
import { type CommitStep, toBatchPointer } from './commit-step.ts';
import { INSERT_FENCE } from './insert-fence.ts';

/** A pointer, and the slice whose head holds it; null for the feed's state. */
export interface OutboxEntry {
  readonly slice: string | null;
  readonly pointer: string;
}

/**
 * The outboxes that hold the pointer to a step's events: those of every slice that it changes. Heads are not read at
 * one instant; this way a poll that sees a record as the step committed it also sees that its events may still wait,
 * and publishes no later event of it before them (rule 3).
 */
export function listOutboxEntries({ heads, events }: CommitStep): OutboxEntry[] {
  if (events === null) return [];
  const pointer = toBatchPointer(events);
  const slices = heads.map(({ head }) => head.slice).filter((slice) => slice !== INSERT_FENCE);
  return slices.map((slice) => ({ slice, pointer }));
}

/** The pointers in the outboxes of heads; that of a commit is in each slice that it changed. */
export function collectOutboxEntries(heads: Iterable<SliceHead>): OutboxEntry[] {
  return [...heads].flatMap(({ slice, outbox }) => outbox.map((pointer) => ({ slice, pointer })));
}

/** Entries of one batch, with the pointer that they share. */
export interface PendingBatch {
  readonly pointer: string;
  readonly entries: readonly OutboxEntry[];
}

/** Batches in the order of their commits. */
export function sortIntoBatches(entries: readonly OutboxEntry[]): PendingBatch[] {
  return [...Map.groupBy(entries, ({ pointer }) => pointer)]
    .map(([pointer, ofBatch]) => ({ pointer, entries: ofBatch }))
    .sort((a, b) => compareIds(a.pointer, b.pointer));
}

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
    const records = new Set(events.map(([, { recordHash }]) => recordHash));
    const isClosed = records.size >= RECORDS_TO_CLOSE_A_TOPIC && events.every(([index]) => held.has(index));
    return isClosed ? [topic] : [];
  });
}

/** Events behind a held one of their record say nothing of their topic: the held one may have another. */
function listTried(sent: readonly EventAddress[], held: ReadonlySet<number>): [number, EventAddress][] {
  const behind = new Set<string>();
  return [...sent.entries()].filter(([index, { recordHash }]) => {
    if (behind.has(recordHash)) return false;
    if (held.has(index)) behind.add(recordHash);
    return true;
  });
}
