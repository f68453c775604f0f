import * as z from 'zod';

/** What a poll function answers to who invoked it: the outcome in counts, nothing of the records. */
export const pollReportSchema = z.strictObject({
  connection: z.string(),
  feed: z.enum(['timesheets', 'pay-periods']),
  /**
   * `complete`: every planned slice was seen whole and committed. `incomplete`: some were not, and `reasons` says why.
   * `skipped`: another poll of this feed holds the lease. `refused`: the source refused the credential.
   */
  outcome: z.enum(['complete', 'incomplete', 'skipped', 'refused']),
  /** Slices that were planned and not reached before the deadline; the next poll goes on with them. */
  remainingSlices: z.int(),
  /** One short sentence per distinct reason; no contents of records. */
  reasons: z.array(z.string()),
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
    /** Events given up because they expired unpublished, or because SNS refuses them for good; absent means none. */
    publishFailed: z.int().optional(),
  }),
});
export type PollReport = z.output<typeof pollReportSchema>;
