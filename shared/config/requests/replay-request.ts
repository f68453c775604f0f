import * as z from 'zod';
import { EVENT_TYPES } from '#shared/core/event-types.ts';
import { feedNameSchema } from '#shared/core/feeds.ts';
import { replayCursorSchema } from '#shared/replay/cursor.ts';
import { subscriptionFilterSchema, subscriptionTopicsSchema } from '../schema/subscription.ts';
import { readRequest } from './read-request.ts';

/**
 * Events per second of a replay. The default leaves subscribers room for live events; at the minimum, the wait for the
 * next event still fits into one invocation.
 */
export const REPLAY_RATE = { min: 0.1, max: 1_000, default: 50 } as const;

/** What the command line sends to the function that replays. Instants in milliseconds since 1970. */
const replayRequestSchema = z.strictObject({
  connection: z.string().min(1),
  feeds: z.array(feedNameSchema).min(1),
  /** Events committed at this instant or later ... */
  from: z.int(),
  /** ... and before this one. */
  to: z.int(),
  types: z.array(z.enum(EVENT_TYPES)).min(1).optional(),
  /** Id of one record. */
  record: z.string().min(1).optional(),
  /** Subscription of the one receiver, since no topic filters for it. */
  interest: z.strictObject({ topics: subscriptionTopicsSchema, filter: subscriptionFilterSchema }).optional(),
  /** All subscribers through the topics, or one queue. */
  target: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('topics') }),
    z.strictObject({ kind: z.literal('queue'), queueUrl: z.url() }),
  ]),
  /** Counts without publishing. */
  dryRun: z.boolean().default(false),
  perSecond: z.number().min(REPLAY_RATE.min).max(REPLAY_RATE.max).default(REPLAY_RATE.default),
  /** Where an earlier invocation of the same replay stopped. */
  after: replayCursorSchema.nullable().default(null),
});
export type ReplayRequest = z.output<typeof replayRequestSchema>;
export type ReplayRequestInput = z.input<typeof replayRequestSchema>;

/** Response of the function. */
export const replayReportSchema = z.strictObject({
  /** Selected events, by type. */
  matched: z.record(z.string(), z.int()),
  published: z.int(),
  /** Events that could not be published; the replay stopped there. */
  unpublished: z.int(),
  /** Whether it is finished. When not, invoke again with `next` as `after`. */
  done: z.boolean(),
  next: replayCursorSchema.nullable(),
});
export type ReplayReport = z.output<typeof replayReportSchema>;

/** Reads the event of an invocation. Throws a `NotifierError` (`request_invalid`) that says what is wrong with it. */
export function readReplayRequest(event: unknown): ReplayRequest {
  return readRequest(replayRequestSchema, event, {
    purpose: 'to replay',
    advice: 'use npm run notifier -- replay',
  });
}
