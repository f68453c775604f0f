import * as z from 'zod';
import { heldEventsSchema } from './held-events.ts';
import { changeCountSchema, DATE_CLASSES, learnedPaceSchema } from './learned-state.ts';

const instant = z.number();

/**
 * An object as stored by any version. Members that a later one added are passed over, and kept when the state is
 * written back. Its type names only the members of this version.
 */
function stored<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  return z.object(shape).loose() as unknown as z.ZodObject<Shape, z.core.$strip>;
}

/**
 * A complete look that found a slice as committed. `unseen`: ids that were there but could not be read (quarantined,
 * or absent without proof), each with the instant its state was last seen for certain.
 */
const coverageSchema = stored({
  at: instant,
  revision: z.int(),
  unseen: z.record(z.string(), instant.nullable()).optional(),
});
export type Coverage = z.output<typeof coverageSchema>;

/** What a feed remembers between polls besides its slices. Kept small: it is written by every poll. */
export const feedStateSchema = stored({
  /** Grows by one with every write. */
  revision: z.int(),
  /** Number of operational events told so far in their epoch. */
  sequence: z.int(),
  /** Epoch of the operational events; a feed that was polled before there were epochs has none. */
  epoch: instant.optional(),
  /** Every epoch given so far is at most this instant. */
  newestEpoch: instant.optional(),
  /** Identity of the table that this was written in: a restored table has another one. */
  tableId: z.string().optional(),
  /** Since when this table goes on from a restored state: records of earlier epochs begin anew at their next event. */
  restoredAt: instant.optional(),
  /** The first look at the whole window; `completedAt` is null while it is being installed. */
  baseline: stored({
    from: z.string(),
    to: z.string(),
    startedAt: instant,
    completedAt: instant.nullable(),
  }).nullable(),
  /** Per slice: start of the last complete look that found it as committed, and the revision it had then. */
  coverage: z.record(z.string(), coverageSchema),
  /** Polls in a row that could not read the source. */
  failedPolls: z.int(),
  /** Set while `source.unreachable` stands: since when polls failed. */
  unreachableSince: instant.nullable(),
  /** When the latest run of failed polls began. */
  failingSince: instant.nullable(),
  /** End of the last poll that saw all it planned to see. */
  completedAt: instant.nullable(),
  /** Set while `poll.stalled` stands. */
  stalledSince: instant.nullable(),
  /** Bad records already told of on a day: marks, not ids of people. */
  quarantined: stored({ day: z.string(), marks: z.array(z.string()) }),
  /** Slices that lost too much at once to be believed: since when. */
  shrunk: z.record(z.string(), stored({ since: instant })),
  /** Pay periods as last seen by their own feed: for the planner, the `late` mark, and what is told of their processing. */
  payPeriods: z.array(
    // The function of the other feed reads them too, and may be of an older version for a moment.
    z.object({
      id: z.string(),
      /** A state of an older version lacks it until the next complete look. */
      calendar: z.string().optional(),
      startDate: z.string(),
      finishDate: z.string(),
      closed: z.boolean(),
      totals: z.string(),
    }),
  ),
  /** Start of the look that saw these pay periods. */
  payPeriodsAt: instant.optional(),
  /** Per pay period: its totals when its dates were last pulled forward, and when that was. */
  pulls: z.record(z.string(), stored({ totals: z.string(), at: instant })),
  /** Earliest slice whose head the next poll must load, because its outbox may not be empty. */
  loadFrom: z.string().nullable(),
  /** Facts that most records of a slice lost at once, by slice and field: held until a second look. */
  massChange: z
    .record(z.string(), z.object({ field: z.string(), since: instant, records: z.int() }))
    .optional(),
  /** Facts lost and told within the last minute, by slice and field: looks that close together count as one. */
  lossesTold: z.record(z.string(), z.object({ at: instant, records: z.int() })).optional(),
  /** Set while the source sends what cannot be read: since when, which fields, and on which slices. */
  formChanged: z
    .object({
      since: instant,
      fields: z.array(z.object({ field: z.string(), kinds: z.array(z.string()) })),
      slices: z.array(z.string()),
    })
    .nullable()
    .optional(),
  /** When it was set further back than usual, for a record that moves there. */
  extendedAt: instant.optional(),
  /** Per slice: when it was looked at last without being seen whole, while that is later than its last whole look. */
  tried: z.record(z.string(), instant),
  /** Slices that the source cannot list although it lists others: next try, and whether people were told. */
  failing: z.record(
    z.string(),
    z.object({
      since: instant,
      attempts: z.int(),
      nextAt: instant,
      code: z.string(),
      told: z.boolean(),
    }),
  ),
  /** How late dates are, by class; `since` is set while `feed.lagging` stands. */
  lag: z.object({
    since: instant.nullable(),
    worst: z.array(z.object({ class: z.enum(DATE_CLASSES), dates: z.array(z.string()), lateMs: z.number() })),
  }),
  /** Slices on which much happened lately: changes a second that their last looks found. */
  bursts: z.record(z.string(), z.number()).optional(),
  /** Which class of dates has its turn next, when more are due than fit. */
  turn: z.int().optional(),
  /** What a page of the source took and held lately: milliseconds and records. */
  pages: z.object({ ms: z.number(), size: z.number() }).optional(),
  /** What was learned of the pace that the source takes: functions of one credential begin with it. */
  pace: learnedPaceSchema.optional(),
  /** Changes of the half hour that is under way, from which the planner learns. */
  changeCount: changeCountSchema.optional(),
  /** What is left of batches that were published in part. */
  held: heldEventsSchema.optional(),
});
export type FeedState = z.output<typeof feedStateSchema>;

export const EMPTY_FEED_STATE: FeedState = {
  revision: 0,
  sequence: 0,
  baseline: null,
  coverage: {},
  failedPolls: 0,
  unreachableSince: null,
  failingSince: null,
  completedAt: null,
  stalledSince: null,
  quarantined: { day: '', marks: [] },
  shrunk: {},
  payPeriods: [],
  pulls: {},
  loadFrom: null,
  tried: {},
  failing: {},
  lag: { since: null, worst: [] },
};
