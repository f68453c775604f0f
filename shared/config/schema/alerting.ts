import * as z from 'zod';
import { TROUBLE_TYPES } from '#shared/alerts/alert.ts';
import { isTimeWithin } from '#shared/alerts/quiet-hours.ts';
import { ALERT_NEWS, findTypes } from '#shared/core/definitions/alert-news.ts';
import {
  EVENT_TYPES,
  type EventType,
  type PublishedType,
  type ShortEventType,
  toEventType,
  topicOf,
} from '#shared/core/event-types.ts';
import type { EventTopicName } from '../names.ts';
import { type AlertRule, alertRuleSchema, DEFAULT_ALERT_RULES } from './alert-rule.ts';
import { channelSchema, managersOf } from './channel.ts';
import type { ConfigIssue } from './config-issues.ts';

const RECORD_URL_FORM =
  'recordUrl is an https address with {timesheetId} in it, and {employeeId} or {connection} where needed';

/** Checked with its placeholders filled in: they may stand anywhere but in the host. */
const recordUrlSchema = z.string().max(500).refine(isRecordUrl, { error: RECORD_URL_FORM });

function isRecordUrl(text: string): boolean {
  const filled = text.replaceAll(/\{(timesheetId|employeeId|connection)\}/g, 'x');
  return (
    /^https:\/\/[^/?#{}\s]+\//.test(text) &&
    !/[\s{}<>|]/.test(filled) &&
    text.includes('{timesheetId}') &&
    URL.canParse(filled)
  );
}

/** Also http: the console of one machine is on its own loopback address. */
const consoleUrlSchema = z.string().max(200).refine(isConsoleUrl, {
  error: 'consoleUrl is the address of a console without path, such as http://127.0.0.1:4600',
});

function isConsoleUrl(text: string): boolean {
  return /^https?:\/\/[^/?#@\s{}<>|]+$/.test(text) && URL.canParse(text);
}

export const alertsSchema = z.strictObject({
  /** Slack channels and mailboxes. */
  channels: z.array(channelSchema).default([]),
  /** What people call the source, within a sentence: `Deputy`. Default: `the workforce service`. */
  serviceName: z
    .string()
    .regex(/^[^\p{C}<>|*_`~]{1,40}$/u, 'serviceName is at most 40 characters on one line, without markup')
    .optional(),
  /** Where people open a timesheet: `https://.../{timesheetId}`. Without it messages have no links. */
  recordUrl: recordUrlSchema.optional(),
  /**
   * Where the console runs (docs/console.md), such as `http://127.0.0.1:4600`: alerts about records that have no
   * `recordUrl`, and statements, link to it.
   */
  consoleUrl: consoleUrlSchema.optional(),
  /** Default: `DEFAULT_ALERT_RULES`. */
  rules: z.array(alertRuleSchema).prefault([...DEFAULT_ALERT_RULES]),
});
export type Alerts = z.output<typeof alertsSchema>;

/** A rule without channels is for all of them but those for operations, which hear of troubles without rules. */
export function nameRuleChannels(alerts: Alerts): Alerts {
  const { channels, rules } = alerts;
  const forPay = channels.filter((channel) => channel.for === 'pay').map(({ name }) => name);
  if (forPay.length === channels.length) return alerts;
  const named = rules.map((rule) => ({ ...rule, channels: rule.channels ?? forPay }));
  return { ...alerts, rules: named.filter((rule) => rule.channels.length > 0) };
}

/** Environment of the functions for alerts: the alerts of the config, and the zones of its connections. */
export const alertingSchema = z.strictObject({
  ...alertsSchema.shape,
  connections: z.array(z.strictObject({ name: z.string(), timeZone: z.string() })),
});
export type Alerting = z.output<typeof alertingSchema>;

/** What the functions for alerts need to know of a connection. */
export function toAlertedConnection({
  name,
  timeZone,
}: Alerting['connections'][number]): Alerting['connections'][number] {
  return { name, timeZone };
}

/** The times of day at which some channel gets a daily summary. */
export function listSummaryTimes({ channels }: Pick<Alerts, 'channels'>): string[] {
  return [...new Set(channels.flatMap(({ dailySummary }) => dailySummary?.at ?? []))].sort();
}

/** Types that at least one rule needs, by topic, in the order of the catalogue. */
export function findNeededTypes({
  channels,
  rules,
}: Alerts): ReadonlyMap<EventTopicName, readonly EventType[]> {
  const summarized: readonly EventType[] =
    listSummaryTimes({ channels }).length === 0 ? [] : findTypes(({ isReadiness }) => isReadiness === true);
  const wanted = new Set(
    channels.length === 0
      ? []
      : [
          ...summarized,
          ...(channels.some((channel) => channel.for === 'operations') ? TROUBLE_TYPES : []),
          ...rules.flatMap(addSettling),
        ],
  );
  const byTopic = new Map<EventTopicName, EventType[]>();
  for (const type of EVENT_TYPES.filter((each) => wanted.has(each))) {
    const topic = topicOf(type);
    byTopic.set(topic, [...(byTopic.get(topic) ?? []), type]);
  }
  return byTopic;
}

/** Types that rules need only when they are late. */
export function findTypesNeededOnlyLate({ rules }: Alerts): ReadonlySet<EventType> {
  const isLateOnly = ({ when: { late } }: AlertRule) => late !== undefined && late !== false;
  const typesOf = (some: readonly AlertRule[]) => some.flatMap(({ types }) => types);
  const always = new Set<EventType>([
    ...findTypes(({ settlesTimesheet }) => settlesTimesheet === true),
    ...typesOf(rules.filter((rule) => !isLateOnly(rule))),
    ...rules.flatMap(listClockingEnds),
  ]);
  return new Set(typesOf(rules.filter(isLateOnly)).filter((type) => !always.has(type)));
}

/** Finds names that are unknown or used twice, and channels that no rule sends anything to. */
export function findAlertIssues({ channels, rules }: Alerts, connections: readonly string[]): ConfigIssue[] {
  const names = channels.map(({ name }) => name);
  const taken = [...names.entries()].filter(([index, name]) => names.indexOf(name) < index);
  return [
    ...taken.map(([index, name]) => ({
      path: ['channels', index, 'name'],
      message: `the name ${JSON.stringify(name)} is taken by an entry before it; use a unique name`,
    })),
    ...rules.flatMap((rule, index) => [
      ...findUnknownNames(rule.channels, names).map(([at, name]) => ({
        path: ['rules', index, 'channels', at],
        message: `there is no channel ${JSON.stringify(name)}; ${suggestNames(names)}`,
      })),
      ...findUnknownNames(rule.when.connection, connections).map(([at, name]) => ({
        path: ['rules', index, 'when', 'connection', at],
        message: `there is no connection ${JSON.stringify(name)}; ${suggestNames(connections)}`,
      })),
    ]),
    ...findHeldSummaryIssues(channels),
    ...findManagerIssues(channels),
    ...findUnusedChannelIssues(channels, rules),
  ];
}

/** A summary of 06:00 that quiet hours hold until 07:00 says what was true an hour ago. */
function findHeldSummaryIssues(channels: Alerts['channels']): ConfigIssue[] {
  return channels.flatMap(({ quietHours, dailySummary }, index) => {
    if (quietHours === undefined || dailySummary === undefined) return [];
    if (!isTimeWithin(quietHours, dailySummary.at)) return [];
    const message = `is in the quiet hours of this channel, which would hold the summary; use ${quietHours.to} or later`;
    return [{ path: ['channels', index, 'dailySummary', 'at'], message }];
  });
}

/** Lists of managers need to know whose departments are whose, and somebody who posts to each. */
function findManagerIssues(channels: Alerts['channels']): ConfigIssue[] {
  return channels.flatMap((channel, index): ConfigIssue[] => {
    if (Object.keys(managersOf(channel)).length === 0) return [];
    const path = ['channels', index, 'managers'];
    const unnamed = "it is not known who manages which department; add 'managers' to names";
    const unposted =
      'an incoming webhook posts to one channel only; add channelId, for a bot, or leave this out';
    return [
      ...(channel.names.includes('managers') ? [] : [{ path, message: unnamed }]),
      ...(channel.kind === 'slack' && channel.channelId === undefined ? [{ path, message: unposted }] : []),
    ];
  });
}

/** A rule without channels is for all of them. */
function findUnusedChannelIssues(channels: Alerts['channels'], rules: Alerts['rules']): ConfigIssue[] {
  const names = channels.map(({ name }) => name);
  const summarized = channels.filter(
    ({ dailySummary, ...channel }) => dailySummary !== undefined || channel.for === 'operations',
  );
  // A misspelled name in a rule may mean one of them; report one mistake once.
  if (rules.some(({ channels }) => findUnknownNames(channels, names).length > 0)) return [];
  if (names.length > summarized.length && rules.length === 0) {
    const message =
      'without rules no channel receives anything; add a rule, or leave rules out for the default ones';
    return [{ path: ['rules'], message }];
  }
  const heard = [...rules.flatMap((rule) => rule.channels ?? names), ...summarized.map(({ name }) => name)];
  return [...names.entries()]
    .filter(([index, name]) => names.indexOf(name) === index && !heard.includes(name))
    .map(([index, name]) => ({
      path: ['channels', index, 'name'],
      message: `no rule sends anything to the channel ${JSON.stringify(name)}; name it in the channels of a rule, or remove it`,
    }));
}

/** When a problem ends, those who heard of it hear of that. Only a late creation is a problem. */
function addSettling({ types, when }: AlertRule): readonly AlertRule['types'][number][] {
  const isOpen = types.some((type) => ALERT_NEWS[type].settledByProcessing === true) && when.late !== false;
  const settling = findTypes(
    ({ ends, answers, settlesTimesheet }) =>
      (settlesTimesheet === true && isOpen) || includes(types, ends) || includes(types, answers),
  );
  return [...types, ...settling, ...listClockingEnds({ types })];
}

function includes(types: AlertRule['types'], type: ShortEventType | undefined): boolean {
  return type !== undefined && types.some((each) => each === toEventType(type));
}

/** Who hears of a missing clocking hears what became of it. */
function listClockingEnds({ types }: Pick<AlertRule, 'types'>): readonly PublishedType[] {
  return types.some((type) => ALERT_NEWS[type].missing !== undefined)
    ? findTypes(({ endsClocking }) => endsClocking === true)
    : [];
}

function findUnknownNames(names: readonly string[] = [], known: readonly string[]): [number, string][] {
  return [...names.entries()].filter(([, name]) => !known.includes(name));
}

function suggestNames(names: readonly string[]): string {
  return names.length === 0 ? 'add it to alerts.channels' : `use one of ${names.join(', ')}`;
}
