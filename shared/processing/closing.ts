import { type ChannelInterest, matchChannels } from '../alerts/match-channels.ts';
import { type FactualEvent, type Match, type Rule, readFacts } from '../alerts/rules.ts';
import type { DescribableEvent } from '../core/definitions/sentences.ts';
import { readText } from '../core/messages/record-events.ts';
import { saysNothingNew } from '../statements/statement-sentences.ts';
import type { Period } from './processing.ts';

export interface Closing {
  readonly event: DescribableEvent;
  readonly period: Period;
  /** The sentence about the closing already says that all timesheets are processed. */
  readonly saysProcessed: boolean;
}

/** The closing that an event reports; empty for any other event. */
export function readClosing(event: DescribableEvent): Closing[] {
  if (event.type !== 'workforce.pay_period.closed') return [];
  const { payPeriodId, current, closeManifest } = event.data;
  const [startDate, finishDate] = [readText(current, 'startDate'), readText(current, 'finishDate')];
  if (startDate === null || finishDate === null) return [];
  const calendar = readText(current, 'calendar') ?? '';
  const period = { id: payPeriodId, calendar, startDate, finishDate, closed: true };
  const saysProcessed =
    closeManifest?.complete === true &&
    closeManifest.members !== 'partly' &&
    closeManifest.timesheets > 0 &&
    closeManifest.unprocessed === 0;
  return [{ event, period, saysProcessed }];
}

/** Rules and channels of a config. */
interface ConfiguredRules {
  readonly rules: readonly Rule[];
  readonly channels: readonly ChannelInterest[];
}

/** With what depends on the connection of an event. */
export interface ChannelRules extends ConfiguredRules {
  readonly timeZone: string;
  /** Whether the connection has statements; without it, it has. */
  readonly statements?: boolean | undefined;
}

/** What alerts need to know of a connection. */
export interface AlertedConnection extends Pick<ChannelRules, 'timeZone' | 'statements'> {
  readonly name: string;
}

/** The zone of a connection that is no longer in the config. */
const UNKNOWN_ZONE = 'UTC';

/** The rules as they hold for a connection. */
export function toChannelRules(
  connection: string,
  { rules, channels, connections }: ConfiguredRules & { readonly connections: readonly AlertedConnection[] },
): ChannelRules {
  const { timeZone = UNKNOWN_ZONE, statements } = connections.find(({ name }) => name === connection) ?? {};
  return { rules, channels, timeZone, statements };
}

/**
 * The channels that an event goes to. A channel that got the closing of a pay period gets no statement that says the same.
 */
export function matchEvent(event: DescribableEvent, to: ChannelRules): Match[] {
  const matches = matchChannels(readFacts(event, to.timeZone), to);
  if (event.type !== 'workforce.pay_period.statement' || !saysNothingNew(event)) return matches;
  const informed = findChannels({ ...event, type: 'workforce.pay_period.closed' }, to);
  return matches.filter(({ channel }) => !informed.has(channel));
}

/** The channels that the final statement of a pay period goes to: it says that all is processed. */
export function findChannelsOfStatement(
  { closed, calendar }: Period,
  { connection, time }: Pick<FactualEvent, 'connection' | 'time'>,
  to: ChannelRules,
): ReadonlySet<string> {
  // Only a closed period comes to a statement.
  if (!closed || to.statements === false) return new Set();
  const data = { current: { calendar }, late: [] };
  return findChannels({ type: 'workforce.pay_period.statement', connection, time, data }, to);
}

function findChannels(event: FactualEvent, to: ChannelRules): ReadonlySet<string> {
  return new Set(matchChannels(readFacts(event, to.timeZone), to).map(({ channel }) => channel));
}
