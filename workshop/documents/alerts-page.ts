import { inspect } from 'node:util';
import * as z from 'zod';
import { type Alert, isAlertType } from '#shared/alerts/alert.ts';
import { composeMessages } from '#shared/alerts/digest/digest.ts';
import { buildMail } from '#shared/alerts/layout/mail.ts';
import { calendarSchema, calendarsSchema } from '#shared/config/schema/calendar.ts';
import { channelSchema } from '#shared/config/schema/channel.ts';
import type { NotifierConfigInput } from '#shared/config/schema/notifier-config.ts';
import { ALERT_NEWS } from '#shared/core/definitions/alert-news.ts';
import { PUBLISHED_TYPES, type PublishedType, toShortType } from '#shared/core/event-types.ts';
import { ALERT_VARIANTS, alertSamples, describeSample, SAMPLE_NAMES, sampleAlert } from './alert-samples.ts';
import { fillPage } from './fill-page.ts';

/** The page on alerts, in Markdown. */
export function renderAlertsPage(): string {
  return fillPage('alerts', {
    'channel settings': renderSettings(channelSchema, CHANNEL_SETTINGS),
    'net sample': describeNetSample(),
    recipes: ALERT_RECIPES.map(renderRecipe).join('\n\n'),
    sentences: renderSentences(),
    variants: renderVariants(),
    'named sentence': describeSample('timesheet.approved', { names: SAMPLE_NAMES }),
    'calendar example': renderCalendarExample(),
    'calendar settings': renderSettings(calendarSchema, CALENDAR_SETTINGS),
    'readiness mail': renderMailOf({
      ...MAILBOX,
      names: ['employees', 'departments'],
      tells: ['approvals'],
    }),
    'digest mail': renderMailOf({ ...MAILBOX, tells: ['closings', 'late-changes'] }),
  });
}

const MAILBOX = { name: 'payroll-office', kind: 'email', addresses: ['payroll@acme.example'] };

const CHANNEL_SETTINGS: Readonly<Record<string, string>> = {
  kind: '`slack`, `teams`, or `email`',
  name: 'Name of the channel, for logs and queues: a-z, 0-9 and -, at most 31 characters',
  secretName: 'Slack, Teams: name of the secret that holds the address to post to, or the token of a bot',
  channelId:
    'Slack: id of the channel, such as `C0123456789`, for a bot that posts there, what follows about a pay period in [its thread](#threads-in-slack)',
  addresses: 'Email: the addresses. AWS asks each of them to confirm',
  tells:
    'What it is told of, see [below](#what-a-channel-is-told). Default: all but `missing-clockings`; with `for: "operations"`, `troubles`',
  departments:
    'Ids of departments: of timesheets it is told of these alone, before or after the change. What has no department passes',
  calendars: 'Names of pay calendars: of pay periods it is told of these alone. What has no calendar passes',
  quietHours:
    '`from`, `to` (`HH:MM`, in the time zone of the connection) and `weekends`: alerts that are not urgent wait until they are over',
  dailySummary:
    '`at` (`HH:MM`): once a day at this time, in the time zone of each connection, what is not approved in its open pay periods, and what is still open of closed ones',
  names:
    'Kinds of records that are called by their names: `employees`, `departments`, `activities`, `organisations`; `managers`: who manages a department is named beside it in reminders and summaries. The others are called by their ids',
  for: '`operations`: of `troubles` it hears every one of the notifier itself, with its cause. The others hear what those that concern pay mean for it',
};

function renderRecipe({ title, why, alerts }: AlertRecipe): string {
  const code = inspect(alerts, { depth: null, breakLength: 100, maxArrayLength: null });
  const heard = alertSamples(alerts).map(
    ({ channel, alert }) => `- \`${channel}\`${alert.urgent ? ', urgent' : ''}: ${alert.line}`,
  );
  return [`### ${title}`, why, `\`\`\`js\nalerts: ${code}\n\`\`\``, heard.join('\n')].join('\n\n');
}

function renderSentences(): string {
  const rows = [
    ...PUBLISHED_TYPES.filter(isAlertType).map((type) =>
      renderSentence(type, describeSample(toShortType(type), { isForPay: true })),
    ),
  ];
  return ['| Type | Told by | Sentence | In a digest |', '|---|---|---|---|', ...rows].join('\n');
}

function renderSentence(type: PublishedType, sentence: string): string {
  const name = `\`${type.replace('workforce.', '')}\``;
  return `| ${name} | ${describePreset(type)} | ${sentence} | ${countTwo(type)} |`;
}

function describePreset(type: PublishedType): string {
  const { preset, isUrgent } = ALERT_NEWS[type];
  return `\`${preset}\`${isUrgent === true ? ', urgent' : ''}`;
}

/** The title of a digest of two alerts of a type. */
function countTwo(type: PublishedType): string {
  const [message] = composeMessages(['1', '2'].map((id) => buildPlainAlert(type, id)));
  return message?.message?.title ?? '';
}

function buildPlainAlert(type: PublishedType, id: string): Alert {
  return {
    id,
    type,
    connection: 'main',
    timeZone: 'UTC',
    at: 0,
    line: '',
    urgent: false,
    subject: id,
    reverses: null,
    department: null,
  };
}

function renderVariants(): string {
  const rows = ALERT_VARIANTS.map(
    ({ type, when, data }) => `| \`${type}\` | ${when} | ${describeSample(type, { data, isForPay: true })} |`,
  );
  const causes = PUBLISHED_TYPES.map(toShortType).flatMap((type) => {
    const cause = describeSample(type);
    return cause === describeSample(type, { isForPay: true })
      ? []
      : [`| \`${type}\` | in a channel for operations | ${cause} |`];
  });
  return ['| Type | Situation | Sentence |', '|---|---|---|', ...rows, ...causes].join('\n');
}

/** A timesheet that was corrected after it was processed. */
function describeNetSample(): string {
  const types = ['timesheet.processing_reverted', 'timesheet.changed', 'timesheet.processed'] as const;
  const alerts = types.map((type, at) => ({ ...sampleAlert(type, { names: SAMPLE_NAMES }), at }));
  const [composed] = composeMessages(alerts);
  return composed?.message?.title ?? '';
}

const CALENDAR_SETTINGS: Readonly<Record<string, string>> = {
  name: 'Name of the pay calendar, as the source writes it; `doctor` reports one that the source does not have',
  closesAt:
    "In the time zone of the connection: `'Fri 10:00'` is the first Friday 10:00 at or after the end of the last day of a period, `'+2d 10:00'` two days after that day. The second form suits calendars that are not weekly",
  remindBefore:
    'How long before that. Days go by the calendar, hours and minutes pass; they differ only when the clocks change',
};

function renderCalendarExample(): string {
  const calendars = [
    { name: 'Weekly', closesAt: 'Mon 12:00', remindBefore: ['1d', '4h', '1h'] },
    { name: 'Monthly', closesAt: '+3d 17:00', remindBefore: ['2d', '4h'] },
  ];
  calendarsSchema.parse(calendars);
  return `\`\`\`js\ncalendars: ${inspect(calendars, { breakLength: 100 })}\n\`\`\``;
}

/** The mail that a channel gets of the sample events, with these settings. */
function renderMailOf(channel: object): string {
  const alerts = alertSamples({ channels: [channel] });
  const [composed] = composeMessages(alerts.map(({ alert }) => alert));
  if (composed === undefined || composed.message === null) throw new Error('the sample digest is empty');
  const { subject, body } = buildMail(composed.message, {
    channel: 'payroll-office',
    stackName: 'workforce-notifier',
  });
  return `\`\`\`text\nSubject: ${subject}\n\n${body.trimEnd()}\n\`\`\``;
}

interface SettingSchema {
  readonly default?: unknown;
}

/** A table of the members of a schema. Throws when one has no meaning here, or a meaning no member. */
function renderSettings(schema: z.ZodType, meanings: Readonly<Record<string, string>>): string {
  const settings = listSettings(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }));
  const unknown = [...settings.keys()].filter((name) => !(name in meanings));
  const gone = Object.keys(meanings).filter((name) => !settings.has(name));
  if (unknown.length + gone.length > 0)
    throw new Error(`settings differ: ${[...unknown, ...gone].join(', ')}`);
  const rows = Object.entries(meanings).map(([name, meaning]) => {
    const { default: preset } = settings.get(name) ?? {};
    return `| \`${name}\` | ${meaning} | ${preset === undefined ? '' : `\`${JSON.stringify(preset)}\``} |`;
  });
  return ['| Setting | Meaning | Default |', '|---|---|---|', ...rows].join('\n');
}

function listSettings(schema: z.core.JSONSchema.BaseSchema): Map<string, SettingSchema> {
  const parts = [schema, ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  return new Map(
    parts.flatMap(({ properties }) => Object.entries(properties ?? {}) as [string, SettingSchema][]),
  );
}

/** Settings for a purpose, as `alerts` of `notifier.config.ts`. */
interface AlertRecipe {
  readonly title: string;
  readonly why: string;
  readonly alerts: NonNullable<NotifierConfigInput['alerts']>;
}

export const ALERT_RECIPES: readonly AlertRecipe[] = [
  {
    title: 'Payroll runs when a period closes',
    why: 'One calendar, one mailbox. The day shift reads it: at night and on weekends the message waits, unless a period is reopened.',
    alerts: {
      channels: [
        {
          name: 'payroll-office',
          kind: 'email',
          addresses: ['payroll@acme.example'],
          tells: ['closings'],
          calendars: ['Weekly'],
          quietHours: { from: '18:00', to: '07:00', weekends: true },
        },
      ],
    },
  },
  {
    title: 'Who has not come',
    why: 'Needs `absences: { clockInMinutes: 15, clockOutHours: 3 }` in the connection. The kitchen reads its own people, by name. Who comes before the message is sent is left out; of others the channel hears that they have come.',
    alerts: {
      channels: [
        {
          name: 'kitchen',
          kind: 'slack',
          secretName: 'ssm:/secrets/workforce-notifier/slack/kitchen',
          names: ['employees', 'departments'],
          tells: ['missing-clockings'],
          departments: ['501_4711'],
        },
      ],
    },
  },
  {
    title: 'Two audiences',
    why: 'Payroll hears what means something for pay; those who run the notifier hear of every trouble of it, with its cause.',
    alerts: {
      channels: [
        { name: 'payroll-office', kind: 'email', addresses: ['payroll@acme.example'] },
        {
          name: 'it',
          kind: 'slack',
          secretName: 'ssm:/secrets/workforce-notifier/slack/it',
          for: 'operations',
        },
      ],
    },
  },
];
