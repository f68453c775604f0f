import * as z from 'zod';
import { EVENT_TYPES, type EventType } from '../event-types.ts';

/** Not an event: we conclude it when a pay period is over and all timesheets on its dates are processed. */
export const PROCESSING_FINISHED = 'workforce.processing.finished';

/**
 * Types after which the processing of a pay period may be finished, or no longer be; of a change only one of the date.
 */
export const MOVING_PROCESSING: readonly EventType[] = [
  'workforce.timesheet.changed',
  'workforce.timesheet.processed',
  'workforce.timesheet.processing_reverted',
  'workforce.timesheet.removed',
  'workforce.pay_period.closed',
];

/** What people can be told of: every type of event, and what we conclude from several. */
export const ALERT_TYPES = [...EVENT_TYPES, PROCESSING_FINISHED] as const;
export type AlertType = EventType | typeof PROCESSING_FINISHED;

/** Whether this version has words for alerts of a type. */
export function isAlertType(type: string): type is AlertType {
  return ALERT_TYPES.some((known) => known === type);
}

/**
 * One thing to tell the people of one channel, in words already. Kept until it is told, so its shape is stored: while a
 * deployment goes on, a version may read what a later one wrote, and passes over what it does not know.
 */
export const alertSchema = z.object({
  /** Id of the event, or a computed one for what is concluded: told once, whoever finds it again. */
  id: z.string(),
  type: z.enum(ALERT_TYPES),
  connection: z.string(),
  /** Zone of the connection: for quiet hours. */
  timeZone: z.string(),
  /** When we saw it: milliseconds since 1970. */
  at: z.number(),
  /** Counts the events of its record: what was seen at the same moment is told in this order. */
  sequence: z.int().optional(),
  /** One sentence on one line, as people are to read it. Not escaped for any medium. */
  line: z.string(),
  /** The sentence in few words, where a mail's subject has no room for all of it. */
  headline: z.string().optional(),
  /** Breaks through quiet hours. */
  urgent: z.boolean(),
  /** Id of the record, or null when it is about the watching itself. */
  subject: z.string().nullable(),
  /** Id of the event that this one takes back. */
  reverses: z.string().nullable(),
  /** An approval of what was not approved before: taken back before it is told, both are left out. */
  isFirst: z.boolean().optional(),
  /** Its record was already processed, or the period closed: always told. */
  irreversible: z.boolean().optional(),
  /** What a record lost, when it lost nothing but facts: one of many that lost the same belongs to a mass change. */
  lost: z.object({ slice: z.string(), fields: z.array(z.string()) }).optional(),
  /** A mass change: which field of which slice, and in which time (milliseconds since 1970) it was seen to be lost. */
  mass: z.object({ slice: z.string(), field: z.string(), from: z.number(), to: z.number() }).optional(),
  /** Id of the department: a digest counts by it. */
  department: z.string().nullable(),
});
export type Alert = z.output<typeof alertSchema>;

/** What goes to a channel at once: one alert in full, or a digest of several. Stored until it is sent. */
export const channelMessageSchema = z.object({
  /** Computed from the ids of its alerts. */
  id: z.string(),
  /** First line: of a single alert its sentence, of a digest what it is about in numbers. */
  title: z.string(),
  /** Of a single alert its headline: for a mail's subject. */
  headline: z.string().optional(),
  /** Lines of a digest, the most important first; empty for a single alert. */
  lines: z.array(z.string()),
  /** Alerts that the lines leave out for want of room. */
  more: z.int(),
  urgent: z.boolean(),
  /** When the latest of its alerts was seen, and the zone to say it in. */
  at: z.number(),
  timeZone: z.string(),
});
export type ChannelMessage = z.output<typeof channelMessageSchema>;
