import * as z from 'zod';
import { EVENT_TYPES } from '#shared/core/event-types.ts';
import { feedNameSchema } from '#shared/core/feeds.ts';
import { replayCursorSchema } from '#shared/replay/cursor.ts';
import { recordCursorSchema, recordSelectionSchema } from '#shared/snapshots/stored-records.ts';
import { subscriptionFilterSchema, subscriptionTopicsSchema } from '../schema/subscription.ts';
import { readRequest } from './read-request.ts';

/**
 * Events per second of a replay. The default leaves subscribers room for live events; at the minimum, the wait for the
 * next event still fits into one invocation.
 */
export const REPLAY_RATE = { min: 0.1, max: 1_000, default: 50 } as const;
const perSecondSchema = z.number().min(REPLAY_RATE.min).max(REPLAY_RATE.max).default(REPLAY_RATE.default);

/** What a receiver subscribes to. */
const interestSchema = z.strictObject({ topics: subscriptionTopicsSchema, filter: subscriptionFilterSchema });

/** What the function answers when it was asked to replay, or to send snapshots. */
function reportSchema<Cursor extends z.ZodType>(cursor: Cursor) {
  return z.strictObject({
    /** Selected events, by type. */
    matched: z.record(z.string(), z.int()),
    published: z.int(),
    /** Events that could not be sent; it stopped there. */
    unpublished: z.int(),
    /** Whether it is finished. When not, invoke again with `next` as `after`. */
    done: z.boolean(),
    next: cursor.nullable(),
  });
}

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
  interest: interestSchema.optional(),
  /** All subscribers through the topics, or one queue. */
  target: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('topics') }),
    z.strictObject({ kind: z.literal('queue'), queueUrl: z.url() }),
  ]),
  /** Counts without publishing. */
  dryRun: z.boolean().default(false),
  perSecond: perSecondSchema,
  /** Where an earlier invocation of the same replay stopped. */
  after: replayCursorSchema.nullable().default(null),
});
export type ReplayRequest = z.output<typeof replayRequestSchema>;
export type ReplayRequestInput = z.input<typeof replayRequestSchema>;

export const replayReportSchema = reportSchema(replayCursorSchema);
export type ReplayReport = z.output<typeof replayReportSchema>;

/** Reads the event of an invocation. Throws a `NotifierError` (`request_invalid`) that says what is wrong with it. */
export function readReplayRequest(event: unknown): ReplayRequest {
  return readRequest(replayRequestSchema, event, {
    purpose: 'to replay',
    advice: 'use npm run notifier -- replay',
  });
}

/** What asks the function that replays for the state of records. */
const snapshotRequestSchema = z.strictObject({
  kind: z.literal('snapshot'),
  connection: z.string().min(1),
  select: z.array(recordSelectionSchema).min(1),
  /** What the receiver subscribes to; without it, everything. */
  interest: interestSchema.optional(),
  queueUrl: z.url(),
  /** Counts without sending. */
  dryRun: z.boolean().default(false),
  perSecond: perSecondSchema,
  /** Where an earlier invocation stopped. */
  after: recordCursorSchema.nullable().default(null),
});
export type SnapshotRequest = z.output<typeof snapshotRequestSchema>;
export type SnapshotRequestInput = z.input<typeof snapshotRequestSchema>;

export const snapshotReportSchema = reportSchema(recordCursorSchema);
export type SnapshotReport = z.output<typeof snapshotReportSchema>;

/** Whether an event of an invocation is meant as such a request, right or wrong. */
export function isSnapshotRequest(event: unknown): boolean {
  return z.looseObject({ kind: z.literal('snapshot') }).safeParse(event).success;
}

/** Reads the event of an invocation. Throws a `NotifierError` (`request_invalid`) that says what is wrong with it. */
export function readSnapshotRequest(event: unknown): SnapshotRequest {
  return readRequest(snapshotRequestSchema, event, {
    purpose: 'to send snapshots',
    advice: 'use npm run notifier -- snapshot',
  });
}

/** What a schedule sends: receivers that begin with a snapshot. */
const startRequestSchema = z.strictObject({
  kind: z.literal('start'),
  connections: z.array(z.string().min(1)).min(1),
  receivers: z
    .array(
      z.strictObject({
        /** Such as `webhook-payroll`. */
        name: z.string().min(1),
        generation: z.int().min(1),
        queueUrl: z.url(),
        interest: interestSchema,
      }),
    )
    .min(1),
  perSecond: perSecondSchema,
});
export type StartRequest = z.output<typeof startRequestSchema>;
export type StartRequestInput = z.input<typeof startRequestSchema>;

/** Whether an event of an invocation is meant as such a request, right or wrong. */
export function isStartRequest(event: unknown): boolean {
  return z.looseObject({ kind: z.literal('start') }).safeParse(event).success;
}

/** Reads the event of an invocation. Throws a `NotifierError` (`request_invalid`) that says what is wrong with it. */
export function readStartRequest(event: unknown): StartRequest {
  return readRequest(startRequestSchema, event, {
    purpose: 'to start receivers',
    advice: 'the schedule of the stack sends it',
  });
}
