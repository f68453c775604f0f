import * as z from 'zod';
import type { OperationType } from '../event-types.ts';
import { MAX_ABOUT, TROUBLE_KINDS, type Trouble, tellBegan, tellEnded } from '../events/trouble.ts';
import { feedNameSchema } from '../feeds.ts';
import type { Operation } from '../records/operation.ts';
import type { EventContract } from './event-definition.ts';
import { WATERMARK_DATA } from './watermark-contents.ts';

const instant = z.iso.datetime();
const count = z.int().min(0);

/** The same in both events of a trouble: with `source` and `subject` they tell which it is. */
const trouble = {
  kind: z.enum(TROUBLE_KINDS).describe('What kind of trouble it is.'),
  feed: feedNameSchema.nullable().describe('Null for a trouble of a webhook.'),
  about: z
    .array(z.string())
    .max(MAX_ABOUT)
    .describe('What it concerns: dates, ids of records or of events, the name of the webhook. At most 50.'),
  since: instant.describe('When it began.'),
};

/** What each type about the notifier's own operation means, and what its `data` holds. Its words: `operation-words.ts`. */
export const OPERATION_DATA = {
  'baseline.completed': {
    meaning: 'The first complete read of a feed is stored. From now on, changes are published.',
    data: ofFeed({
      from: z.string().describe('First slice of the window.'),
      to: z.string().describe('Last slice of the window.'),
      records: z.int(),
      startedAt: instant,
      completedAt: instant,
    }),
  },
  'feed.complete': {
    meaning:
      'A watermark: everything that happened in the source before `through` and could be seen is published, but for what `except` names; and which events were committed since the watermark before. Opt in.',
    data: ofFeed(WATERMARK_DATA),
  },
  'trouble.began': {
    meaning: 'Something does not go as it should. It is told once, and once when it ends.',
    data: z.strictObject({
      ...trouble,
      count: count.describe('How many records, dates or events it concerns; 0 when that is not known.'),
      cause: z.string().describe('Why, as a code: of an error, an HTTP status, the name of a field.'),
      action: z.string().describe('What to do, as a sentence.'),
    }),
  },
  'trouble.ended': {
    meaning: 'What `trouble.began` told is over. Both have the same `source`, `subject` and `kind`.',
    data: z.strictObject(trouble),
  },
} as const satisfies Readonly<Record<OperationType, EventContract>>;

const EXAMPLE_TROUBLE: Trouble = {
  kind: 'dates_unreadable',
  subject: '2026-11-02',
  about: ['2026-11-02'],
  count: 1,
  since: Date.parse('2026-11-14T19:17:00.502Z'),
  cause: 'source_failed',
};

/** An operation as it may happen to the timesheets of a connection, for documents and for whoever tries a receiver. */
export interface OperationExample {
  /** RFC 3339. */
  readonly at: string;
  /** Absent where it is about the whole feed. */
  readonly subject?: string;
  readonly data: Operation['data'];
}

/** An example of each type, in order of time. */
export const OPERATION_EXAMPLES: Readonly<Record<OperationType, OperationExample>> = {
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
  'trouble.began': {
    at: '2026-11-14T19:20:00.415Z',
    subject: '2026-11-02',
    data: tellBegan(EXAMPLE_TROUBLE).data,
  },
  'trouble.ended': {
    at: '2026-11-14T20:04:00.731Z',
    subject: '2026-11-02',
    data: tellEnded(EXAMPLE_TROUBLE).data,
  },
};

function ofFeed<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  return z.strictObject({ feed: feedNameSchema, ...shape });
}
