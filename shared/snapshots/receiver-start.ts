import * as z from 'zod';
import { stillLasts } from '../core/clock-tolerance.ts';
import { toEventType, topicOf } from '../core/event-types.ts';
import { FEED_NAMES, type FeedName, feedNameSchema } from '../core/feeds.ts';
import { MAX_LEASE_MS } from '../core/plan/lease.ts';
import { feedDefinition } from '../core/records/feed-definition.ts';
import { type RecordCursor, recordCursorSchema } from './stored-records.ts';

/** One start: of a receiver, for a connection, and the how manieth of that. */
export interface StartKey {
  /** Such as `webhook-payroll` or `subscription-payroll`. */
  readonly receiver: string;
  readonly generation: number;
  readonly connection: string;
}

/** How far a start is. Instants in milliseconds since 1970. */
export const receiverStartSchema = z.object({
  /** Grows by one with every write. */
  revision: z.int().min(1),
  /** Where it goes on; null before the first record of a feed. Its selection is the position in `FEED_NAMES`. */
  after: recordCursorSchema.nullable(),
  /** Feeds of which everything was sent. */
  sentFeeds: z.array(feedNameSchema),
  /** Events sent so far; a few may have been sent twice. */
  sent: z.int(),
  /** Until then one run owns it. */
  ownedUntil: z.number(),
  /** When everything was sent; null before. */
  doneAt: z.number().nullable(),
});
export type ReceiverStart = z.output<typeof receiverStartSchema>;

/** What a run may begin with; null when it is done, or another run owns it. */
export function claimStart(
  known: ReceiverStart | null,
  { now, ownedUntil }: { readonly now: number; readonly ownedUntil: number },
): ReceiverStart | null {
  if (known === null) return { revision: 1, after: null, sentFeeds: [], sent: 0, ownedUntil, doneAt: null };
  if (known.doneAt !== null || stillLasts(known.ownedUntil, now, MAX_LEASE_MS)) return null;
  return { ...known, revision: known.revision + 1, ownedUntil };
}

/** Feeds of which a start has still to send records, in their order. `topics`: what the receiver gets. */
export function listUnsentFeeds(start: ReceiverStart, topics: readonly string[]): FeedName[] {
  return FEED_NAMES.filter((feed) => topics.includes(topicOfFeed(feed)) && !start.sentFeeds.includes(feed));
}

/** The topic to which the changes of a feed are published. */
function topicOfFeed(feed: FeedName): string {
  return topicOf(toEventType(feedDefinition(feed).created));
}

/** Where a walk over one feed alone goes on; null for its beginning. */
export function findCursor({ after }: ReceiverStart, feed: FeedName): RecordCursor | null {
  return after === null || FEED_NAMES[after.selection] !== feed ? null : { ...after, selection: 0 };
}

/** A start after a part of a feed was sent. `next`: as of a walk over this feed alone. */
export function advanceStart(
  start: ReceiverStart,
  feed: FeedName,
  part: { readonly published: number; readonly done: boolean; readonly next: RecordCursor | null },
): ReceiverStart {
  const { published, done, next } = part;
  const sentFeeds = [...start.sentFeeds, ...(done ? [feed] : [])];
  const after = done || next === null ? null : { ...next, selection: FEED_NAMES.indexOf(feed) };
  return { ...start, revision: start.revision + 1, sent: start.sent + published, after, sentFeeds };
}
