import * as z from 'zod';
import { WATERMARK_DATA } from '../../watermark/contents.ts';
import type { DeliveryOperationType, OperationType } from '../event-types.ts';
import { feedNameSchema } from '../feeds.ts';
import { MAX_NAMED_DATES, MAX_NAMED_EVENTS, type Operation } from '../records/operation.ts';
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
  'baseline.progressed': {
    meaning: 'Of the first complete read of a feed, another quarter of its dates or more is stored.',
    cause: 'first read that takes several polls',
    data: ofFeed({
      from: z.string().describe('First date of the window.'),
      to: z.string().describe('Last date of the window.'),
      dates: z.int().min(1).describe('Dates of the window.'),
      datesRead: count.describe('Of these, the dates that were read, those around today first.'),
      records: count.describe('Records of these.'),
      startedAt: instant,
    }),
  },
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
      'A record, or an event about it, does not fit its schema, or one answer lists it twice with different values: it keeps its last known state. At most once per record and day.',
    cause: 'a bad record',
    data: ofFeed({
      recordId: id.nullable(),
      issues: z
        .array(z.string())
        .describe('Paths of the invalid members, `data.` before those of an event; never their values.'),
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
  'feed.complete': {
    meaning:
      'A watermark: everything that happened in the source before `through` and could be seen is published, but for what `except` names; and which events were committed since the watermark before. Opt in.',
    cause: 'time, when nothing waits',
    data: ofFeed(WATERMARK_DATA),
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

/** An operation as it may happen to the timesheets of a connection, for documents and for whoever tries a receiver. */
export interface OperationExample {
  /** RFC 3339. */
  readonly at: string;
  /** Absent where it is about the whole feed. */
  readonly subject?: string;
  readonly data: Operation['data'];
}

/** An example of each type about a feed, in order of time. Those about a webhook follow from another event. */
export const OPERATION_EXAMPLES: Readonly<
  Record<Exclude<OperationType, DeliveryOperationType>, OperationExample>
> = {
  'baseline.progressed': {
    at: '2026-11-08T18:58:02.410Z',
    data: {
      from: '2026-10-10',
      to: '2026-11-23',
      dates: 45,
      datesRead: 24,
      records: 1_312,
      startedAt: '2026-11-08T18:58:00.000Z',
    },
  },
  'baseline.completed': {
    at: '2026-11-08T18:58:03.220Z',
    data: {
      from: '2026-10-10',
      to: '2026-11-23',
      records: 2_410,
      startedAt: '2026-11-08T18:58:00.000Z',
      completedAt: '2026-11-08T18:58:03.220Z',
    },
  },
  'source.unreachable': {
    at: '2026-11-13T02:09:00.090Z',
    data: { failingSince: '2026-11-13T02:05:00.044Z', failedPolls: 5, reason: 'source_failed' },
  },
  'source.recovered': {
    at: '2026-11-13T02:31:02.613Z',
    data: { unreachableSince: '2026-11-13T02:05:00.044Z', failedPolls: 26 },
  },
  'record.quarantined': {
    at: '2026-11-13T03:12:00.782Z',
    subject: '910002_4711',
    data: { recordId: '910002_4711', issues: ['hoursToPay'] },
  },
  'record.readable': {
    at: '2026-11-13T05:47:00.318Z',
    subject: '910002_4711',
    data: { recordId: '910002_4711', since: '2026-11-13T03:12:00.782Z' },
  },
  'slice.shrunk': {
    at: '2026-11-14T00:20:01.006Z',
    subject: '2026-11-13',
    data: { slice: '2026-11-13', missing: 41, known: 55 },
  },
  'slice.whole': {
    at: '2026-11-14T01:05:00.470Z',
    subject: '2026-11-13',
    data: { slice: '2026-11-13', since: '2026-11-14T00:20:01.006Z' },
  },
  'poll.stalled': { at: '2026-11-14T04:45:00.338Z', data: { completedAt: '2026-11-14T04:14:00.571Z' } },
  'poll.resumed': { at: '2026-11-14T05:20:00.291Z', data: { stalledSince: '2026-11-14T04:45:00.338Z' } },
  'slice.unreadable': {
    at: '2026-11-14T19:20:00.415Z',
    subject: '2026-11-02',
    data: {
      slice: '2026-11-02',
      since: '2026-11-14T19:17:00.502Z',
      attempts: 3,
      reason: 'source_failed',
      nextTryAt: '2026-11-14T19:24:00.415Z',
    },
  },
  'slice.readable': {
    at: '2026-11-14T20:04:00.731Z',
    subject: '2026-11-02',
    data: { slice: '2026-11-02', since: '2026-11-14T19:17:00.502Z', attempts: 6 },
  },
  'feed.lagging': {
    at: '2026-11-14T20:31:01.160Z',
    data: {
      since: '2026-11-14T20:26:00.284Z',
      worst: [
        { class: 'active', dates: ['2026-11-09', '2026-11-10'], lateSeconds: 460 },
        { class: 'settled', dates: ['2026-10-12'], lateSeconds: 10_800 },
      ],
    },
  },
  'feed.caught_up': { at: '2026-11-14T21:15:00.902Z', data: { since: '2026-11-14T20:26:00.284Z' } },
  'feed.complete': {
    at: '2026-11-14T21:20:01.118Z',
    data: {
      since: { id: '0f3d2a9be1c94c5d8a7b6e5f4d3c2b1a', at: '2026-11-14T21:15:00.902Z' },
      through: {
        hotDates: { from: '2026-11-13', to: '2026-11-15', at: '2026-11-14T21:20:00.094Z' },
        window: { from: '2026-10-10', to: '2026-11-28', at: '2026-11-14T20:53:00.311Z' },
      },
      except: [
        { reason: 'unreadable', from: '2026-11-02', to: '2026-11-02', seenAt: '2026-11-14T19:12:00.204Z' },
        { reason: 'unreadable', records: ['910002_4711'] },
      ],
      events: {
        count: 1,
        digest: '58ad0a56cbe1ff4f85b0bc3b08fdc10a08cbb2bcb5ac9a37a5b3ed6e1f9df3d8',
        types: [
          {
            eventType: 'workforce.timesheet.clocked_out',
            count: 1,
            digest: '58ad0a56cbe1ff4f85b0bc3b08fdc10a08cbb2bcb5ac9a37a5b3ed6e1f9df3d8',
            ids: ['5b0c7d0c2c5f4b0ea3a6b6e8a2c9d4f1'],
          },
        ],
      },
    },
  },
  'slice.mass_change': {
    at: '2026-11-15T00:19:00.367Z',
    subject: '2026-11-13',
    data: {
      slice: '2026-11-13',
      field: 'approvedHours',
      direction: 'lost',
      records: 41,
      known: 55,
      firstSeenAt: '2026-11-15T00:17:00.811Z',
      confirmedAt: '2026-11-15T00:19:00.367Z',
    },
  },
  'source.form_changed': {
    at: '2026-11-15T01:40:00.559Z',
    data: {
      since: '2026-11-15T01:40:00.559Z',
      fields: [{ field: 'hoursToPay', kinds: ['string'] }],
      bad: 277,
      records: 277,
    },
  },
  'source.form_restored': { at: '2026-11-15T02:55:00.193Z', data: { since: '2026-11-15T01:40:00.559Z' } },
  'publish.failed': {
    at: '2026-11-15T03:12:00.640Z',
    data: {
      reason: 'refused',
      events: 2,
      eventIds: ['5b0c7d0c2c5f4b0ea3a6b6e8a2c9d4f1', '9e1f4a7b3d2c4c8f8b5a6d7e0f1c2b3a'],
      records: ['910001_4711'],
      committedAt: '2026-11-15T03:11:00.028Z',
    },
  },
};

function ofFeed<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  return z.strictObject({ feed: feedNameSchema, ...shape });
}
