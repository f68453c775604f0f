import { hash } from 'node:crypto';
import type { Alert, ChannelMessage } from './alert.ts';
import { digestTitle } from './digest-title.ts';
import { withoutMassMembers } from './mass-losses.ts';

/** Lines that a digest shows; the rest is a number. */
const MOST_LINES = 10;
/** Ids that are kept with one message: what is stored has room for more, but not for twice as many. */
const MOST_IDS = 2_000;
const ID_DIGITS = 32;

/** A message with the ids of all alerts it stands for; null when they cancelled each other out. */
export interface ComposedMessage {
  readonly message: ChannelMessage | null;
  readonly alertIds: readonly string[];
}

/**
 * Makes one message of alerts of one channel. What was approved and taken back again is left out, and what a mass change
 * stands for is only counted; their ids are among those of the message all the same, of one without content when
 * nothing else is to be told. So are those beyond 2,000: the one message counts them all.
 */
export function composeMessages(alerts: readonly Alert[]): ComposedMessage[] {
  const ordered = [...alerts].sort(bySeen);
  const told = withoutMassMembers(withoutCancelled(ordered));
  const spoken = new Set(told.map(({ id }) => id));
  const silent = ordered.filter(({ id }) => !spoken.has(id));
  // What people read is kept with the message itself.
  return portions([...byImportance(told), ...silent]).map((portion, index) => {
    const alertIds = portion.map(({ id }) => id);
    return { message: index === 0 ? messageOf(told, alertIds) : null, alertIds };
  });
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

/**
 * What takes back a first approval and cancels it out. Nothing else does, however quickly it was taken back: a person
 * was at work, a period was closed or a timesheet processed, and somebody may have acted on it.
 */
const CANCELLING: readonly Alert['type'][] = [
  'workforce.timesheet.approval_revoked',
  'workforce.timesheet.payroll_approval_revoked',
];

/**
 * Whether a step takes back the one before it as if both had never been. Not when somebody asked to be told of it at
 * once, and not when what cannot be taken back stood by then: that a channel does not tell of processing or closing is
 * no reason to hide what came after it.
 */
function cancels(alert: Alert, before: Alert | undefined): boolean {
  return (
    before?.isFirst === true &&
    before.id === alert.reverses &&
    CANCELLING.includes(alert.type) &&
    !alert.urgent &&
    alert.irreversible !== true
  );
}

/** Without what cancelled each other out, record by record. */
function withoutCancelled(alerts: readonly Alert[]): Alert[] {
  const staying = new Set(byRecord(alerts).flatMap(stayingOf));
  return alerts.filter((alert) => staying.has(alert));
}

/**
 * Of what happened to one record, without first approvals that were taken back, and without that. Both stay when
 * something that stays happened in between: it would speak of an approval that nobody heard of.
 */
function stayingOf(alerts: readonly Alert[]): Alert[] {
  const staying: Alert[] = [];
  for (const alert of alerts) {
    if (cancels(alert, staying.at(-1))) staying.pop();
    else staying.push(alert);
  }
  return staying;
}

/**
 * Urgent ones first, then those of which there are few, then in the order in which they were seen. What happened to one
 * record stays together in its order, and stands where the most important of it does: told the other way round, the
 * last line would be what is no longer so.
 */
function byImportance(alerts: readonly Alert[]): Alert[] {
  const counts = new Map<Alert['type'], number>();
  for (const { type } of alerts) counts.set(type, (counts.get(type) ?? 0) + 1);
  const rarity = (group: readonly Alert[]) => Math.min(...group.map(({ type }) => counts.get(type) ?? 0));
  const urgency = (group: readonly Alert[]) => Number(group.some(({ urgent }) => urgent));
  return byRecord(alerts)
    .sort((a, b) => urgency(b) - urgency(a) || rarity(a) - rarity(b))
    .flat();
}

/** Alerts of the same record together; what is about none is alone. */
function byRecord(alerts: readonly Alert[]): Alert[][] {
  const records = Map.groupBy(alerts, ({ connection, subject, id }) =>
    JSON.stringify([connection, subject ?? id]),
  );
  return [...records.values()];
}

/** What happened to one record keeps its order: given in it, and sorting is stable. */
function bySeen(left: Alert, right: Alert): number {
  return left.at - right.at;
}

function portions(alerts: readonly Alert[]): Alert[][] {
  const count = Math.ceil(alerts.length / MOST_IDS);
  return Array.from({ length: count }, (_, at) => alerts.slice(at * MOST_IDS, (at + 1) * MOST_IDS));
}
