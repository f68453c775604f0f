import { NotifierError } from '#shared/core/errors.ts';
import type { FeedKey } from '#shared/core/feeds.ts';
import type { EventLog, LoggedBatch } from '#shared/flow/event-log.ts';
import type { LogQuery } from '#shared/operator/log-query.ts';
import { selectEvents } from '#shared/webhooks/selection.ts';
import { advance, type FeedPosition, startOfRead } from './position.ts';

/** Code of the error when the log cannot be read now. */
export const LOG_UNREADABLE = 'log_unreadable';

const DAY_MS = 86_400_000;

/** One feed to follow. */
export interface FollowedFeed {
  readonly key: FeedKey;
  /** Which of its events. */
  readonly selection: Pick<LogQuery, 'types' | 'record'>;
  readonly timeZone: string;
}

/** An event that was not taken yet, or, without a text, the end of a batch. */
export interface NewEvent {
  readonly feed: FollowedFeed;
  /** The CloudEvent as JSON, byte for byte as published; null at the end of a batch. */
  readonly text: string | null;
  /** Where the feed is once this event was taken. */
  readonly position: FeedPosition;
}

export interface ReadOptions {
  readonly log: EventLog;
  readonly positionOf: (feed: FollowedFeed) => FeedPosition;
  /** How long after a later batch an earlier one may appear, in milliseconds of the target's clock. */
  readonly overlapMs: number;
  /** Milliseconds since 1970, by the target's clock. */
  readonly now: number;
}

/**
 * The events that were not taken yet, of all feeds in the order of their commits; those of a record are in the order of
 * their sequence. Throws a `NotifierError` (`LOG_UNREADABLE`) when the log cannot be read.
 */
export async function* readNewEvents(
  feeds: readonly FollowedFeed[],
  options: ReadOptions,
): AsyncGenerator<NewEvent, void> {
  for await (const { feed, batch } of mergeByTime(feeds.map((feed) => readBatches(feed, options)))) {
    const before = options.positionOf(feed);
    const done = before.recent[batch.pointer]?.taken ?? 0;
    const { overlapMs } = options;
    for (const [index, text] of batch.texts.entries()) {
      if (index < done || selectEvents([text], feed.selection).length === 0) continue;
      yield { feed, text, position: advance(before, batch, { taken: index + 1, overlapMs }) };
    }
    const taken = batch.texts.length;
    if (done < taken) yield { feed, text: null, position: advance(before, batch, { taken, overlapMs }) };
  }
}

interface FeedBatch {
  readonly feed: FollowedFeed;
  readonly batch: LoggedBatch;
}

async function* readBatches(
  feed: FollowedFeed,
  { log, positionOf, overlapMs, now }: ReadOptions,
): AsyncGenerator<FeedBatch, void> {
  try {
    // A day ahead: a batch may be committed by a clock ahead of this one.
    const between = { from: startOfRead(positionOf(feed), overlapMs), to: now + DAY_MS };
    for await (const batch of log.read(feed.key, between)) yield { feed, batch };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message || cause.name : String(cause);
    const retryable = cause instanceof NotifierError && cause.retryable;
    throw new NotifierError(LOG_UNREADABLE, `cannot read the event log: ${reason}`, { cause, retryable });
  }
}

/** All batches in the order of their commits; each source is in that order. */
async function* mergeByTime(
  sources: readonly AsyncGenerator<FeedBatch, void>[],
): AsyncGenerator<FeedBatch, void> {
  const waiting = await Promise.all(sources.map((source) => source.next()));
  for (;;) {
    let first: { readonly index: number; readonly value: FeedBatch } | null = null;
    for (const [index, next] of waiting.entries()) {
      if (next.done === true) continue;
      if (first === null || next.value.batch.committedAt < first.value.batch.committedAt)
        first = { index, value: next.value };
    }
    if (first === null) return;
    yield first.value;
    waiting[first.index] = (await sources[first.index]?.next()) ?? { done: true, value: undefined };
  }
}
