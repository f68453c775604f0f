import * as z from 'zod';
import { PRESETS } from '#shared/core/definitions/event-definition.ts';
import { secretNameSchema } from './secret-name.ts';
import { timeOfDaySchema } from './time-of-day.ts';

const name = z
  .string()
  .regex(
    /^[a-z][a-z0-9-]{0,30}$/,
    'a channel name is such as payroll: a-z, 0-9 and -, begins with a letter, at most 31 long',
  );

/**
 * When only urgent alerts are sent; the others wait and then go out as one message. In the connection's zone; `to` is
 * excluded. From 20:00 to 07:00 goes over midnight.
 */
const quietHoursSchema = z
  .strictObject({
    from: timeOfDaySchema,
    to: timeOfDaySchema,
    /** Saturdays and Sundays are quiet all day. */
    weekends: z.boolean().default(false),
  })
  // From 07:00 to 07:00 could mean all day or never.
  .refine(({ from, to }) => from !== to, {
    path: ['to'],
    error: 'from and to are the same time; use two different ones',
  });

const idSchema = z
  .union([z.string().min(1), z.int()], { error: 'an id is a text or a whole number' })
  .transform(String);

const common = {
  /** Part of the names of its queue and function. */
  name,
  /**
   * What it is told of. Default: all but `missing-clockings`, which need `absences` of a connection; for operations,
   * `troubles`.
   */
  tells: z.array(z.enum(PRESETS)).min(1).optional(),
  /** Ids of departments: of timesheets it is told of these alone, before or after a change. */
  departments: z.array(idSchema).min(1).optional(),
  /** Names of pay calendars: of pay periods it is told of these alone. */
  calendars: z.array(z.string().min(1)).min(1).optional(),
  quietHours: quietHoursSchema.optional(),
  /** Once a day at this time, in the zone of each connection: what is still to be approved in its open periods. */
  dailySummary: z.strictObject({ at: timeOfDaySchema }).optional(),
  /**
   * `operations`: of `troubles` it hears every one of the notifier itself, with its cause. The others hear what those
   * that concern pay mean for it.
   */
  for: z.enum(['pay', 'operations']).default('pay'),
};

/** Not a name such as `#payroll`, which can change. Names are lower case. */
const slackChannelIdSchema = z
  .string()
  .regex(
    /^[CG][A-Z0-9]{7,20}$/,
    'the id of a Slack channel is such as C0123456789; Slack shows it below the details of the channel',
  );

const BOT_TOKEN = /^xox[a-z][.-]/;

/** A Slack channel, through an incoming webhook, or with `channelId` through a bot. */
const slackChannelSchema = z.strictObject({
  ...common,
  kind: z.literal('slack'),
  /** Name of the secret that holds the address of the incoming webhook; with `channelId`, the token of the bot. */
  secretName: secretNameSchema({
    isMisplaced: (text) => text.includes('://') || BOT_TOKEN.test(text),
    content: 'address or token',
  }),
  /** Id of the channel in Slack, for a bot that posts there: what follows about a pay period goes into its thread. */
  channelId: slackChannelIdSchema.optional(),
});

/** A channel or chat of Microsoft Teams, through a workflow that starts when a webhook request is received. */
const teamsChannelSchema = z.strictObject({
  ...common,
  kind: z.literal('teams'),
  /** Name of the secret that holds the address of the workflow. */
  secretName: secretNameSchema({ isMisplaced: (text) => text.includes('://'), content: 'address' }),
});

/** A channel whose messages are posted to an address, in their order, from a queue of its own. */
export type ChatChannel = z.output<typeof slackChannelSchema | typeof teamsChannelSchema>;

const addressSchema = z.email('an address such as payroll@acme.example');

/** Mailboxes, through the topic `alerts`. AWS asks each address for confirmation. */
const emailChannelSchema = z.strictObject({
  ...common,
  kind: z.literal('email'),
  addresses: z
    .array(addressSchema)
    .min(1)
    .superRefine((addresses, context) => {
      for (const index of findRepeated(addresses)) {
        const message = 'this address is in the list already; name it once';
        context.addIssue({ code: 'custom', path: [index], message });
      }
    }),
});

export const channelSchema = z.discriminatedUnion(
  'kind',
  [slackChannelSchema, teamsChannelSchema, emailChannelSchema],
  { error: 'the kind of a channel is slack, teams or email' },
);
export type Channel = z.output<typeof channelSchema>;

/** Name of a channel in the delivery store: `slack/payroll`. */
export function destinationOf({ kind, name }: Channel): string {
  return `${kind}/${name}`;
}

/** For comparing addresses: `Pay@acme.example` and `pay@acme.example` are one mailbox. */
export function normalizeAddress(address: string): string {
  return address.toLowerCase();
}

/** Indexes of addresses that occur before, in any spelling. */
function findRepeated(addresses: readonly string[]): number[] {
  const normalized = addresses.map(normalizeAddress);
  return [...normalized.entries()].flatMap(([index, address]) =>
    normalized.indexOf(address) < index ? [index] : [],
  );
}
