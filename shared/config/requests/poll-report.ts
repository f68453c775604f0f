import * as z from 'zod';
import { feedNameSchema } from '#shared/core/feeds.ts';

/** Response of a poll function: counts, no contents of records. */
export const pollReportSchema = z.strictObject({
  connection: z.string(),
  feed: feedNameSchema,
  /**
   * `complete`: every planned slice was read completely and committed. `incomplete`: some were not, and `reasons` says
   * why. `skipped`: another poll of this feed holds the lease. `refused`: the source refused the credential.
   */
  outcome: z.enum(['complete', 'incomplete', 'skipped', 'refused']),
  /** Planned slices that were not reached before the deadline; the next poll continues with them. */
  remainingSlices: z.int(),
  /** One short sentence per distinct reason; no contents of records. */
  reasons: z.array(z.string()),
  /** Milliseconds for which a source that throttles wants no request; absent when it does not, or not any more. */
  retryInMs: z.number().optional(),
  /** When busy dates are to be read again, before the next scheduled poll, and until when; absent: not before it. */
  followUp: z.strictObject({ at: z.number(), until: z.number() }).optional(),
  /** Closings that are published once the dates of their pay periods were read again; absent means none. */
  heldClosings: z.int().optional(),
  baselined: z.boolean(),
  counts: z.strictObject({
    slices: z.int(),
    records: z.int(),
    requests: z.int(),
    throttled: z.int(),
    changes: z.int(),
    quarantined: z.int(),
    conflicts: z.int(),
    eventsCommitted: z.int(),
    eventsPublished: z.int(),
    eventsWaiting: z.int(),
    /** Events that expired before they were published, or that SNS refuses for good; absent means none. */
    publishFailed: z.int().optional(),
  }),
});
export type PollReport = z.output<typeof pollReportSchema>;
