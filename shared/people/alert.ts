import * as z from 'zod';
import type { PublishedType } from '../core/event-types.ts';
import { type TimesheetStory, timesheetStorySchema } from './messages/timesheet-story.ts';
import { findTypes } from './words/alert-news.ts';

/** Every type of event that can become an alert. */
export const ALERT_TYPES: readonly PublishedType[] = findTypes(({ preset }) => preset !== undefined);

/** Whether this version knows a type; a later version may have stored others. */
export function isAlertType(type: string): type is PublishedType {
  return ALERT_TYPES.some((known) => known === type);
}

/** Parts of a text that stand out, in the order in which they occur in it. */
const strongSchema = z.array(z.string()).readonly();

/** A line below a sentence: `isInner` for one below another, `url` where people open what it is about. */
const detailSchema = z.object({
  text: z.string(),
  isInner: z.boolean(),
  url: z.string().optional(),
  strong: strongSchema.optional(),
});
export type Detail = z.output<typeof detailSchema>;

/** What a daily summary says of a pay period: `Weekly 9-15 Nov, by Tue 17 Nov 10:30`, `12 of 200 to approve`, ... */
const summarySchema = z.object({
  period: z.string(),
  count: z.string(),
  /** What of the count a heading may say already. */
  said: z.string().optional(),
  rest: z.string(),
  departments: z.array(z.string()).readonly(),
  /** What is still open of closed periods of its calendar. */
  stillOpen: detailSchema.optional(),
});

/** How an alert is worded. */
const alertTextsSchema = z.object({
  line: z.string(),
  heading: z.string(),
  facts: z.string().nullish(),
  strong: strongSchema,
  story: timesheetStorySchema.optional(),
  summary: summarySchema.optional(),
});
export type AlertTexts = z.output<typeof alertTextsSchema>;

/**
 * One alert for one channel, already worded. Stored until it is sent: during a deployment an older version may read
 * what a newer one wrote, and ignores members that it does not know.
 */
export const alertSchema = z.object({
  /** Id of the event: what comes twice is sent once. */
  id: z.string(),
  type: z.enum(ALERT_TYPES),
  connection: z.string(),
  /** IANA zone of the connection, for quiet hours. */
  timeZone: z.string(),
  /** When it was observed, in milliseconds since 1970. */
  at: z.number(),
  /** Epoch and sequence of the event: the order of the alerts of its record. */
  epoch: z.string().optional(),
  sequence: z.int().optional(),
  /** One sentence on one line. Not escaped for any medium. */
  line: z.string(),
  strong: strongSchema.optional(),
  /** A shorter sentence for a mail's subject. */
  heading: z.string().optional(),
  /** What the line says besides the heading; null or absent when the heading does not name whom it is about. */
  facts: z.string().nullish(),
  /** Sent at once, also in quiet hours. */
  urgent: z.boolean(),
  /** Id of the record; null for an operational alert. */
  subject: z.string().nullable(),
  /** Id of the event that this one reverses. */
  reverses: z.string().nullable(),
  /**
   * An approval of what was not approved before, or a missing clocking: when it is taken back before it is sent, both
   * are left out.
   */
  isFirst: z.boolean().optional(),
  /** The channel hears of it only since it ends a missing clocking: left out with that, when neither was sent. */
  endsClocking: z.boolean().optional(),
  /** The record was already processed, or its period closed: never left out. */
  irreversible: z.boolean().optional(),
  /**
   * It can wait for more of its pay period: for the `answer` to it, which may make it void, or only to be sent together
   * with other `news`. Absent for what is sent at once.
   */
  waits: z.enum(['answer', 'news']).optional().catch(undefined),
  /** Id of the alert that it makes void when both are sent together: a processing with the hours of the reverted one. */
  restores: z.string().optional(),
  /** Ids of the pay periods that its timesheet belongs to; absent when that is not known. */
  periods: z.array(z.string()).optional(),
  /** Ids of the closed pay periods that it came after. */
  closedPeriods: z.array(z.string()).optional(),
  /** It is not known whether it came after them. */
  perhapsLate: z.literal(true).optional().catch(undefined),
  /** Id of the department; titles of digests count departments. */
  department: z.string().nullable(),
  /** What it adds to the story of its timesheet. That of a later version may have another form, and is ignored. */
  story: timesheetStorySchema.optional().catch(undefined),
  /** Of a daily summary, which is shorter than a reminder. */
  summary: summarySchema.optional().catch(undefined),
  /** What its line begins with to name the connection, where there are several; absent for one. */
  prefix: z.string().optional(),
  /** Of a source that cannot be read, or can again: which of its lists, such as `timesheets of Fri 13 Nov`. */
  list: z.string().optional(),
  /** Of a list of one date: the list and the date. */
  dated: z.object({ list: z.string(), day: z.string() }).optional().catch(undefined),
  /** Where people open the record. */
  url: z.string().optional(),
  /** Lines below the sentence. Those of a later version may have another form, and are ignored. */
  details: z.array(detailSchema).optional().catch(undefined),
  /** Of a pay period that is to close: its deadline (ms since 1970), and what orders those with the same one. */
  closing: z.object({ at: z.number().nullable(), name: z.string() }).optional().catch(undefined),
  /** It tells what a pay period comes to: the ids of the timesheets that it lists as changed. */
  total: z.array(z.string()).optional().catch(undefined),
  /** Its texts for a message that is sent later; absent when they are the same. */
  held: alertTextsSchema.optional().catch(undefined),
});
export type Alert = z.output<typeof alertSchema>;

/** An alert as it is shown: it may stand for all alerts about one timesheet. */
export interface ShownAlert extends Alert {
  readonly stories?: readonly TimesheetStory[];
  /** Alerts of its type that it stands for; absent for one. */
  readonly count?: number;
  /** Alerts that waited for it and stand in its details; absent for none. */
  readonly folded?: number;
}

/** One message to a channel: a single alert, or a digest of several. Stored until it is sent. */
export const channelMessageSchema = z.object({
  /** Computed from the ids of its alerts. */
  id: z.string(),
  /** First line: the sentence of a single alert, or the counts of a digest. */
  title: z.string(),
  /** A shorter sentence for the subject of a mail, and the heading in Slack. */
  heading: z.string().optional(),
  /** What the title says besides the heading, to stand below that. */
  facts: z.string().optional(),
  /** Sentences of a digest, the most important first; empty for a single alert. */
  lines: z.array(z.string()),
  /** Where people open the record of a single alert. */
  url: z.string().optional(),
  /** The same for each of `lines`; null for a line without a record. Absent without any. */
  links: z.array(z.string().nullable()).optional(),
  /** For each of `lines` whether it stands below the one before it. Absent when none does. */
  inner: z.array(z.boolean()).optional(),
  /** What stands out in the title and in each of `lines`. Absent when nothing does; that of a later version is ignored. */
  strong: z
    .object({ title: strongSchema, lines: z.array(strongSchema).readonly() })
    .optional()
    .catch(undefined),
  /** How many alerts found no room in `lines`. */
  more: z.int(),
  urgent: z.boolean(),
  /** When the latest of its alerts was observed (ms since 1970), and its zone. */
  at: z.number(),
  timeZone: z.string(),
  /** In a channel with threads: the pay period that it is about, such as `main#9013_1`. */
  thread: z.string().optional().catch(undefined),
});
export type ChannelMessage = z.output<typeof channelMessageSchema>;
