import * as z from 'zod';
import { payPeriodHintSchema } from '../records/pay-period.ts';
import { changeCountSchema, DATE_CLASSES, learnedPaceSchema } from './learned-state.ts';

const instant = z.number();

/**
 * A stored object. Members that a later version added are ignored, and kept when the state is written back. The type
 * has only the members of this version.
 */
function stored<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  return z.object(shape).loose() as unknown as z.ZodObject<Shape, z.core.$strip>;
}

/**
 * A complete scan that found a slice as committed. `unseen`: ids that may be there but could not be read (quarantined,
 * or absent without proof), each with the instant at which its state was last seen for certain.
 */
const coverageSchema = stored({
  at: instant,
  revision: z.int(),
  unseen: z.record(z.string(), instant.nullable()).optional(),
});
export type Coverage = z.output<typeof coverageSchema>;

/** An unpublished event of a batch: its position in the batch, its topic, and a hash of its record. */
const heldEventSchema = z.tuple([z.int().min(0), z.string(), z.string()]);
export type HeldEvent = z.output<typeof heldEventSchema>;

/**
 * Unpublished events of partly published batches, by pointer (ADR 11). With it the next poll neither publishes the
 * others again, nor reads a batch only to learn which records must wait. Losing it costs repeated events only.
 */
const heldEventsSchema = z.record(z.string(), z.array(heldEventSchema));

/** What a feed remembers between polls besides its slices. Kept small: every poll writes it. */
export const feedStateSchema = stored({
  /** Grows by one with every write. */
  revision: z.int(),
  /** Operational events so far in their epoch. */
  sequence: z.int(),
  /** Epoch of the operational events. */
  epoch: instant,
  /** No epoch so far is later than this instant. */
  newestEpoch: instant.optional(),
  /** Identity of the table in which this was written: a restored table has another one. */
  tableId: z.string().optional(),
  /** When a restored table was recognised: records of earlier epochs begin a new one. */
  restoredAt: instant.optional(),
  /**
   * After a restore: slices of the window whose rows have begun their epochs, all of them or all that could be seen, the
   * last slice that is to, and where the next poll goes on. Absent once all have.
   */
  renewal: stored({
    slices: z.record(z.string(), z.boolean()),
    through: z.string().optional(),
    next: z
      .object({
        slice: z.string(),
        generation: z.string(),
        leaf: z.int().min(0),
        /** Whether a row of its earlier leaves could not be seen; unknown when absent. */
        doubted: z.boolean().optional(),
      })
      .optional(),
  }).optional(),
  /** The baseline of the window; `completedAt` is null until every date of it was scanned. */
  baseline: stored({
    from: z.string(),
    to: z.string(),
    startedAt: instant,
    completedAt: instant.nullable(),
  }).nullable(),
  /** Per slice: start of the last complete scan that found it as committed, and the revision it had then. */
  coverage: z.record(z.string(), coverageSchema),
  /** Polls in a row that could not read the source. */
  failedPolls: z.int(),
  /** Since when polls failed, once that was told. */
  unreachableSince: instant.nullable(),
  /** When the current series of failed polls began; null when the last poll succeeded. */
  failingSince: instant.nullable(),
  /** End of the last poll that made progress. */
  completedAt: instant.nullable(),
  /** Records that cannot be read: since when, when they were met last, in which member, and whether that was told. */
  unreadable: z.record(
    z.string(),
    z.object({ since: instant, badAt: instant, cause: z.string(), told: z.boolean() }),
  ),
  /** Slices whose removals the mass-deletion guard holds: since when, and how many records were missing then. */
  shrunk: z.record(z.string(), stored({ since: instant, missing: z.int() })),
  /** Pay periods as last seen by their own feed: for the planner, `late`, and alerts about their processing. */
  payPeriods: z.array(payPeriodHintSchema),
  /** Start of the scan that saw these pay periods. */
  payPeriodsAt: instant.optional(),
  /** Reminders and daily summaries due up to this instant are done. */
  remindedUntil: instant.optional(),
  /** Per pay period: its totals when its dates were last pulled forward, and when that was. */
  pulls: z.record(z.string(), stored({ totals: z.string(), at: instant })),
  /** Earliest slice whose head the next poll must load, because its outbox may not be empty. */
  loadFrom: z.string().nullable(),
  /** Facts that most records of a slice lost at once, by slice and field: held until a second scan confirms it. */
  massChange: z.record(
    z.string(),
    z.object({
      field: z.string(),
      since: instant,
      records: z.int(),
      /** Of the records, those whose loss was published within the minute before any was held. */
      published: z.int(),
      /** Other slices on which some of the records stand by now; absent when there are none. */
      movedTo: z.array(z.string()).optional(),
    }),
  ),
  /** Set while the source sends a form that cannot be read: since when, which fields, how many records of its last scan, and on which slices. */
  formChanged: z
    .object({
      since: instant,
      fields: z.array(z.object({ field: z.string(), kinds: z.array(z.string()) })),
      bad: z.int(),
      slices: z.array(z.string()),
    })
    .nullable(),
  /**
   * Since when which thresholds for missing clockings are in force (`absence-periods.ts`); none after the option was
   * switched off.
   */
  absences: z
    .array(z.object({ since: instant, clockInMs: z.number().optional(), clockOutMs: z.number().optional() }))
    .optional(),
  /** Per slice: its last incomplete scan, while that is later than its last complete one. */
  tried: z.record(z.string(), instant),
  /** Slices that the source fails to list although it lists others. `told`: that was published. */
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
  /** How late dates are, by class; `since` is set while the feed is late. */
  lag: z.object({
    since: instant.nullable(),
    worst: z.array(z.object({ class: z.enum(DATE_CLASSES), dates: z.array(z.string()), lateMs: z.number() })),
  }),
  /** Slices with many recent changes: changes a second that their last scans found. */
  bursts: z.record(z.string(), z.number()),
  /** Where the rotation of the classes of dates continues, when more are due than fit. */
  turn: z.int(),
  /** What a page of the source took and held recently: milliseconds and records. */
  pages: z.object({ ms: z.number(), size: z.number() }).optional(),
  /** The pace with which functions of the same credential begin. */
  pace: learnedPaceSchema.optional(),
  /** Changes of the current half hour, from which the planner learns. */
  changeCount: changeCountSchema.optional(),
  /** Events that were lost, until events are published again. */
  lost: z.array(
    z.object({
      since: instant,
      cause: z.enum(['expired', 'refused']),
      count: z.int(),
      events: z.array(z.string()),
    }),
  ),
  /** Unpublished events of partly published batches. */
  held: heldEventsSchema,
});
export type FeedState = z.output<typeof feedStateSchema>;

export const EMPTY_FEED_STATE: FeedState = {
  revision: 0,
  sequence: 0,
  epoch: 0,
  baseline: null,
  coverage: {},
  failedPolls: 0,
  unreachableSince: null,
  failingSince: null,
  completedAt: null,
  unreadable: {},
  shrunk: {},
  payPeriods: [],
  pulls: {},
  loadFrom: null,
  massChange: {},
  formChanged: null,
  tried: {},
  failing: {},
  lag: { since: null, worst: [] },
  bursts: {},
  turn: 0,
  lost: [],
  held: {},
};
