import * as z from 'zod';
import { type ChannelMessage, channelMessageSchema } from '../alerts/alert.ts';
import {
  isTopicOf,
  listPosted,
  onlyEnds,
  type Posted,
  subjectOf,
  type ThreadNews,
  threadNewsSchema,
} from './thread-news.ts';

/**
 * How long a thread is remembered after the last news of its topic: longer than from one closing of a monthly calendar
 * to the next, when its statement comes at the latest, and no longer, since it names people.
 */
export const THREAD_RETENTION_MS = 45 * 86_400_000;
/** Alerts that the head of a thread knows; more of troubles, since it counts those that are open. */
const MAX_POSTED = 40;
const MAX_TROUBLES = 100;
/** Ids of messages that a thread remembers: more than can come back from a queue. */
const MAX_IDS = 50;

/** A thread in a Slack channel, with what its head says. */
export const threadSchema = z.object({
  ...threadNewsSchema.shape,
  /** The head in Slack. */
  ts: z.string(),
  /** Lines below the latest sentence, of a single alert. */
  details: channelMessageSchema.pick({ lines: true, links: true, inner: true, strong: true }).nullable(),
  /** Ids of messages that the head knows, and of those that are posted. */
  known: z.array(z.string()),
  posted: z.array(z.string()),
  /** Slack may still show an earlier head. */
  isStale: z.boolean(),
});
export type Thread = z.output<typeof threadSchema>;

/** The thread that begins with a message. */
export function startThread(message: ChannelMessage, news: ThreadNews, ts: string): Thread {
  return {
    ...news,
    ts,
    details: keepDetails(message, news, null),
    known: [message.id],
    posted: [message.id],
    isStale: false,
  };
}

/** The thread with the news of a message in its head, which it takes once. */
export function advanceThread(thread: Thread, message: ChannelMessage, news: ThreadNews): Thread {
  if (thread.known.includes(message.id)) return thread;
  // A message that comes out of its dead-letter queue tells of earlier things than the head does.
  const subject = subjectOf(thread.topic);
  const all = [...listPosted(thread), ...listPosted(news)].toSorted((a, b) => a.at - b.at);
  const open = dropEnded(all, subject);
  const posted = dropOldest(open, thread.topic);
  const latest = posted.at(-1) ?? news.latest;
  // What was left out before the last news of a pay period itself has ended as well.
  const left = open.length < all.length ? 0 : thread.left;
  return {
    ...thread,
    before: posted.slice(0, -1),
    latest,
    left: left + news.left + open.length - posted.length,
    details: latest === news.latest ? keepDetails(message, news, thread.details) : thread.details,
    known: [...thread.known, message.id].slice(-MAX_IDS),
    isStale: true,
  };
}

/** What changed before the last news of a pay period itself is in that news. */
function dropEnded(all: readonly Posted[], subject: string): readonly Posted[] {
  const last = all.findLastIndex(({ item }) => item === subject);
  return all.filter(({ item }, at) => at >= last || item === subject);
}

/**
 * Keeps the last alert of each thing; of these, what is open and the topic itself. Of a record it keeps the first one
 * too, with which its net effect begins.
 */
function dropOldest(all: readonly Posted[], topic: string): Posted[] {
  const posted = [...all];
  const isTrouble = isTopicOf('trouble', topic);
  const from = isTrouble ? 0 : 1;
  const isRepeated = ({ item }: Posted, at: number) =>
    posted.some((later, place) => place > at && later.item === item);
  const isMinor = ({ item, ends }: Posted) => (isTrouble ? ends : item !== subjectOf(topic));
  while (posted.length > (isTrouble ? MAX_TROUBLES : MAX_POSTED)) {
    const found = [isRepeated, isMinor]
      .map((isDropped) => posted.findIndex((each, at) => at >= from && isDropped(each, at)))
      .find((at) => at >= from);
    posted.splice(found ?? from, 1);
  }
  return posted;
}

export function notePosted(thread: Thread, messageId: string): Thread {
  return { ...thread, posted: [...thread.posted, messageId].slice(-MAX_IDS) };
}

/** The thread of a trouble that is over has ended: the next trouble of its kind begins another, where people see it. */
export function continues(thread: Thread, message: ChannelMessage, news: ThreadNews): boolean {
  if (!isTopicOf('trouble', thread.topic) || thread.known.includes(message.id)) return true;
  const latest = new Map(listPosted(thread).map(({ item, ends }) => [item, ends]));
  return onlyEnds(news) || [...latest.values()].includes(false);
}

/** Nothing follows the end of a trouble that has no thread. */
export function opensThread(news: ThreadNews): boolean {
  return !(isTopicOf('trouble', news.topic) && onlyEnds(news));
}

/**
 * Whether a reply is shown in the channel as well. Slack notifies only those who wrote in the thread, so only a reply
 * that needs no action stays out of the channel.
 */
export function isShownInChannel({ urgent }: ChannelMessage, news: ThreadNews): boolean {
  return urgent || !onlyEnds(news);
}

/** Lines of a message about one alert of the topic. Another message leaves them, if it says nothing of the topic itself. */
function keepDetails(
  { thread, lines, links, inner, strong }: ChannelMessage,
  { topic, before, latest }: ThreadNews,
  former: Thread['details'],
): Thread['details'] {
  if (thread?.topic !== topic) return latest.item === subjectOf(topic) ? null : former;
  if (before.length > 0 || lines.length === 0) return null;
  return {
    lines,
    ...(links === undefined ? {} : { links }),
    ...(inner === undefined ? {} : { inner }),
    ...(strong === undefined ? {} : { strong }),
  };
}
