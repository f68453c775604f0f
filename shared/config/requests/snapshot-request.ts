import * as z from 'zod';
import { recordCursorSchema, recordSelectionSchema } from '#shared/snapshots/stored-records.ts';
import { subscriptionFilterSchema, subscriptionTopicsSchema } from '../schema/subscription.ts';
import { readRequest } from './read-request.ts';
import { REPLAY_RATE } from './replay-request.ts';

/** What asks the function that replays for the state of records. */
const snapshotRequestSchema = z.strictObject({
  kind: z.literal('snapshot'),
  connection: z.string().min(1),
  select: z.array(recordSelectionSchema).min(1),
  /** What the receiver subscribes to; without it, everything. */
  interest: z.strictObject({ topics: subscriptionTopicsSchema, filter: subscriptionFilterSchema }).optional(),
  queueUrl: z.url(),
  /** Counts without sending. */
  dryRun: z.boolean().default(false),
  perSecond: z.number().min(REPLAY_RATE.min).max(REPLAY_RATE.max).default(REPLAY_RATE.default),
  /** Where an earlier invocation stopped. */
  after: recordCursorSchema.nullable().default(null),
});
export type SnapshotRequest = z.output<typeof snapshotRequestSchema>;
export type SnapshotRequestInput = z.input<typeof snapshotRequestSchema>;

/** Response of the function. */
export const snapshotReportSchema = z.strictObject({
  /** Selected records, by the type of their events. */
  matched: z.record(z.string(), z.int()),
  published: z.int(),
  /** Events that could not be sent; it stopped there. */
  unpublished: z.int(),
  /** Whether it is finished. When not, invoke again with `next` as `after`. */
  done: z.boolean(),
  next: recordCursorSchema.nullable(),
});
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
