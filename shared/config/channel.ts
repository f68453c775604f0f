import * as z from 'zod';
import { NAMED_KINDS } from '../core/words/names.ts';

const name = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,30}$/, 'a channel name is a-z, 0-9 and -, begins with a letter, at most 31 long');

const timeOfDay = z
  .string()
  .regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, 'a time of day is HH:MM, from 00:00 to 23:59');

/** A part of the day, in the connection's zone. From 20:00 to 07:00 goes over midnight. */
export const partOfDaySchema = z.strictObject({ from: timeOfDay, to: timeOfDay });
export type PartOfDay = z.output<typeof partOfDaySchema>;

/** When a channel is left in peace; what is not urgent is held and told as one when it is over. */
export const quietHoursSchema = partOfDaySchema.extend({
  /** Saturdays and Sundays are quiet all day. */
  weekends: z.boolean().default(false),
});
export type QuietHours = z.output<typeof quietHoursSchema>;

const common = {
  /** Part of the names of its queue and function. */
  name,
  /** Seconds that the first alert waits for others, to become one message with them. */
  digestSeconds: z.int().min(0).max(3_600).default(60),
  quietHours: quietHoursSchema.optional(),
  /** Kinds of records that are called by their names; the others are called by their ids. */
  names: z.array(z.enum(NAMED_KINDS)).default([]),
};

/** A Slack channel, through an incoming webhook. */
export const slackChannelSchema = z.strictObject({
  ...common,
  kind: z.literal('slack'),
  /** Name of the secret that holds the address of the incoming webhook. */
  secretName: z.string().min(1),
});
export type SlackChannel = z.output<typeof slackChannelSchema>;

/** Mailboxes, through the topic `alerts`. AWS asks each address for confirmation. */
export const emailChannelSchema = z.strictObject({
  ...common,
  kind: z.literal('email'),
  addresses: z.array(z.email('an address such as payroll@acme.example')).min(1),
});
export type EmailChannel = z.output<typeof emailChannelSchema>;

/** Where people read. */
export const channelSchema = z.discriminatedUnion('kind', [slackChannelSchema, emailChannelSchema]);
export type Channel = z.output<typeof channelSchema>;
