import type { Channel } from '#shared/config/schema/channel.ts';
import { buildMail } from '#shared/core/alerts/mail.ts';
import type { ChannelRehearsal, RehearsedMessage } from '#shared/core/alerts/rehearsal.ts';
import { buildSlackPayload } from '#shared/core/alerts/slack-blocks.ts';
import { buildTeamsPayload } from '#shared/core/alerts/teams-card.ts';
import { toIso, toLocalDate, toLocalTime } from '#shared/core/dates.ts';
import { formatCount, formatNumber } from '#shared/core/messages/numbers.ts';
import { escapeLines, table } from '#shared/terminal/output.ts';
import { renderSlackMessage } from '#shared/terminal/slack-message.ts';
import { renderTeamsCard } from '#shared/terminal/teams-card.ts';

const DAY_MS = 86_400_000;

/** A rehearsal of the edited rules beside that of the deployed ones. */
export interface Comparison {
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
export function formatTable({ edited, from, until }: Comparison): string[] {
  const days = Math.max(1, (until - from) / DAY_MS);
  return table([
    ['channel', 'messages', 'a day', 'alerts', 'held', 'cancelled', 'waiting'],
    ...edited.map(({ channel, messages, alerts, held, cancelled, waiting }) => [
      channel,
      ...[messages.length, round(messages.length / days), alerts, held, cancelled, waiting].map(formatNumber),
    ]),
  ]);
}

/** How the number of messages differs: `payroll: 7 to 31 messages, 24 by rule 2 alone`. */
export function formatDifferences(comparison: Comparison): string[] {
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
export function toJson(comparison: Comparison): object {
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
