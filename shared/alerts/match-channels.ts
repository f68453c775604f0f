import type { DescribableEvent } from '../core/definitions/sentences.ts';
import { saysNothingNew } from '../statements/statement-sentences.ts';
import { TROUBLE_TYPES } from './alert.ts';
import { isQuietUntil, type QuietHours } from './quiet-hours.ts';
import { type Facts, type Match, matchRules, type Rule, readFacts } from './rules.ts';

/** A channel as far as it decides what it gets. */
export interface ChannelInterest {
  readonly name: string;
  /** Channels for operations hear every trouble of the notifier itself. */
  readonly for?: 'pay' | 'operations' | undefined;
  readonly quietHours?: QuietHours | undefined;
  readonly dailySummary?: { readonly at: string } | undefined;
}

/**
 * The channels that a rule selects for an event, those whose daily summary it is, and those for operations. A reminder
 * that quiet hours would hold until the deadline has almost passed is urgent.
 */
export function matchChannels(
  facts: Facts,
  { rules, channels }: Pick<ChannelRules, 'rules' | 'channels'>,
): Match[] {
  const names = channels.map(({ name }) => name);
  const matches = new Map(matchRules(facts, rules, names).map((match) => [match.channel, match]));
  const isTrouble = TROUBLE_TYPES.some((type) => type === facts.type);
  return channels.flatMap(({ name, quietHours, dailySummary, ...channel }): Match[] => {
    const match = matches.get(name);
    if (match !== undefined) return [{ ...match, urgent: match.urgent || cannotWait(facts, quietHours) }];
    const isOwn = dailySummary !== undefined && facts.readiness?.summaries.includes(dailySummary.at) === true;
    return isOwn || (isTrouble && channel.for === 'operations')
      ? [{ channel: name, urgent: false, words: '{sentence}' }]
      : [];
  });
}

/** Who hears of the events of a connection. */
export interface ChannelRules {
  readonly rules: readonly Rule[];
  readonly channels: readonly ChannelInterest[];
  readonly timeZone: string;
}

/**
 * The channels that an event goes to. A channel that got the closing of a pay period gets no statement that says the same.
 */
export function matchEvent(event: DescribableEvent, to: ChannelRules): Match[] {
  const matches = matchChannels(readFacts(event, to.timeZone), to);
  if (event.type !== 'workforce.pay_period.statement' || !saysNothingNew(event)) return matches;
  const closing = readFacts({ ...event, type: 'workforce.pay_period.closed' }, to.timeZone);
  const informed = new Set(matchChannels(closing, to).map(({ channel }) => channel));
  return matches.filter(({ channel }) => !informed.has(channel));
}

/** The zone of a connection that is no longer in the config. */
const UNKNOWN_ZONE = 'UTC';

export function zoneOf(
  connection: string,
  connections: readonly { readonly name: string; readonly timeZone: string }[],
): string {
  return connections.find(({ name }) => name === connection)?.timeZone ?? UNKNOWN_ZONE;
}

/** Time before a deadline in which a message that was held can still be acted upon. */
const MIN_NOTICE_MS = 1_800_000;

function cannotWait({ readiness, at, timeZone }: Facts, quietHours: QuietHours | undefined): boolean {
  if (quietHours === undefined || readiness?.isReminder !== true || readiness.deadline === null) return false;
  return isQuietUntil(quietHours, { from: at, to: readiness.deadline - MIN_NOTICE_MS }, timeZone);
}

/** Whether a channel reads what a trouble means for pay, and not what failed. */
export function isForPay({ channel }: Match, channels: readonly ChannelInterest[]): boolean {
  return channels.find(({ name }) => name === channel)?.for !== 'operations';
}
