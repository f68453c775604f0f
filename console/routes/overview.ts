import * as z from 'zod';

/** When a feed was last polled. */
const feedStatusSchema = z.object({
  connection: z.string(),
  feed: z.string(),
  /** RFC 3339; null before the first complete poll. */
  completedAt: z.string().nullable(),
  /** RFC 3339; null while the source answers. */
  unreachableSince: z.string().nullable(),
});

/** What the stream says every few seconds. */
const statusSchema = z.object({
  /** Milliseconds since 1970, by the clock of the notifier: simulated with the sample company. */
  now: z.number(),
  /** Seconds of that clock for each real second. */
  speed: z.number(),
  /** Why the log cannot be read now; null while it can. */
  trouble: z.string().nullable(),
  feeds: z.array(feedStatusSchema),
});
export type Status = z.output<typeof statusSchema>;

const choiceSchema = z.object({ id: z.string(), name: z.string() });

export const overviewSchema = z.object({
  /** Such as `the data folder .data`. */
  title: z.string(),
  /** What people call the source, within a sentence. */
  serviceName: z.string(),
  stackName: z.string(),
  /** `machine`: a data folder of `npm start`. `aws`: a deployed stack. */
  place: z.enum(['machine', 'aws']),
  /** A data folder on which nothing runs now. */
  isStopped: z.boolean(),
  /** Whether the console may send events again. */
  allowsWrites: z.boolean(),
  connections: z.array(z.object({ name: z.string(), timeZone: z.string() })),
  departments: z.array(choiceSchema),
  calendars: z.array(z.string()),
  /** Types of events without their prefix. */
  types: z.array(z.string()),
  status: statusSchema,
});
export type Overview = z.output<typeof overviewSchema>;
