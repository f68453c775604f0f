import { hash } from 'node:crypto';
import type { Alert, ChannelMessage } from './alert.ts';
import { digestTitle } from './digest-title.ts';

/** Lines that a digest shows; the rest is a number. */
const MOST_LINES = 10;
/** Alerts that one message stands for. */
const MOST_ALERTS = 2_000;
const ID_DIGITS = 32;

/** A message with the ids of all alerts it stands for; null when they cancelled each other out. */
export interface ComposedMessage {
  readonly message: ChannelMessage | null;
  readonly alertIds: readonly string[];
}

/**
 * Makes one message of alerts of one channel, several when there are more than 2,000. What was taken back again is left
 * out, and what two feeds of a connection say alike is said once; their ids are among those of a message all the same,
 * of one without content when nothing else is to be told.
 */
export function composeMessages(alerts: readonly Alert[]): ComposedMessage[] {
  const ordered = [...alerts].sort(bySeen);
  const told = saidOnce(withoutCancelled(ordered));
  const spoken = new Set(told);
  const silent = ordered.filter((alert) => !spoken.has(alert));
  const [first, ...others] = portions(told);
  const together = (first?.length ?? 0) + silent.length <= MOST_ALERTS;
  const head = together ? [...(first ?? []), ...silent] : (first ?? []);
  return [
    ...(head.length === 0 ? [] : [composed(first ?? [], head)]),
    ...others.map((portion) => composed(portion, portion)),
    ...(together ? [] : portions(silent).map((portion) => composed([], portion))),
  ];
}

function composed(told: readonly Alert[], standsFor: readonly Alert[]): ComposedMessage {
  const alertIds = standsFor.map(({ id }) => id);
  return { message: messageOf(told, alertIds), alertIds };
}

function messageOf(told: readonly Alert[], alertIds: readonly string[]): ChannelMessage | null {
  const latest = told.at(-1);
  if (latest === undefined) return null;
  const lines = told.length === 1 ? [] : byImportance(told).map(({ line }) => line);
  const heading =
    told.length === 1 ? { title: latest.line, headline: latest.headline } : { title: digestTitle(told) };
  return {
    id: messageId(alertIds),
    ...heading,
    lines: lines.slice(0, MOST_LINES),
    more: Math.max(0, lines.length - MOST_LINES),
    urgent: told.some(({ urgent }) => urgent),
    at: latest.at,
    timeZone: latest.timeZone,
  };
}

function messageId(alertIds: readonly string[]): string {
  return hash('sha256', JSON.stringify([...alertIds].sort()), 'hex').slice(0, ID_DIGITS);
}

/** Without what another alert takes back, and without that one. */
function withoutCancelled(alerts: readonly Alert[]): Alert[] {
  const byId = new Map(alerts.map((alert) => [alert.id, alert]));
  const cancelled = new Set<Alert>();
  for (const alert of alerts) {
    const taken = alert.reverses === null || !mayCancel(alert) ? undefined : byId.get(alert.reverses);
    if (taken === undefined || taken === alert || cancelled.has(taken) || cancelled.has(alert)) continue;
    cancelled.add(taken).add(alert);
  }
  return alerts.filter((alert) => !cancelled.has(alert));
}

/** A period that was closed and opened again is news, however quickly: systems may have acted on it. */
function mayCancel({ type }: Alert): boolean {
  return type !== 'workforce.pay_period.reopened';
}

const ANSWERS: readonly Alert['type'][] = ['workforce.source.unreachable', 'workforce.source.recovered'];

/**
 * Every feed of a connection says that its source does not answer: said again it is left out, until the other was said
 * in between.
 */
function saidOnce(alerts: readonly Alert[]): Alert[] {
  const lastSaid = new Map<string, string>();
  return alerts.filter(({ type, connection }) => {
    if (!ANSWERS.includes(type)) return true;
    const said = lastSaid.get(connection) === type;
    lastSaid.set(connection, type);
    return !said;
  });
}

/** Urgent ones first, then those of which there are few, then in the order in which they were seen. */
function byImportance(alerts: readonly Alert[]): Alert[] {
  const counts = new Map<Alert['type'], number>();
  for (const { type } of alerts) counts.set(type, (counts.get(type) ?? 0) + 1);
  const rarity = ({ type }: Alert) => counts.get(type) ?? 0;
  return [...alerts].sort((a, b) => Number(b.urgent) - Number(a.urgent) || rarity(a) - rarity(b));
}

/** What happened to one record keeps its order: given in it, and sorting is stable. */
function bySeen(left: Alert, right: Alert): number {
  return left.at - right.at;
}

function portions(alerts: readonly Alert[]): Alert[][] {
  const count = Math.ceil(alerts.length / MOST_ALERTS);
  return Array.from({ length: count }, (_, at) => alerts.slice(at * MOST_ALERTS, (at + 1) * MOST_ALERTS));
}
