import { type Language, languageOf, sayCount } from '#shared/languages/language.ts';
import type { Alert, ChannelMessage } from '../alerts/alert.ts';
import { type ComposedMessage, composeMessages, removeLeftOut } from '../alerts/digest/digest.ts';
import { findNewsOf, isNewsOfPeriod, toRecordKey } from '../alerts/digest/record-order.ts';
import { ALERT_NEWS } from '../core/definitions/alert-news.ts';
import { topicOf } from '../core/event-types.ts';
import { cleanText } from '../core/messages/clean-text.ts';
import { MAX_SHEET_TIMESHEETS } from '../statements/close-manifest.ts';
import { isTopicOf, type Posted, type ThreadNews, toTopic } from './thread-news.ts';

/** Topics that get a message of their own at once; those beyond share the digest. Their messages fit one transaction. */
const MAX_OWN_MESSAGES = 30;
/** Alerts of one record that its thread takes from one message: the latest. */
const MAX_POSTED = 30;
/** Troubles of a kind in one message. With more, none gets a thread: its head could not say that all have ended. */
const MAX_TROUBLES = 50;
/** Of all news beside a digest, in JSON: the message has to fit a queue. */
const MAX_NEWS_BYTES = 60_000;
/** A longer id makes no sort key. */
const MAX_TOPIC_CHARACTERS = 400;

/** What decides how the messages of a channel are made: a bot can post in threads. */
export interface ThreadedChannel {
  readonly name: string;
  /** Id in Slack, of a channel that a bot posts to. */
  readonly channelId?: string | undefined;
  /** Whether the timesheets of a pay period come into its thread as files. */
  readonly files?: boolean | undefined;
  /** In which it reads; English without it. */
  readonly language?: Language | undefined;
}

/** Makes messages of the alerts of a channel. `sentAt`: as in `composeMessages`. */
export function composeFor(
  { channelId, files = false, ...reader }: ThreadedChannel,
  alerts: readonly Alert[],
  sentAt?: number,
): ComposedMessage[] {
  const language = languageOf(reader);
  const [forChannel = [], ...own] = [undefined, ...new Set(alerts.flatMap(({ to }) => to ?? []))].map((to) =>
    alerts.filter((alert) => alert.to === to),
  );
  const messages =
    channelId === undefined
      ? composeMessages(forChannel, sentAt, language)
      : composeThreads(forChannel, sentAt, language);
  const shown = files ? messages.map((each) => sayWhereFilesAre(each, language)) : messages;
  return [...shown, ...own.flatMap((each) => composeForManager(each, sentAt, language))];
}

/** Of a period that is too large for Slack, the message says how to have its files. */
function sayWhereFilesAre({ message, alertIds }: ComposedMessage, language: Language): ComposedMessage {
  const { files } = message ?? {};
  if (message === null || files === undefined || files.timesheets <= MAX_SHEET_TIMESHEETS)
    return { message, alertIds };
  const command = `notifier statement ${cleanText(files.payPeriodId)} --csv <folder>`;
  const line = sayCount(language.sheets.itsTooMany, files.timesheets, language, { command });
  const { lines, links, inner, strong } = message;
  const more = {
    lines: [...lines, line],
    ...(links === undefined ? {} : { links: [...links, null] }),
    ...(inner === undefined ? {} : { inner: [...inner, false] }),
    ...(strong === undefined ? {} : { strong: { ...strong, lines: [...strong.lines, []] } }),
  };
  return { message: { ...message, ...more }, alertIds };
}

/** The list of a manager is a message of its own, in no thread. */
function composeForManager(
  alerts: readonly Alert[],
  sentAt: number | undefined,
  language: Language,
): ComposedMessage[] {
  const to = alerts[0]?.to;
  return composeMessages(alerts, sentAt, language).map(({ message, alertIds }) => ({
    message: message === null || to === undefined ? message : { ...message, to },
    alertIds,
  }));
}

/**
 * Makes messages for a channel with threads: one for each pay period and for the troubles of each kind, and one digest
 * of the rest, as `composeMessages` does. A message about one topic belongs to its thread; a digest about several
 * timesheets stands by itself, and changes the heads of the threads that these have. So does what changed after a pay
 * period closed, with the head of its thread; what waited for the news of the period is sent with that.
 */
function composeThreads(
  alerts: readonly Alert[],
  sentAt: number | undefined,
  language: Language,
): ComposedMessage[] {
  const news = new Map(alerts.filter(isNewsOfPeriod).map((alert) => [toRecordKey(alert), findTopic(alert)]));
  const topicOfGroup = (alert: Alert) => findOwnTopic(alert) ?? findNewsOf(alert, news);
  const own = [...Map.groupBy(alerts, topicOfGroup)].filter(([topic]) => topic !== null);
  const groups = own.slice(0, MAX_OWN_MESSAGES);
  const apart = new Set(groups.flatMap(([, group]) => group));
  const rest = alerts.filter((alert) => !apart.has(alert));
  const messages = [...groups, [null, rest] as const].flatMap(([topic, group]) => {
    const place = placeNews(group, topic);
    return composeMessages(group, sentAt, language).map(({ message, alertIds }) => ({
      message: message === null ? null : { ...message, ...place },
      alertIds,
    }));
  });
  const urgency = ({ message }: ComposedMessage) => Number(message?.urgent === true);
  return messages.sort((a, b) => urgency(b) - urgency(a));
}

/** A message about one topic alone belongs to its thread, and so does that of a pay period with its timesheets. */
function placeNews(alerts: readonly Alert[], own: string | null): Pick<ChannelMessage, 'thread' | 'heads'> {
  const shown = removeLeftOut(alerts);
  const topics = Map.groupBy(shown, findTopic);
  const news = [...topics].flatMap(([topic, group]) => toNews(topic, group));
  const isOfPeriod = own !== null && topics.size > 1;
  const thread = isOfPeriod ? toNews(own, shown)[0] : topics.size === 1 ? news[0] : undefined;
  const others = [...collectAfterClosing(shown), ...(thread === undefined || isOfPeriod ? news : [])];
  const heads = takeFitting(isOfPeriod ? others.filter(({ topic }) => topic !== own) : others);
  return { ...(thread === undefined ? {} : { thread }), ...(heads.length === 0 ? {} : { heads }) };
}

function toNews(topic: string | null, alerts: readonly Alert[]): ThreadNews[] {
  const isTrouble = topic !== null && isTopicOf('trouble', topic);
  if (isTrouble && alerts.length > MAX_TROUBLES) return [];
  const posted = alerts.slice(isTrouble ? 0 : -MAX_POSTED).map(toPosted);
  const latest = posted.at(-1);
  if (topic === null || latest === undefined) return [];
  return [{ topic, latest, before: posted.slice(0, -1), left: alerts.length - posted.length }];
}

/** What changed after pay periods closed, for their threads. */
function collectAfterClosing(alerts: readonly Alert[]): ThreadNews[] {
  const late = alerts.flatMap((alert) =>
    (alert.closedPeriods ?? []).map((id) => ({ alert, topic: toTopic('period', alert.connection, id) })),
  );
  return [...Map.groupBy(late, ({ topic }) => topic)].flatMap(([topic, group]) =>
    toNews(
      topic,
      group.map(({ alert }) => alert),
    ),
  );
}

function takeFitting(news: readonly ThreadNews[]): ThreadNews[] {
  let bytes = 0;
  return news.filter((each) => {
    bytes += new TextEncoder().encode(JSON.stringify(each)).length;
    return bytes <= MAX_NEWS_BYTES;
  });
}

/** A head is read later than it is written. */
function toPosted({ held, ...alert }: Alert): Posted {
  const { trouble, subject, id, type, heading, line, strong, url, story } = { ...alert, ...held };
  const { at, timeZone, words } = alert;
  return {
    item: trouble?.item ?? subject ?? id,
    heading: heading ?? line,
    line,
    ...(strong === undefined ? {} : { strong }),
    ...(url === undefined ? {} : { url }),
    at,
    timeZone,
    ends: ALERT_NEWS[type].ends !== undefined || ALERT_NEWS[type].endsMatter === true,
    ...(story === undefined ? {} : { story }),
    ...(words === undefined ? {} : { words }),
  };
}

/** The topic of an alert that has a message apart from those about other things; null for any other. */
function findOwnTopic(alert: Alert): string | null {
  const topic = findTopic(alert);
  return topic === null || isTopicOf('timesheet', topic) ? null : topic;
}

function findTopic({ type, connection, subject, trouble }: Alert): string | null {
  const topic = nameTopic({ type, connection, subject, trouble });
  return topic !== null && topic.length <= MAX_TOPIC_CHARACTERS ? topic : null;
}

function nameTopic({
  type,
  connection,
  subject,
  trouble,
}: Pick<Alert, 'type' | 'connection' | 'subject' | 'trouble'>) {
  if (ALERT_NEWS[type].hasNoThread === true) return null;
  if (trouble !== undefined) return toTopic('trouble', connection, trouble.type);
  if (subject === null) return null;
  const isPeriod = topicOf(type) === 'pay-periods';
  return toTopic(isPeriod ? 'period' : 'timesheet', connection, subject);
}
