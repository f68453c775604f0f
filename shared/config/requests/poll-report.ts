import * as z from 'zod';
import { feedNameSchema } from '#shared/core/feeds.ts';

/** Response of the function that polls: counts, no contents of records. */
export const pollReportSchema = z.strictObject({
  connection: z.string(),
  /**
   * `complete`: every slice that was due was read completely and committed; those of silent feeds do not count.
   * `incomplete`: some were not, and `reasons` says why. `skipped`: another poll holds the lease. `refused`: the source
   * refused the credential.
   */
  outcome: z.enum(['complete', 'incomplete', 'skipped', 'refused']),
  /** One short sentence per distinct reason; no contents of records. */
  reasons: z.array(z.string()),
  /** Slices that were due and not reached before the deadline; the next poll continues with them. */
  remainingSlices: z.int(),
  /** When the first slice is due again, where that is before the next schedule; in milliseconds since 1970. */
  followUpAt: z.number().optional(),
  /** Feeds whose baseline is whole. */
  baselined: z.array(feedNameSchema),
  counts: z.strictObject({
    slices: z.int(),
    records: z.int(),
    requests: z.int(),
    throttled: z.int(),
    changes: z.int(),
    quarantined: z.int(),
    eventsCommitted: z.int(),
    eventsPublished: z.int(),
    eventsWaiting: z.int(),
    /** Events that SNS refuses for good. */
    publishFailed: z.int(),
  }),
});
export type PollReport = z.output<typeof pollReportSchema>;
