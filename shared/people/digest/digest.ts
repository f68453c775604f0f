import { hash } from 'node:crypto';
import { toLocalDate } from '../../core/dates.ts';
import type { Alert, ChannelMessage, Detail, ShownAlert } from '../alert.ts';
import { cutHeading } from '../messages/cut-heading.ts';
import { formatNumber } from '../messages/numbers.ts';
import { listFirst } from '../messages/wording.ts';
import { ALERT_NEWS } from '../words/alert-news.ts';
import { splitBulk } from './bulk-lines.ts';
import { buildDigestTitle, sumAlerts } from './digest-title.ts';
import { mergeLists } from './merge-alerts.ts';
import { findNewsOf, isNewsOfPeriod, sortByDeadline, sortBySeen, toRecordKey } from './record-order.ts';
import { mergeStories } from './stories.ts';

/** Lines that a digest shows; it counts the rest. */
const MAX_LINES = 10;
/** Ids stored with one message: a bound, so that its item always fits DynamoDB's 400 KB. */
const MAX_ALERT_IDS = 2_000;
const ID_DIGITS = 32;

/** A message with the ids of all alerts it stands for. */
export interface ComposedMessage {
  /** Null when there is nothing to say: its alerts cancel each other out, or another message counts them. */
  readonly message: ChannelMessage | null;
  readonly alertIds: readonly string[];
}

/**
 * Makes one message of the alerts of a channel. First approvals that were revoked are left out, and members of a mass
 * change are only counted; the message carries their ids all the same. Of more than 2,000 alerts the first message
 * counts all, and further ones without content carry the remaining ids. `sentAt`: when they are sent, in milliseconds
 * since 1970; without it, at once.
 */
export function composeMessages(alerts: readonly Alert[], sentAt?: number): ComposedMessage[] {
  const ordered = sortBySeen(alerts).map((alert) => wordForSending(alert, sentAt ?? alert.at));
  const merged = removeLeftOut(ordered);
  const shown = foldIntoPeriods(mergeLists(mergeStories(merged)));
  const shownIds = new Set(shown.map(({ id }) => id));
  const hidden = ordered.filter(({ id }) => !shownIds.has(id));
  // The ids of what people read are kept with the message itself.
  return splitByIds([...sortByImportance(shown), ...hidden]).map((group, index) => {
    const alertIds = group.map(({ id }) => id);
    return { message: index === 0 ? buildMessage(shown, alertIds) : null, alertIds };
  });
}

/** A sentence that says `in 4 h`, or leaves out the day, is sent so soon after it was worded. */
const MAX_FRESH_MS = 300_000;

function wordForSending(alert: Alert, sentAt: number): Alert {
  const { held, at, timeZone } = alert;
  const isFresh = sentAt - at <= MAX_FRESH_MS && toLocalDate(sentAt, timeZone) === toLocalDate(at, timeZone);
  return held === undefined || isFresh ? alert : { ...alert, facts: null, ...held };
}

function buildMessage(alerts: readonly ShownAlert[], alertIds: readonly string[]): ChannelMessage | null {
  const latest = alerts.at(-1);
  if (latest === undefined) return null;
  return {
    id: computeMessageId(alertIds),
    ...(alerts.length === 1 ? buildSingle(latest) : buildDigest(alerts)),
    urgent: alerts.some(({ urgent }) => urgent),
    at: Math.max(...alerts.map(({ at }) => at)),
    timeZone: latest.timeZone,
  };
}

/** Above what waited for the total of its pay period. */
const IN_TOTAL = 'In these figures already:';

/**
 * What waited for the news of its pay period stands below that news. What is in the total of a period is never listed as
 * something to pay.
 */
function foldIntoPeriods(shown: readonly ShownAlert[]): ShownAlert[] {
  const news = new Map(shown.filter(isNewsOfPeriod).map((alert) => [toRecordKey(alert), alert]));
  const below = Map.groupBy(shown, (alert) => (alert.urgent ? null : findNewsOf(alert, news)));
  return (below.get(null) ?? []).map((alert) => {
    const folded = below.get(alert);
    if (folded === undefined) return alert;
    const { total } = alert;
    const { lines, more } = listShown(folded.filter(({ subject }) => !total?.includes(subject ?? '')));
    const rest = more === 0 ? [] : [{ text: `${formatNumber(more)} more`, isInner: false }];
    const inner = [...lines, ...rest].map((line) => ({
      ...line,
      isInner: line.isInner || total !== undefined,
    }));
    const title = total === undefined || inner.length === 0 ? [] : [{ text: IN_TOTAL, isInner: false }];
    const details = [...(alert.details ?? []), ...title, ...inner];
    return { ...alert, ...(details.length === 0 ? {} : { details }), folded: sumAlerts(folded) };
  });
}

/** The alerts that have lines of their own, the lines about all others, and how many found no room. */
function listShown(ordered: readonly ShownAlert[]): {
  readonly lines: readonly Detail[];
  readonly more: number;
} {
  const { single, lines } = ordered.length <= MAX_LINES ? { single: ordered, lines: [] } : splitBulk(ordered);
  const listed = single.slice(0, MAX_LINES).flatMap((each) => toDigestLines(each));
  const unlisted = single.slice(MAX_LINES);
  const more = unlisted.reduce((sum, { folded = 0 }) => sum + folded, sumAlerts(unlisted));
  return { lines: [...listed, ...lines], more };
}

type Layout = 'links' | 'inner' | 'lines' | 'strong';
type MessageText = Pick<ChannelMessage, 'title' | 'heading' | 'facts' | 'url' | 'more' | Layout>;

/** A daily summary has at most so many words; it counts the periods that find no room. */
const MAX_SUMMARY_WORDS = 60;

/**
 * A daily summary: its heading names the period that closes first, below it stand its numbers by department, then the
 * other periods, and what is open of closed ones. Null when one of the alerts is no summary.
 */
function buildSummaries(ordered: readonly ShownAlert[], title: string): MessageText | null {
  const [first, ...others] = ordered.map(({ summary }) => summary);
  const heading = ordered.length === 1 ? ordered[0]?.heading : nameFirstPeriod(ordered);
  if (first === undefined || heading == null || others.includes(undefined)) return null;
  const sayMore = (n: number) => `${formatNumber(n)} more`;
  const numbers = [...tellCount(first, heading), first.rest].join(', ');
  const texts = [heading, numbers];
  const stillOpen = ordered.flatMap(({ summary }) => summary?.stillOpen ?? []);
  const fits = (added: readonly string[]) =>
    countWords([...texts, ...stillOpen.map(({ text }) => text), ...added, sayMore(10)]) <= MAX_SUMMARY_WORDS;
  const lines: Detail[] = [];
  for (const [place, summary] of others.entries()) {
    const { period = '', count = '', rest = '' } = summary ?? {};
    const text = `${period}: ${count}, ${rest}`;
    if (!fits([text])) break;
    texts.push(text);
    const { url } = ordered[place + 1] ?? {};
    lines.push({ text, isInner: false, strong: [period], ...(url === undefined ? {} : { url }) });
  }
  const departments = first.departments.filter((_, place, all) => fits(all.slice(0, place + 1)));
  const unnamed = first.departments.length - departments.length;
  const named = [...departments, ...(unnamed === 0 ? [] : [sayMore(unnamed)])].join(', ');
  texts.push(named);
  return {
    title,
    heading,
    facts: `${numbers}${departments.length === 0 ? '' : `: ${named}`}`,
    ...layOutLines([...lines, ...stillOpen], []),
    ...(ordered[0]?.url === undefined ? {} : { url: ordered[0].url }),
    more: others.length - lines.length,
  };
}

/** Nothing where the heading has it. */
function tellCount({ count, said = count }: NonNullable<Alert['summary']>, heading: string): string[] {
  return heading.includes(said) ? [] : [count];
}

function countWords(texts: readonly string[]): number {
  return texts
    .join(' ')
    .split(/\s+/)
    .filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}

function buildSingle(alert: ShownAlert): MessageText {
  const summarized = buildSummaries([alert], alert.line);
  if (summarized !== null) return summarized;
  const { line, strong = [], heading, facts, url, details = [] } = alert;
  return {
    title: line,
    ...(heading === undefined ? {} : { heading }),
    ...(facts == null ? {} : { facts }),
    ...(url === undefined ? {} : { url }),
    ...layOutLines(details, strong),
    more: 0,
  };
}

/** `titleStrong`: what stands out in the title. */
function layOutLines(
  details: readonly Detail[],
  titleStrong: readonly string[],
): Pick<ChannelMessage, Layout> {
  const hasLinks = details.some(({ url }) => url !== undefined);
  const hasInner = details.some(({ isInner }) => isInner);
  const strong = { title: titleStrong, lines: details.map((detail) => detail.strong ?? []) };
  return {
    lines: details.map(({ text }) => text),
    ...(hasLinks ? { links: details.map(({ url }) => url ?? null) } : {}),
    ...(hasInner ? { inner: details.map(({ isInner }) => isInner) } : {}),
    ...([strong.title, ...strong.lines].flat().length === 0 ? {} : { strong }),
  };
}

/** In a digest a line stands for its alert, with its departments below it. */
function toDigestLines({ line, strong, url, details = [] }: ShownAlert): Detail[] {
  const own = { text: line, isInner: false, strong, ...(url === undefined ? {} : { url }) };
  const departments = foldPeople(details);
  return [own, ...departments.map((detail) => ({ text: detail.text, isInner: true, strong: detail.strong }))];
}

/** A long digest says numbers by department in place of alerts that are like many others. */
function buildDigest(alerts: readonly ShownAlert[]): MessageText {
  const ordered = sortByImportance(sortByDeadline(alerts));
  const { lines, more } = listShown(ordered);
  const title = buildDigestTitle(alerts);
  const summarized = buildSummaries(ordered, title);
  if (summarized !== null) return summarized;
  const subject = nameFirstPeriod(ordered) ?? cutHeading(title);
  return {
    title,
    ...(subject === title ? {} : { heading: subject }),
    ...layOutLines(lines, []),
    more,
  };
}

/** `Approve 4 of 99 timesheets by 10:30 (in 2 h): Weekly 9-15 Nov`: the closest deadline of several periods. */
function nameFirstPeriod([first, ...others]: readonly ShownAlert[]): string | null {
  if (first?.closing?.at == null || others.some(({ closing }) => closing === undefined)) return null;
  return first.heading ?? null;
}

function computeMessageId(alertIds: readonly string[]): string {
  return hash('sha256', JSON.stringify([...alertIds].sort()), 'hex').slice(0, ID_DIGITS);
}

/**
 * Whether an alert and the one before it leave each other out. Urgent alerts never do. Nor does a revocation after
 * processing or closing, even in a channel that reports neither.
 */
function cancels(alert: Alert, before: Alert | undefined): boolean {
  // Nothing was sent, and no pay file was due: its hours are what they were.
  if (before?.waits === 'answer' && alert.waits !== undefined && alert.restores === before.id) return true;
  if (alert.endsClocking === true && before !== undefined)
    return ALERT_NEWS[before.type].preset === 'missing-clockings';
  return (
    before?.isFirst === true &&
    before.id === alert.reverses &&
    ALERT_NEWS[alert.type].takesBack === true &&
    !alert.urgent &&
    alert.irreversible !== true
  );
}

/** The alerts that are sent, in the order of observation, without those that cancel each other or say less. */
function removeLeftOut(alerts: readonly Alert[]): Alert[] {
  return removeSuperseded(removeCancelled(sortBySeen(alerts)));
}

function removeCancelled(alerts: readonly Alert[]): Alert[] {
  const kept = new Set(groupByRecord(alerts).flatMap(removeCancelledOfRecord));
  return alerts.filter((alert) => kept.has(alert));
}

/**
 * Of several alerts about how far a pay period is, the latest says it all, and none where its closing is sent: quiet
 * hours or a failing channel held them.
 */
function removeSuperseded(alerts: readonly Alert[]): Alert[] {
  const periodOf = ({ connection, subject }: Alert) => JSON.stringify([connection, subject]);
  const latest = new Map(alerts.filter(saysHowFar).map((alert) => [periodOf(alert), alert]));
  return alerts.filter(
    (alert) => ALERT_NEWS[alert.type].isDue !== true || latest.get(periodOf(alert)) === alert,
  );
}

function saysHowFar({ type }: Alert): boolean {
  const { isDue, replacesDue } = ALERT_NEWS[type];
  return isDue === true || replacesDue === true;
}

/**
 * Removes first approvals of one record together with their revocation. Both stay when an alert that stays lies between
 * them: it may mention the approval.
 */
function removeCancelledOfRecord(alerts: readonly Alert[]): Alert[] {
  const kept: Alert[] = [];
  for (const alert of alerts) {
    if (cancels(alert, kept.at(-1))) kept.pop();
    else kept.push(alert);
  }
  return kept;
}

/**
 * Urgent alerts first, then rare types, then in the order of observation. Alerts of one record stay together and in
 * order, at the place of the most important of them, so that the last of its lines is its current state.
 */
function sortByImportance(alerts: readonly ShownAlert[]): ShownAlert[] {
  const counts = new Map<Alert['type'], number>();
  for (const { type } of alerts) counts.set(type, (counts.get(type) ?? 0) + 1);
  const rarity = (group: readonly ShownAlert[]) =>
    Math.min(...group.map(({ type }) => counts.get(type) ?? 0));
  const urgency = (group: readonly ShownAlert[]) => Number(group.some(({ urgent }) => urgent));
  return groupByRecord(alerts)
    .sort((a, b) => urgency(b) - urgency(a) || rarity(a) - rarity(b))
    .flat();
}

/** One group per record; an operational alert is a group of its own. */
function groupByRecord<Each extends Alert>(alerts: readonly Each[]): Each[][] {
  const records = Map.groupBy(alerts, ({ connection, subject, id }) =>
    JSON.stringify([connection, subject ?? id]),
  );
  return [...records.values()];
}

function splitByIds(alerts: readonly Alert[]): Alert[][] {
  const count = Math.ceil(alerts.length / MAX_ALERT_IDS);
  return Array.from({ length: count }, (_, at) => alerts.slice(at * MAX_ALERT_IDS, (at + 1) * MAX_ALERT_IDS));
}

/** People that a department's line names in a digest; it counts the others. */
const MAX_NAMED = 6;

/**
 * Departments with their people on the same line, for a digest, where they stand below another line already:
 * `Kitchen: 2 of 40 not approved, 15.5 h (Ana Lee: Thu 12 Nov 8 h; Ben Fox: Fri 13 Nov 7.5 h)`.
 */
export function foldPeople(details: readonly Detail[]): Detail[] {
  return details.flatMap((detail, place) => {
    if (detail.isInner) return [];
    const next = details.findIndex(({ isInner }, at) => at > place && !isInner);
    const people = details.slice(place + 1, next < 0 ? details.length : next).map(({ text }) => text);
    return [{ ...detail, text: addPeople(detail.text, people), isInner: true }];
  });
}

function addPeople(line: string, people: readonly string[]): string {
  if (people.length === 0) return line;
  const named = [people.slice(0, MAX_NAMED).join('; ')];
  return `${line} (${listFirst(named, people.length - MAX_NAMED)})`;
}
