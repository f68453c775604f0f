import * as z from 'zod';
import type { OperationType } from '../event-types.ts';
import { MAX_ABOUT } from '../events/trouble.ts';
import { WATERMARK_DATA } from '../events/watermark-contents.ts';
import { feedNameSchema } from '../feeds.ts';
import { TROUBLE_KINDS } from '../trouble-kinds.ts';
import type { EventContract } from './event-definition.ts';

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

function ofFeed<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  return z.strictObject({ feed: feedNameSchema, ...shape });
}
