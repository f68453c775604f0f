import { isMisdated } from '../core/clock-tolerance.ts';
import { type EventType, topicOf } from '../core/event-types.ts';
import { computeEventId, OPERATIONS } from '../core/events/envelope.ts';
import { feedNameSchema } from '../core/feeds.ts';
import { WAITS } from '../core/waits.ts';
import { MAX_RETRY_WAIT_MS } from './attempt-schedule.ts';
import type { DeliverableEvent } from './delivery-message.ts';

/** Visibility timeout, in seconds, of the queue of an ordered endpoint. */
export const REDELIVERY_SECONDS = 120;
/**
 * How long an event waits for a predecessor that was never received: it is on its way, or older than the subscription.
 * Longer than the visibility timeout, so that a message whose handling failed comes back in time.
 */
const MAX_UNSEEN_WAIT_MS = (REDELIVERY_SECONDS + 60) * 1_000;
/** Events before an unseen predecessor that are looked up: one of them may still be retried, and comes first. */
const MAX_LOOK_BACK = 10;
/** The ledger entry of a waiting event is renewed after this time, so that it is not taken for lost. */
const ENTRY_RENEWAL_MS = 6 * 3_600_000;
/** A waiting event whose entry is older than this is lost: deleted from the queue, or moved out of it. */
const LOST_MS = MAX_RETRY_WAIT_MS + ENTRY_RENEWAL_MS;

/** The entry of a delivery in the ledger, as far as the order needs it. */
export interface LedgerNote {
  readonly outcome: 'waiting' | 'delivered' | 'failed' | 'filtered';
  readonly at: number;
}

export interface Progress {
  /** Sequence of the last settled event of the epoch; null before the first. */
  readonly cursor: number | null;
  /** The entry of the nearest earlier event that was looked up and received; null when there is none. */
  readonly predecessor: LedgerNote | null;
}

/** `delayMs`: when to check again. */
export type Turn = { readonly turn: 'now' } | { readonly turn: 'wait'; readonly delayMs: number };

/** Events with the same key share one sequence: those of a record, or the operational events of a feed. */
export function toOrderKey({ source, subject, type }: DeliverableEvent): string {
  return isOperation(source, type) ? `${source}${OPERATIONS}` : `${source}#${subject ?? ''}`;
}

/** Name of the stored cursor. Each epoch has its own, since its sequence starts at 1. */
export function toCursorName(event: DeliverableEvent): string {
  return event.epoch === undefined ? toOrderKey(event) : `${toOrderKey(event)}#${event.epoch}`;
}

/** Id of the event right before one; null for the first of an epoch, and for events that have no sequence. */
export function computePredecessorId(event: DeliverableEvent): string | null {
  const { source, subject, type, connection, epoch, sequence } = event;
  const feed = feedNameSchema.safeParse(source.split('/').at(-1));
  if (sequence === 1 || epoch === undefined || !feed.success) return null;
  const key = { connection, feed: feed.data };
  const before = { epoch, sequence: sequence - 1 };
  if (isOperation(source, type)) return computeEventId(key, OPERATIONS, before);
  return subject === undefined ? null : computeEventId(key, subject, before);
}

/**
 * Ids of the unsettled events before one, the nearest first: the one right before it, and after waiting for that in
 * vain also those before it.
 */
export function listPredecessorIds(
  event: DeliverableEvent,
  { cursor, waitedMs }: { readonly cursor: number | null; readonly waitedMs: number },
): string[] {
  const count = waitedMs >= MAX_UNSEEN_WAIT_MS ? MAX_LOOK_BACK : 1;
  const unsettled = Math.min(count, event.sequence - 1 - (cursor ?? 0));
  return Array.from({ length: Math.max(0, unsettled) }, (_, back) => event.sequence - back).flatMap(
    (sequence) => computePredecessorId({ ...event, sequence }) ?? [],
  );
}

/** Whether the cursor alone shows that it is an event's turn. */
export function isNext(sequence: number, cursor: number | null): boolean {
  return sequence === 1 || (cursor !== null && sequence <= cursor + 1);
}

/**
 * Whether it is an event's turn. It waits while its predecessor is being retried, and three minutes for one that was
 * never received, unless one before that is being retried. An event that arrives after a later one was sent goes at once: late is better than never.
 */
export function decideTurn(
  sequence: number,
  { cursor, predecessor }: Progress,
  { now, firstAt }: { readonly now: number; readonly firstAt: number },
): Turn {
  if (isNext(sequence, cursor)) return { turn: 'now' };
  const waited = now - firstAt;
  if (predecessor !== null && predecessor.outcome !== 'waiting') return { turn: 'now' };
  const isLost = predecessor === null || isMisdated(predecessor.at, now) || now - predecessor.at > LOST_MS;
  if (isLost && waited >= MAX_UNSEEN_WAIT_MS) return { turn: 'now' };
  const { firstMs, maxMs } = WAITS.webhookOrder;
  const pause = isLost ? firstMs : Math.max(firstMs, Math.ceil(waited / 10));
  return { turn: 'wait', delayMs: Math.min(pause, maxMs) };
}

/** Whether to write the entry of a waiting event, which makes later events wait for it. */
export function needsEntry(own: LedgerNote | null, now: number): boolean {
  if (own === null) return true;
  return own.outcome === 'waiting' && (isMisdated(own.at, now) || now - own.at > ENTRY_RENEWAL_MS);
}

/** Operational events of a feed share one sequence, whatever they are about; those of webhooks have none. */
function isOperation(source: string, type: string): boolean {
  return source.startsWith('/connections/') && topicOf(type as EventType) === 'operations';
}
