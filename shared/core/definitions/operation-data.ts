import * as z from 'zod';
import type { OperationType } from '../event-types.ts';
import { feedNameSchema } from '../feeds.ts';
import { MAX_NAMED_DATES, MAX_NAMED_EVENTS } from '../records/operation.ts';
import { DATE_CLASSES } from '../snapshot/learned-state.ts';
import type { EventContract } from './event-definition.ts';

const id = z.string();
const instant = z.iso.datetime();
const count = z.int().min(0);
const slice = z.string();
const webhook = z.string().describe('Name of the webhook in the config.');
const eventType = z.string();

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

/** What each type about the notifier's own operation means, and what its `data` holds. Its words: `operation-words.ts`. */
export const OPERATION_DATA = {
  'baseline.completed': {
    meaning: 'The first complete read of a feed is stored. From now on, changes are published.',
    cause: 'first complete read',
    data: ofFeed({
      from: z.string().describe('First slice of the window.'),
      to: z.string().describe('Last slice of the window.'),
      records: z.int(),
      startedAt: instant,
      completedAt: instant,
    }),
  },
  'source.unreachable': {
    meaning: 'Several polls in a row could not read the source.',
    cause: 'failed polls',
    data: ofFeed({
      failingSince: instant,
      failedPolls: z.int(),
      reason: z.string().nullable().describe('Code of the last error.'),
    }),
  },
  'source.recovered': {
    meaning: 'The source answers again.',
    cause: 'first answer',
    data: ofFeed({ unreachableSince: instant, failedPolls: z.int() }),
  },
  'record.quarantined': {
    meaning:
      'A record does not fit its schema, or one answer lists it twice with different values: it keeps its last known state. At most once per record and day.',
    cause: 'a bad record',
    data: ofFeed({
      recordId: id.nullable(),
      issues: z.array(z.string()).describe('Paths of the invalid members; never their values.'),
      listedTwice: z.literal(true).optional().describe('One answer lists it twice; `issues` differ.'),
    }),
  },
  'record.readable': {
    meaning:
      'A record that was quarantined is read again. At most once a day for a record that comes and goes.',
    cause: 'a record that was bad and is not',
    data: ofFeed({
      recordId: id,
      since: instant.describe('When `record.quarantined` was published about it first.'),
    }),
  },
  'slice.shrunk': {
    meaning: 'Too much of a slice vanished at once. Removals are held until they are proven.',
    cause: 'many absences at once',
    data: ofFeed({ slice, missing: z.int(), known: z.int().describe('Records that its list should have.') }),
  },
  'slice.whole': {
    meaning:
      'Nothing of a slice that shrank is missing any more: its records are back, or published as removed.',
    cause: 'first complete scan without absences',
    data: ofFeed({ slice, since: instant.describe('When `slice.shrunk` was published.') }),
  },
  'poll.stalled': {
    meaning: 'The source answers, but for a long time no poll has seen everything that it planned to see.',
    cause: 'incomplete polls',
    data: ofFeed({ completedAt: instant.describe('End of the last poll that made progress.') }),
  },
  'poll.resumed': {
    meaning: 'Polls see what they planned to see again, after `poll.stalled`.',
    cause: 'first poll that read something whole',
    data: ofFeed({ stalledSince: instant.describe('When `poll.stalled` was published.') }),
  },
  'slice.unreadable': {
    meaning:
      'One date, or one list, cannot be read; everything else continues. Reported once, retried less and less often.',
    cause: 'failed requests for one slice',
    data: ofFeed({
      slice,
      since: instant.describe('First attempt that failed.'),
      attempts: count,
      reason: z.string().describe('Code of the last error.'),
      nextTryAt: instant,
    }),
  },
  'slice.readable': {
    meaning: 'A date or list that could not be read can be read again.',
    cause: 'first answer for the slice',
    data: ofFeed({
      slice,
      since: instant.describe('First attempt that failed.'),
      attempts: count.describe('Attempts that failed.'),
    }),
  },
  'feed.lagging': {
    meaning: 'The source allows less than is due: which dates are read late, and by how much.',
    cause: 'more due than the source allows',
    data: ofFeed({
      since: instant,
      worst: z.array(lagSchema).describe('The classes of dates that are late.'),
    }),
  },
  'feed.caught_up': {
    meaning: 'Every date is read on time again.',
    cause: 'nothing late any more',
    data: ofFeed({ since: instant.describe('Start of the lag.') }),
  },
  'slice.mass_change': {
    meaning:
      'Most records of a slice lost the same fact at once, and a second read confirmed it. Each has its own event as well.',
    cause: 'many losses at once',
    data: ofFeed({
      slice,
      field: z.string().describe('The watched field that the records lost, such as `approvedHours`.'),
      direction: z.literal('lost'),
      records: count.describe('Records that lost it; each also has an event of its own.'),
      known: count.describe('Records known in the slice.'),
      firstSeenAt: instant,
      confirmedAt: instant,
    }),
  },
  'source.form_changed': {
    meaning:
      'More than a few records cannot be read, and in which fields. Nothing of such a scan is published.',
    cause: 'many bad records at once',
    data: ofFeed({
      since: instant,
      fields: z.array(malformedFieldSchema),
      bad: count.describe('Records of the scan that cannot be read.'),
      records: count.describe('Records of the scan.'),
    }),
  },
  'source.form_restored': {
    meaning: 'The records can be read again.',
    cause: 'first scan without them',
    data: ofFeed({ since: instant.describe('First scan that could not be read.') }),
  },
  'publish.failed': {
    meaning: 'Events can never be published: expired in the event log, or refused by SNS for good.',
    cause: 'batches that cannot be published',
    data: ofFeed({
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
  },
  'delivery.failed': {
    meaning:
      'An event could not be delivered to a webhook, despite all retries. It is in a dead-letter queue.',
    cause: 'failed attempts',
    data: z.strictObject({
      webhook,
      eventId: id.describe('The event that could not be delivered; it is in the dead-letter queue.'),
      eventType,
      attempts: count,
      reason: z.string().describe('Last HTTP status, or why there was none.'),
    }),
  },
  'delivery.recovered': {
    meaning: 'An event that was given up was delivered after all: redriven, or sent again.',
    cause: 'an accepted attempt',
    data: z.strictObject({
      webhook,
      eventId: id.describe('The event that was given up before.'),
      eventType,
      failedAt: instant.describe('When `delivery.failed` was published about it.'),
    }),
  },
  'webhook.disabled': {
    meaning: 'A webhook answered 410 and gets nothing more until it is enabled again.',
    cause: 'the answer 410',
    data: z.strictObject({ webhook, reason: z.string().describe('What the endpoint answered.') }),
  },
  'webhook.enabled': {
    meaning:
      'A webhook that was disabled gets events again: a person enabled it, or it has another address in the config. Published with the next event for it.',
    cause: 'the next event after a person enabled it',
    data: z.strictObject({ webhook, disabledAt: instant.describe('When it was disabled.') }),
  },
} as const satisfies Readonly<Record<OperationType, EventContract>>;

function ofFeed<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  return z.strictObject({ feed: feedNameSchema, ...shape });
}
