import * as z from 'zod';
import { type ChannelMessage, channelMessageSchema } from '../alert.ts';
import { isTopicOf, listTold, onlyEnds, type ThreadNews, threadNewsSchema } from './thread-news.ts';

/** Alerts that the head of a thread knows beside the latest; of more the first, and the last ones. */
const MAX_BEFORE = 40;
/** Ids of messages that a thread remembers: more than can come back from a queue. */
const MAX_IDS = 50;

/** A thread in a Slack channel, with what its head says. Stored until nothing was told of its topic for long. */
export const threadSchema = z.object({
  ...threadNewsSchema.shape,
  /** The head in Slack. */
  ts: z.string(),
  /** How many alerts between the first and the others are not in `before`. */
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
    details: keepDetails(message, news),
    known: [message.id],
    posted: [message.id],
    isStale: false,
  };
}

/** The thread with the news of a message in its head, which it takes once. */
export function advanceThread(thread: Thread, message: ChannelMessage, news: ThreadNews): Thread {
  if (thread.known.includes(message.id)) return thread;
  const all = [...listTold(thread), ...news.before];
  const before = all.length <= MAX_BEFORE ? all : [...all.slice(0, 1), ...all.slice(1 - MAX_BEFORE)];
  return {
    ...thread,
    before,
    latest: news.latest,
    left: thread.left + all.length - before.length,
    details: keepDetails(message, news),
    known: [...thread.known, message.id].slice(-MAX_IDS),
    isStale: true,
  };
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

function keepDetails(
  { lines, links, inner, strong }: ChannelMessage,
  { before }: ThreadNews,
): Thread['details'] {
  if (before.length > 0 || lines.length === 0) return null;
  return {
    lines,
    ...(links === undefined ? {} : { links }),
    ...(inner === undefined ? {} : { inner }),
    ...(strong === undefined ? {} : { strong }),
  };
}
