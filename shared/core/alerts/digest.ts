import { hash } from 'node:crypto';
import type { Alert, ChannelMessage } from './alert.ts';
import { buildDigestTitle } from './digest-title.ts';
import { mergeMassMembers } from './mass-losses.ts';

/** Lines that a digest shows; the rest is a number. */
const MAX_LINES = 10;
/** Ids that are kept with one message: what is stored has room for more, but not for twice as many. */
const MAX_ALERT_IDS = 2_000;
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
  const ordered = [...alerts].sort(compareBySeen);
  const told = mergeMassMembers(removeCancelled(ordered));
  const spoken = new Set(told.map(({ id }) => id));
  const silent = ordered.filter(({ id }) => !spoken.has(id));
  // What people read is kept with the message itself.
  return splitIntoPortions([...sortByImportance(told), ...silent]).map((portion, index) => {
    const alertIds = portion.map(({ id }) => id);
    return { message: index === 0 ? buildMessage(told, alertIds) : null, alertIds };
  });
}

function buildMessage(told: readonly Alert[], alertIds: readonly string[]): ChannelMessage | null {
  const latest = told.at(-1);
  if (latest === undefined) return null;
  const lines = told.length === 1 ? [] : sortByImportance(told).map(({ line }) => line);
  const heading =
    told.length === 1 ? { title: latest.line, headline: latest.headline } : { title: buildDigestTitle(told) };
  return {
    id: computeMessageId(alertIds),
    ...heading,
    lines: lines.slice(0, MAX_LINES),
    more: Math.max(0, lines.length - MAX_LINES),
    urgent: told.some(({ urgent }) => urgent),
    at: latest.at,
    timeZone: latest.timeZone,
  };
}

function computeMessageId(alertIds: readonly string[]): string {
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
function removeCancelled(alerts: readonly Alert[]): Alert[] {
  const staying = new Set(groupByRecord(alerts).flatMap(removeCancelledOfRecord));
  return alerts.filter((alert) => staying.has(alert));
}

/**
 * Of what happened to one record, without first approvals that were taken back, and without that. Both stay when
 * something that stays happened in between: it would speak of an approval that nobody heard of.
 */
function removeCancelledOfRecord(alerts: readonly Alert[]): Alert[] {
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
function sortByImportance(alerts: readonly Alert[]): Alert[] {
  const counts = new Map<Alert['type'], number>();
  for (const { type } of alerts) counts.set(type, (counts.get(type) ?? 0) + 1);
  const rarity = (group: readonly Alert[]) => Math.min(...group.map(({ type }) => counts.get(type) ?? 0));
  const urgency = (group: readonly Alert[]) => Number(group.some(({ urgent }) => urgent));
  return groupByRecord(alerts)
    .sort((a, b) => urgency(b) - urgency(a) || rarity(a) - rarity(b))
    .flat();
}

/** Alerts of the same record together; what is about none is alone. */
function groupByRecord(alerts: readonly Alert[]): Alert[][] {
  const records = Map.groupBy(alerts, ({ connection, subject, id }) =>
    JSON.stringify([connection, subject ?? id]),
  );
  return [...records.values()];
}

/** What happened to one record keeps its order: given in it, and sorting is stable. */
function compareBySeen(left: Alert, right: Alert): number {
  return left.at - right.at;
}

function splitIntoPortions(alerts: readonly Alert[]): Alert[][] {
  const count = Math.ceil(alerts.length / MAX_ALERT_IDS);
  return Array.from({ length: count }, (_, at) => alerts.slice(at * MAX_ALERT_IDS, (at + 1) * MAX_ALERT_IDS));
}
