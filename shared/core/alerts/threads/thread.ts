import * as z from 'zod';
import { type ChannelMessage, channelMessageSchema } from '../alert.ts';
import {
  isTopicOf,
  listTold,
  onlyEnds,
  subjectOf,
  type ThreadNews,
  type Told,
  threadNewsSchema,
} from './thread-news.ts';

/** Alerts that the head of a thread knows. */
const MAX_TOLD = 40;
/** Ids of messages that a thread remembers: more than can come back from a queue. */
const MAX_IDS = 50;

/** A thread in a Slack channel, with what its head says. Stored until nothing was told of its topic for long. */
export const threadSchema = z.object({
  ...threadNewsSchema.shape,
  /** The head in Slack. */
  ts: z.string(),
  /** How many earlier alerts are not in `before`. */
  left: z.int(),
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
    left: 0,
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
  const all = [...listTold(thread), ...listTold(news)].toSorted((a, b) => a.at - b.at);
  const told = dropOldest(all, subjectOf(thread.topic));
  const latest = told.at(-1) ?? news.latest;
  return {
    ...thread,
    before: told.slice(0, -1),
    latest,
    left: thread.left + all.length - told.length,
    details: latest === news.latest ? keepDetails(message, news, thread.details) : thread.details,
    known: [...thread.known, message.id].slice(-MAX_IDS),
    isStale: true,
  };
}

/** Keeps the first alert, and the last of everything that the thread is about; of that, the topic itself. */
function dropOldest(all: readonly Told[], subject: string): Told[] {
  const told = [...all];
  while (told.length > MAX_TOLD) {
    const isRepeated = ({ item }: Told, at: number) =>
      at > 0 && told.some((later, place) => place > at && later.item === item);
    const found = [
      told.findIndex(isRepeated),
      told.findIndex(({ item }, at) => at > 0 && item !== subject),
    ].find((at) => at > 0);
    told.splice(found ?? 1, 1);
  }
  return told;
}

export function notePosted(thread: Thread, messageId: string): Thread {
  return { ...thread, posted: [...thread.posted, messageId].slice(-MAX_IDS) };
}

/** A trouble that is over has a thread that ended: the next one of its kind begins another, where people see it. */
export function continues(thread: Thread, message: ChannelMessage, news: ThreadNews): boolean {
  if (!isTopicOf('trouble', thread.topic) || thread.known.includes(message.id)) return true;
  const latest = new Map(listTold(thread).map(({ item, ends }) => [item, ends]));
  return onlyEnds(news) || [...latest.values()].includes(false);
}

/** Nothing follows the end of a trouble that has no thread. */
export function opensThread(news: ThreadNews): boolean {
  return !(isTopicOf('trouble', news.topic) && onlyEnds(news));
}

/**
 * Whether a reply is shown in the channel as well. Slack tells nobody of a reply but those who wrote in its thread, so
 * that only what nobody has to act on stays in it.
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
