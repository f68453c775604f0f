import type { DescribableEvent } from '../core/definitions/sentences.ts';
import { filterNames, type NamedKind, type Names, NO_NAMES } from '../names/names.ts';
import {
  type AlertedConnection,
  findChannelsOfStatement,
  matchEvent,
  toChannelRules,
} from '../processing/closing.ts';
import { type Finish, toFinishedAlert, toFinishedFact } from '../processing/finished-alert.ts';
import { listReaders, toReaderKey } from '../readiness/manager-lists.ts';
import {
  type ReportedBefore,
  type ReportedReadiness,
  readReportedBefore,
  saysSomething,
  toReported,
} from '../readiness/reported-readiness.ts';
import { composeFor, type ThreadedChannel } from '../threads/compose-threads.ts';
import type { Alert, ChannelMessage } from './alert.ts';
import { buildAlert } from './build-alert.ts';
import { countCancelled } from './digest/digest.ts';
import { type ChannelInterest, isForPay } from './match-channels.ts';
import { isQuiet, type QuietHours } from './quiet-hours.ts';
import { type ReleaseTiming, selectDueAlerts } from './release.ts';
import {
  chooseHoursBefore,
  findReversal,
  type HoursAtReversal,
  readHoursAtReversal,
} from './reverted-hours.ts';
import { findMatchingRules, matchRules, type Rule, readFacts } from './rules.ts';

/** The function that releases alerts runs every minute. */
const RELEASE_INTERVAL_MS = 60_000;

interface RehearsedChannel extends ReleaseTiming, ChannelInterest, ThreadedChannel {
  readonly quietHours?: QuietHours | undefined;
  readonly names: readonly NamedKind[];
  /** Where managers get lists of their own. */
  readonly managers?: Readonly<Record<string, string>> | undefined;
}

/** Channels and rules of a config, and the zones of its connections. */
export interface RehearsedRules {
  readonly channels: readonly RehearsedChannel[];
  readonly rules: readonly Rule[];
  readonly serviceName?: string | undefined;
  readonly recordUrl?: string | undefined;
  readonly consoleUrl?: string | undefined;
  readonly connections: readonly AlertedConnection[];
}

/** What happened, and until when. */
export interface RehearsedPast {
  /** In any order; each once. */
  readonly events: readonly DescribableEvent[];
  /** Pay periods whose processing finished. */
  readonly finishes: readonly Finish[];
  /** Milliseconds since 1970. What is due later still waits then. */
  readonly until: number;
  /** All stored names, by connection. */
  readonly names: ReadonlyMap<string, Names>;
}

export interface RehearsedMessage {
  /** When it would have been sent, in milliseconds since 1970. */
  readonly at: number;
  readonly message: ChannelMessage;
  /** Place of the one rule (from 0) without which there would be no such message; null when several led to it. */
  readonly onlyRule: number | null;
}

/** What one channel would have received. */
export interface ChannelRehearsal {
  readonly channel: string;
  readonly messages: readonly RehearsedMessage[];
  readonly alerts: number;
  /** Alerts that waited for quiet hours to end. */
  readonly held: number;
  /** Approvals and their revocations that left each other out. */
  readonly cancelled: number;
  /** Alerts that still wait at the end. */
  readonly waiting: number;
}

/**
 * What the channels would have received of past events by the given rules: collected, held, put together and worded by
 * the code that the functions use, at the times at which the events were observed.
 */
export function rehearseAlerts(settings: RehearsedRules, past: RehearsedPast): ChannelRehearsal[] {
  const collected = collectAll(settings, past);
  return settings.channels.map((channel) => release(channel, collected.get(channel.name) ?? [], past.until));
}

/** An alert and the places of all rules that led to it. */
interface Collected {
  readonly alert: Alert;
  readonly rules: readonly number[];
}

function collectAll(settings: RehearsedRules, past: RehearsedPast): Map<string, Collected[]> {
  const reverted = new Map(past.events.map((event) => [event.id, readHoursAtReversal(event)]));
  const known = { ...past, reverted, reported: followReported() };
  const found = [
    ...inOrder(past.events).flatMap((event) => collectEvent(event, settings, known)),
    ...past.finishes.flatMap((finish) => collectFinish(finish, settings)),
  ];
  const ordered = found.sort(
    ({ alert: a }, { alert: b }) => a.at - b.at || (a.sequence ?? 0) - (b.sequence ?? 0),
  );
  return Map.groupBy(ordered, ({ channel }) => channel);
}

interface KnownPast extends RehearsedPast {
  /** Hours of timesheets when their processing was reverted, by the ids of these events. */
  readonly reverted: ReadonlyMap<string, HoursAtReversal | null>;
  /** What a channel got last about the pay period of an event, before it gets the event. */
  readonly reported: (event: DescribableEvent, channel: string) => ReportedBefore;
}

function followReported(): KnownPast['reported'] {
  const last = new Map<string, ReportedReadiness>();
  return (event, channel) => {
    const key = JSON.stringify([channel, event.connection, event.subject]);
    const before = last.get(key);
    const reported = toReported(event);
    if (reported !== null) last.set(key, reported);
    return readReportedBefore(before, event);
  };
}

function inOrder(events: readonly DescribableEvent[]): DescribableEvent[] {
  return events.toSorted((a, b) => Date.parse(a.time) - Date.parse(b.time));
}

function collectEvent(
  event: DescribableEvent,
  settings: RehearsedRules,
  { names, reverted, reported }: KnownPast,
) {
  const to = toChannelRules(event.connection, settings);
  const { timeZone } = to;
  const facts = readFacts(event, timeZone);
  const namesConnection = settings.connections.length > 1;
  const hoursBefore = chooseHoursBefore(event, reverted.get(findReversal(event) ?? ''));
  return matchEvent(event, to).flatMap((match) => {
    const channel = settings.channels.find(({ name }) => name === match.channel);
    const known = filterNames(channel?.names ?? [], names.get(event.connection) ?? NO_NAMES);
    return listReaders(event, channel?.managers ?? {}, known).flatMap(({ event: read, manager }) => {
      const before = reported(read, toReaderKey(match.channel, manager));
      if (!saysSomething(read, before)) return [];
      const context = { ...settings, ...before, match, names: known, manager, timeZone, hoursBefore };
      const reader = { namesConnection, isForPay: isForPay(match, settings.channels) };
      const rules = findMatchingRules(facts, settings.rules, match.channel);
      return [{ channel: match.channel, alert: buildAlert(read, { ...context, ...reader }), rules }];
    });
  });
}

/** A closing that says that all is processed takes the place of the alert in the channels that hear of it. */
function collectFinish(finish: Finish, settings: RehearsedRules) {
  const to = toChannelRules(finish.connection, settings);
  const { timeZone } = to;
  const facts = readFacts(toFinishedFact(finish), timeZone);
  const { closing } = finish;
  const sent =
    closing === null ? [] : matchRules(readFacts(closing, timeZone), settings.rules, listNames(settings));
  const byStatement = findChannelsOfStatement(finish.period, toFinishedFact(finish), to);
  const informed = new Set([...sent.map(({ channel }) => channel), ...byStatement]);
  const namesConnection = settings.connections.length > 1;
  return matchRules(facts, settings.rules, listNames(settings))
    .filter(({ channel }) => !informed.has(channel))
    .map((match) => ({
      channel: match.channel,
      alert: toFinishedAlert(finish, { match, timeZone, namesConnection }),
      rules: findMatchingRules(facts, settings.rules, match.channel),
    }));
}

function release(
  channel: RehearsedChannel,
  collected: readonly Collected[],
  until: number,
): ChannelRehearsal {
  const rulesOf = new Map(collected.map(({ alert, rules }) => [alert.id, rules]));
  const messages: RehearsedMessage[] = [];
  const held = new Set<string>();
  let cancelled = 0;
  let waiting: readonly Alert[] = [];
  let next = 0;
  let now = firstRun(collected[0]);
  while (now <= until) {
    const arrived = takeUntil(collected, next, now);
    next += arrived.length;
    waiting = [...waiting, ...arrived];
    for (const { id } of findHeld(waiting, channel, now)) held.add(id);
    const due = new Set(selectDueAlerts(waiting, channel, { now, scope: 'due' }));
    waiting = due.size === 0 ? waiting : waiting.filter((alert) => !due.has(alert));
    cancelled += countCancelled([...due]);
    const onlyRule = findOnlyRule([...due].map(({ id }) => rulesOf.get(id) ?? []));
    for (const { message } of composeFor(channel, [...due], now)) {
      if (message !== null) messages.push({ at: now, message, onlyRule });
    }
    now = waiting.length > 0 ? now + RELEASE_INTERVAL_MS : firstRun(collected[next]);
  }
  return {
    channel: channel.name,
    messages,
    alerts: collected.length,
    held: held.size,
    cancelled,
    waiting: waiting.length + collected.length - next,
  };
}

/** The alerts from a place on that were observed by then. */
function takeUntil(collected: readonly Collected[], from: number, now: number): Alert[] {
  let to = from;
  while ((collected[to]?.alert.at ?? Number.POSITIVE_INFINITY) <= now) to += 1;
  return collected.slice(from, to).map(({ alert }) => alert);
}

/** The first run at or after an alert; never without one. */
function firstRun(collected: Collected | undefined): number {
  if (collected === undefined) return Number.POSITIVE_INFINITY;
  return Math.ceil(collected.alert.at / RELEASE_INTERVAL_MS) * RELEASE_INTERVAL_MS;
}

function findHeld(waiting: readonly Alert[], { quietHours }: ReleaseTiming, now: number): Alert[] {
  if (quietHours === undefined) return [];
  const zones = new Set(waiting.map(({ timeZone }) => timeZone));
  const quiet = new Set([...zones].filter((zone) => isQuiet(quietHours, now, zone)));
  return waiting.filter(({ urgent, timeZone }) => !urgent && quiet.has(timeZone));
}

function findOnlyRule(rules: readonly (readonly number[])[]): number | null {
  const all = new Set(rules.flat());
  const [only] = all;
  return all.size === 1 && only !== undefined ? only : null;
}

function listNames({ channels }: RehearsedRules): string[] {
  return channels.map(({ name }) => name);
}
