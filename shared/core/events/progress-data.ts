import * as z from 'zod';
import type { ProgressOperationType } from '../event-types.ts';
import { feedNameSchema } from '../feeds.ts';
import { MAX_NAMED_DATES, MAX_NAMED_EVENTS } from '../records/operation.ts';
import { DATE_CLASSES } from '../snapshot/learned-state.ts';

const instant = z.iso.datetime();
const count = z.int().min(0);

const lagSchema = z.strictObject({
  class: z
    .enum(DATE_CLASSES)
    .describe('`hot`: yesterday to tomorrow; `active`: dates still being worked on; `settled`: all others.'),
  dates: z.array(z.string()).max(MAX_NAMED_DATES).describe('The most overdue dates, at most 10.'),
  lateSeconds: z.number().min(0).describe('Seconds since the most overdue of them was due.'),
});

const malformedFieldSchema = z.strictObject({
  field: z.string().describe('Name of the member; never its value.'),
  kinds: z.array(z.string()).describe('Kinds of the invalid values, such as `string`, `null`, `object`.'),
});

/** Schema of the `data` of each type about whether polling and publishing keep up. */
export const PROGRESS_DATA_SCHEMAS = {
  'slice.unreadable': z.strictObject({
    feed: feedNameSchema,
    slice: z.string(),
    since: instant.describe('First attempt that failed.'),
    attempts: count,
    reason: z.string().describe('Code of the last error.'),
    nextTryAt: instant,
  }),
  'slice.readable': z.strictObject({
    feed: feedNameSchema,
    slice: z.string(),
    since: instant.describe('First attempt that failed.'),
    attempts: count.describe('Attempts that failed.'),
  }),
  'feed.lagging': z.strictObject({
    feed: feedNameSchema,
    since: instant,
    worst: z.array(lagSchema).describe('The classes of dates that are late.'),
  }),
  'feed.caught_up': z.strictObject({ feed: feedNameSchema, since: instant.describe('Start of the lag.') }),
  'poll.stalled': z.strictObject({
    feed: feedNameSchema,
    completedAt: instant.describe('End of the last poll that made progress.'),
  }),
  'poll.resumed': z.strictObject({
    feed: feedNameSchema,
    stalledSince: instant.describe('When `poll.stalled` was published.'),
  }),
  'slice.mass_change': z.strictObject({
    feed: feedNameSchema,
    slice: z.string(),
    field: z.string().describe('The watched field that the records lost, such as `approvedHours`.'),
    direction: z.literal('lost'),
    records: count.describe('Records that lost it; each also has an event of its own.'),
    known: count.describe('Records known in the slice.'),
    firstSeenAt: instant,
    confirmedAt: instant,
  }),
  'source.form_changed': z.strictObject({
    feed: feedNameSchema,
    since: instant,
    fields: z.array(malformedFieldSchema),
    bad: count.describe('Records of the scan that cannot be read.'),
    records: count.describe('Records of the scan.'),
  }),
  'source.form_restored': z.strictObject({
    feed: feedNameSchema,
    since: instant.describe('First scan that could not be read.'),
  }),
  'publish.failed': z.strictObject({
    feed: feedNameSchema,
    reason: z
      .enum(['expired', 'refused'])
      .describe(
        '`expired`: removed from the event log before it could be published; `refused`: SNS refused it for good.',
      ),
    events: count.describe('Events that were not published; 0 when their number is unknown.'),
    eventIds: z.array(z.string()).max(MAX_NAMED_EVENTS).describe('At most 50 of them.'),
    records: z.array(z.string()).max(MAX_NAMED_EVENTS).describe('Ids of their records, at most 50.'),
    committedAt: instant,
  }),
} as const satisfies Readonly<Record<ProgressOperationType | 'poll.stalled' | 'poll.resumed', z.ZodObject>>;
