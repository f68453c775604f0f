import { type EventType, topicOf } from '../event-types.ts';
import { computeEventId } from '../events/events.ts';
import { OPERATIONS } from '../events/operations.ts';
import { feedNameSchema } from '../feeds.ts';
import { MAX_RETRY_WAIT_MS } from './attempt-schedule.ts';
import type { DeliverableEvent } from './delivery-message.ts';

/** Seconds after which the queue of an endpoint with an order gives out again what was left undone. */
export const REDELIVERY_SECONDS = 120;
/**
 * How long an event waits for one before it that was never seen: it is on its way, or was before our time. Long enough
 * for one that we failed to look at, and that the queue gives out again.
 */
const MAX_UNSEEN_WAIT_MS = (REDELIVERY_SECONDS + 60) * 1_000;
/** First wait behind another event. */
const MIN_WAIT_MS = 5_000;
/** The longer an event waits, the more rarely it is looked at: a tenth of the time, up to this. */
const MAX_PAUSE_MS = 5 * 60_000;
/** A mark that an event waits is renewed after this long, so that it is not taken for forgotten. */
const MARK_RENEWAL_MS = 6 * 3_600_000;
/** An event whose mark is as old as this waits no more: its message is lost or in other hands. */
const FORGOTTEN_MS = MAX_RETRY_WAIT_MS + MARK_RENEWAL_MS;

/** What is remembered of a delivery, as far as the order needs it. */
export interface DeliveryMark {
  readonly outcome: 'waiting' | 'delivered' | 'failed' | 'filtered';
  readonly at: number;
}

/** How far an endpoint is with a record. */
export interface Progress {
  /** Sequence of the last event of the epoch that is settled; null before the first. */
  readonly cursor: number | null;
  /** The event right before the one in question; null when nothing is known of it. */
  readonly predecessor: DeliveryMark | null;
}

export type Turn = { readonly turn: 'now' } | { readonly turn: 'wait'; readonly delayMs: number };

/** Whose events are counted together: those of a record, or the operations of a feed. */
export function toOrderKey({ source, subject, type }: DeliverableEvent): string {
  return isOperation(source, type) ? `${source}${OPERATIONS}` : `${source}#${subject ?? ''}`;
}

/** What the cursor of an endpoint is kept under: each epoch of a record has its own, since it counts from 1. */
export function toCursorName(event: DeliverableEvent): string {
  return event.epoch === undefined ? toOrderKey(event) : `${toOrderKey(event)}#${event.epoch}`;
}

/** Id of the event that comes right before one; null for the first of an epoch, and where it cannot be told. */
export function computePredecessorId(event: DeliverableEvent): string | null {
  const { source, subject, type, connection, epoch, sequence } = event;
  const feed = feedNameSchema.safeParse(source.split('/').at(-1));
  if (sequence === 1 || !feed.success) return null;
  const key = { connection, feed: feed.data };
  const before = { epoch, sequence: sequence - 1 };
  if (isOperation(source, type)) return computeEventId(key, OPERATIONS, before);
  return subject === undefined ? null : computeEventId(key, subject, before);
}

/** Whether the cursor alone says that it is an event's turn. */
export function isNext(sequence: number, cursor: number | null): boolean {
  return sequence === 1 || (cursor !== null && sequence <= cursor + 1);
}

/**
 * Whether it is an event's turn. It waits for as long as the one before it waits to be tried again, and three minutes
 * for one that was never seen. One that comes after a later one was sent goes at once: late is better than never.
 */
export function decideTurn(
  sequence: number,
  { cursor, predecessor }: Progress,
  { now, firstAt }: { readonly now: number; readonly firstAt: number },
): Turn {
  if (isNext(sequence, cursor)) return { turn: 'now' };
  const waited = now - firstAt;
  if (predecessor !== null && predecessor.outcome !== 'waiting') return { turn: 'now' };
  const forgotten = predecessor === null || now - predecessor.at > FORGOTTEN_MS;
  if (forgotten && waited >= MAX_UNSEEN_WAIT_MS) return { turn: 'now' };
  const pause = forgotten ? MIN_WAIT_MS : Math.max(MIN_WAIT_MS, Math.ceil(waited / 10));
  return { turn: 'wait', delayMs: Math.min(pause, MAX_PAUSE_MS) };
}

/** Whether the mark that an event waits is to be written, so that those after it wait for it. */
export function needsMark(own: DeliveryMark | null, now: number): boolean {
  return own === null || (own.outcome === 'waiting' && now - own.at > MARK_RENEWAL_MS);
}

/** Operations of a feed are counted together, whatever they are about; those of webhooks stand for themselves. */
function isOperation(source: string, type: string): boolean {
  return source.startsWith('/connections/') && topicOf(type as EventType) === 'operations';
}
