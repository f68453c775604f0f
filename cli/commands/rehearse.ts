import { resolve } from 'node:path';
import { Command } from 'commander';
import { loadNotifierConfig } from '#infra/load-config.ts';
import { createNameStore } from '#shared/adapters/dynamo/names/name-store.ts';
import { createDynamoSnapshotStore } from '#shared/adapters/dynamo/snapshot/snapshot-store.ts';
import { buildMail } from '#shared/alerts/layout/mail.ts';
import { buildSlackPayload } from '#shared/alerts/layout/slack-blocks.ts';
import { buildTeamsPayload } from '#shared/alerts/layout/teams-card.ts';
import {
  type ChannelRehearsal,
  type RehearsedMessage,
  type RehearsedPast,
  rehearseAlerts,
} from '#shared/alerts/rehearsal.ts';
import { readEnvironment as readSettings, settingSchema } from '#shared/config/environment.ts';
import { ENVIRONMENT } from '#shared/config/names.ts';
import { type Alerts, alertingSchema } from '#shared/config/schema/alerting.ts';
import type { Channel } from '#shared/config/schema/channel.ts';
import { toIso, toLocalDate, toLocalTime } from '#shared/core/dates.ts';
import { type DescribableEvent, describableEventSchema } from '#shared/core/definitions/sentences.ts';
import { NotifierError } from '#shared/core/errors.ts';
import type { FeedKey } from '#shared/core/feeds.ts';
import { formatCount, formatNumber } from '#shared/core/messages/numbers.ts';
import { parseJsonOrNull } from '#shared/core/parse-json.ts';
import { EMPTY_FEED_STATE } from '#shared/core/snapshot/feed-state.ts';
import { NAMED_KINDS, type Names } from '#shared/names/names.ts';
import { buildQueries, type LogFlags, type LogQuery, openEventLog } from '#shared/operator/log-query.ts';
import { type Target, type TargetFlags, toTableOptions, type WithTarget } from '#shared/operator/target.ts';
import { type Finish, findFinishes } from '#shared/processing/finished-alert.ts';
import { parseCount } from '#shared/terminal/options.ts';
import { escapeLines, print, printJson, table } from '#shared/terminal/output.ts';
import { renderSlackMessage } from '#shared/terminal/slack-message.ts';
import { renderTeamsCard } from '#shared/terminal/teams-card.ts';
import { addTargetOptions } from '../options.ts';

interface RehearseFlags extends TargetFlags, Pick<LogFlags, 'since' | 'until' | 'connection'> {
  readonly config?: string;
  readonly limit: number;
}

const HELP = `
The alerts section of the edited config is applied to the stored events, at the
times at which they were observed. Messages are collected, held in quiet hours,
put together and worded by the code that the functions run every minute. Nothing
is sent and nothing is written.

The table counts messages, messages a day, alerts, alerts held by quiet hours,
approvals and revocations that cancel each other out, and alerts that still wait.
"24 by rule 2 alone" counts messages that only this rule led to; rules count
from 1. The differences are to the deployed rules. A data folder without a
running machine has those of notifier.config.ts.

processing.finished is rehearsed once for each pay period that is processed now.
Events about webhooks are not in the log, nor rehearsed.

Examples:
  $ npm run notifier -- rehearse --since 7d
  $ npm run notifier -- rehearse --since 30d --config edited.config.ts --data .data`;

export function rehearseCommand(withTarget: WithTarget): Command {
  const command = new Command('rehearse')
    .summary('show what edited alert rules would have sent')
    .description(
      'Shows the messages that edited channels and rules would have sent about stored events, and how many.',
    )
    .option('--config <file>', 'the edited config (default: notifier.config.ts)')
    .option('--since <time>', 'how far to look back: an age such as 7d, a date or an instant', '30d')
    .option('--until <time>', 'only events logged before this time (default: no limit)')
    .option('--connection <name>', 'only this connection (default: all)')
    .option('--limit <number>', 'print at most this many messages of each channel', parseCount, 20)
    .addHelpText('after', HELP);
  return addTargetOptions(command).action((flags: RehearseFlags) =>
    withTarget(flags, (target) => rehearse(flags, target)),
  );
}

/** Prints what the edited rules would have sent. Throws a `NotifierError`. */
async function rehearse(flags: RehearseFlags, target: Target): Promise<void> {
  const { alerts } = flags.config === undefined ? target.config : await loadConfig(flags.config);
  if (alerts.channels.length === 0) {
    throw new NotifierError(
      'alerts_missing',
      `${flags.config ?? 'notifier.config.ts'} has no alerts.channels; add one to rehearse its rules`,
    );
  }
  const queries = buildQueries(flags, target);
  const past = await readPast(queries, target);
  const { connections } = target;
  const deployed = await readDeployedAlerts(target);
  const comparison: Comparison = {
    channels: alerts.channels,
    edited: rehearseAlerts({ ...alerts, connections }, past),
    deployed: rehearseAlerts({ ...deployed, connections }, past),
    // The log may begin later.
    from: Math.min(past.until, ...past.events.map(({ time }) => Date.parse(time))),
    until: past.until,
    stackName: target.config.stackName,
  };
  if (flags.json === true) {
    printJson(JSON.stringify(toJson(comparison), null, 2));
    return;
  }
  const differences = formatDifferences(comparison);
  print(
    ...formatMessages(comparison, flags.limit),
    ...formatTable(comparison),
    '',
    `${formatCount(past.events.length, 'stored event')}, nothing was sent`,
    ...(differences.length === 0
      ? ['the deployed rules send the same messages']
      : ['against the deployed rules:', ...differences.map((line) => `  ${line}`)]),
  );
}

/** The file as the user typed it starts at the current folder. */
async function loadConfig(file: string) {
  return await loadNotifierConfig(resolve(file));
}

/** What the functions were deployed with; no channels when there are none. */
async function readDeployedAlerts({ readEnvironment, parts, config }: Target): Promise<Alerts> {
  if (readEnvironment === undefined) return config.alerts;
  if (!parts.has('functions/release-alerts/name')) return { channels: [], rules: [] };
  const needed = { alerting: [ENVIRONMENT.alerting, settingSchema(alertingSchema)] } as const;
  return readSettings(needed, await readEnvironment('release-alerts')).alerting;
}

/** Reads the events of the log, the stored names, and which pay periods are processed. Writes nothing. */
async function readPast(queries: readonly LogQuery[], target: Target): Promise<RehearsedPast> {
  const events: DescribableEvent[] = [];
  const finishes: Finish[] = [];
  const names = new Map<string, Names>();
  const until = Math.floor(target.system.now());
  const directory = createNameStore({ ...toTableOptions(target), now: target.system.now });
  for (const query of queries) {
    const { name } = query.connection;
    const found = await readEvents(query, target);
    events.push(...found);
    finishes.push(...(await readFinishes(found, query, target)));
    names.set(name, await directory.load(name, NAMED_KINDS));
  }
  return { events, finishes, names, until: Math.min(until, ...queries.map(({ to }) => to)) };
}

/** Events that this version cannot describe are skipped, as they are by the function. */
async function readEvents(query: LogQuery, target: Target): Promise<DescribableEvent[]> {
  const log = openEventLog(target);
  const found = new Map<string, DescribableEvent>();
  for (const feed of query.feeds) {
    for await (const { texts } of log.read({ connection: query.connection.name, feed }, query)) {
      for (const text of texts) {
        const event = describableEventSchema.safeParse(parseJsonOrNull(text));
        if (event.success) found.set(event.data.id, event.data);
      }
    }
  }
  return [...found.values()];
}

async function readFinishes(
  events: readonly DescribableEvent[],
  { connection: { name: connection, timeZone } }: LogQuery,
  target: Target,
): Promise<Finish[]> {
  const store = createDynamoSnapshotStore(toTableOptions(target));
  const stored = await store.loadFeedState({ connection, feed: 'pay-periods' });
  const periods = stored?.state.payPeriods ?? [];
  const feed: FeedKey = { connection, feed: 'timesheets' };
  const { state: memory } = (await store.loadFeedState(feed)) ?? { state: EMPTY_FEED_STATE };
  const heads = await store.loadHeads(feed, '');
  const today = toLocalDate(target.system.now(), timeZone);
  return findFinishes(events, { connection, periods, heads, memory, today });
}

const DAY_MS = 86_400_000;

/** A rehearsal of the edited rules beside that of the deployed ones. */
interface Comparison {
  readonly channels: readonly Channel[];
  readonly edited: readonly ChannelRehearsal[];
  readonly deployed: readonly ChannelRehearsal[];
  /** Milliseconds since 1970. */
  readonly from: number;
  readonly until: number;
  readonly stackName: string;
}

/** The latest messages of each channel as they would look, at most `limit`. */
export function formatMessages({ channels, edited, stackName }: Comparison, limit: number): string[] {
  return edited.flatMap((rehearsal) => {
    const channel = channels.find(({ name }) => name === rehearsal.channel);
    if (channel === undefined) return [];
    const { messages } = rehearsal;
    const earlier = messages.length - limit;
    return [
      ...(earlier > 0 ? [`${channel.name}: ${formatCount(earlier, 'earlier message')} not shown`, ''] : []),
      ...messages.slice(-limit).flatMap((each) => [...formatMessage(each, channel, stackName), '']),
    ];
  });
}

function formatMessage({ at, message }: RehearsedMessage, channel: Channel, stackName: string): string[] {
  const { timeZone } = message;
  const moment = `${toLocalDate(at, timeZone)} ${toLocalTime(at, timeZone)}`;
  const heading = `--- ${moment}  ${channel.kind}/${channel.name}${message.urgent ? '  urgent' : ''}`;
  if (channel.kind === 'email') {
    const { subject, body } = buildMail(message, { channel: channel.name, stackName });
    const [text = ''] = body.split('\n\n--\n');
    return escapeLines([heading, `Subject: ${subject}`, '', text].join('\n')).split('\n');
  }
  const shown =
    channel.kind === 'slack'
      ? renderSlackMessage(buildSlackPayload(message))
      : renderTeamsCard(buildTeamsPayload(message));
  return escapeLines([heading, ...(shown ?? []).map(({ text }) => text)].join('\n')).split('\n');
}

/** Channel, messages, messages a day, held, cancelled, waiting. */
function formatTable({ edited, from, until }: Comparison): string[] {
  const days = Math.max(1, (until - from) / DAY_MS);
  return table([
    ['channel', 'messages', 'a day', 'alerts', 'held', 'cancelled', 'waiting'],
    ...edited.map(({ channel, messages, alerts, held, cancelled, waiting }) => [
      channel,
      ...[messages.length, round(messages.length / days), alerts, held, cancelled, waiting].map((each) =>
        formatNumber(each),
      ),
    ]),
  ]);
}

/** How the number of messages differs: `payroll: 7 to 31 messages, 24 by rule 2 alone`. */
function formatDifferences(comparison: Comparison): string[] {
  const { edited, deployed } = comparison;
  const before = new Map(deployed.map((each) => [each.channel, each]));
  const lines = edited.flatMap(({ channel, messages }) => {
    const known = before.get(channel);
    before.delete(channel);
    if (known !== undefined && isSame(known.messages, messages)) return [];
    const rules = countByRule(messages)
      .map(([rule, count]) => `, ${formatNumber(count)} by rule ${rule} alone`)
      .join('');
    const was = known === undefined ? 'new, ' : `${formatNumber(known.messages.length)} to `;
    return [`${channel}: ${was}${formatCount(messages.length, 'message')}${rules}`];
  });
  const gone = [...before.values()].map(
    ({ channel, messages }) => `${channel}: gone, ${formatCount(messages.length, 'message')} before`,
  );
  return [...lines, ...gone];
}

/** Everything, for machines. */
function toJson(comparison: Comparison): object {
  const { edited, deployed, from, until } = comparison;
  const days = Math.max(1, (until - from) / DAY_MS);
  return {
    from: toIso(from),
    until: toIso(until),
    channels: edited.map((rehearsal) => ({
      ...rehearsal,
      messages: rehearsal.messages.map(({ at, message, onlyRule }) => ({
        ...message,
        at: toIso(at),
        rule: onlyRule === null ? null : onlyRule + 1,
      })),
      messagesPerDay: round(rehearsal.messages.length / days),
      messagesByRule: Object.fromEntries(countByRule(rehearsal.messages)),
      deployedMessages:
        deployed.find(({ channel }) => channel === rehearsal.channel)?.messages.length ?? null,
    })),
    differences: formatDifferences(comparison),
  };
}

/** Messages that one rule alone led to, by its number from 1. */
function countByRule(messages: readonly RehearsedMessage[]): [number, number][] {
  const byRule = Map.groupBy(messages, ({ onlyRule }) => onlyRule);
  return [...byRule]
    .flatMap(([rule, of]): [number, number][] => (rule === null ? [] : [[rule + 1, of.length]]))
    .sort(([a], [b]) => a - b);
}

function isSame(before: readonly RehearsedMessage[], after: readonly RehearsedMessage[]): boolean {
  const [left, right] = [before, after].map((messages) =>
    JSON.stringify(messages.map(({ at, message }) => [at, message])),
  );
  return left === right;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
