import type { ChannelMessage } from '#shared/alerts/alert.ts';
import { MAX_POST_MS, type PostResult } from '#shared/alerts/flow/paced-chat.ts';
import { buildSlackPayload } from '#shared/alerts/layout/slack-blocks.ts';
import { describeFailure, NotifierError } from '#shared/core/errors.ts';
import {
  advanceThread,
  continues,
  isShownInChannel,
  notePosted,
  opensThread,
  startThread,
  THREAD_RETENTION_MS,
} from '../thread.ts';
import type { ThreadNews } from '../thread-news.ts';
import {
  isHeadGone,
  type SlackPlace,
  type SlackPostAnswer,
  type StoredThread,
  ThreadHeads,
  type ThreadPorts,
  type ThreadSettings,
} from './thread-heads.ts';

interface Delivered {
  /** `repeated`: the thread has it already. */
  readonly result: PostResult | 'repeated';
  readonly attempts: number;
}

/** The thread of a message. */
interface OwnThread {
  readonly news: ThreadNews;
  /** What is stored about the topic. */
  readonly stored: StoredThread | null;
  /** The thread that the message goes into; null when it begins another. */
  readonly open: StoredThread | null;
}

/**
 * Posts messages through a bot: take in the news -> update the head -> post -> note. What the head is to say is stored
 * before anything is posted, and an update that fails is made up for later, so that it neither delays a message nor is
 * lost. A crash between the post and the note makes one message appear twice: Slack has no key that would tell.
 */
export class ThreadDelivery {
  readonly #ports: ThreadPorts;
  readonly #settings: ThreadSettings;
  readonly #heads: ThreadHeads;

  constructor(ports: ThreadPorts, settings: ThreadSettings) {
    this.#ports = ports;
    this.#settings = settings;
    this.#heads = new ThreadHeads(ports, settings);
  }

  async post(message: ChannelMessage, deadline: number): Promise<Delivered> {
    const own = await this.#takeNews(message);
    if (own?.stored?.thread.posted.includes(message.id) === true) return { result: 'repeated', attempts: 0 };
    // The post that follows must have its time.
    const head = own?.open ? await this.#heads.update(own.open, deadline - MAX_POST_MS) : null;
    const open = head?.state === 'gone' ? null : (head?.stored ?? null);
    const sent = await this.#send(message, open, deadline);
    if (sent.result === 'delivered' && own !== null) await this.#note(message, { ...own, open }, sent.answer);
    return sent;
  }

  /** Brings heads up to date that are not, as far as there is time. */
  async finish(deadline: number): Promise<void> {
    await this.#heads.updateStale(deadline);
  }

  /** Of a message that is posted already, the heads may still be out of date. */
  async recall({ thread, heads = [] }: ChannelMessage): Promise<void> {
    for (const { topic } of [...heads, ...(thread === undefined ? [] : [thread])]) {
      const stored = await this.#load(topic);
      if (stored?.thread.isStale === true) this.#heads.addStale(topic);
    }
  }

  /** Stores what the heads of all threads are to say, and returns the thread of the message, if it has one. */
  async #takeNews(message: ChannelMessage): Promise<OwnThread | null> {
    for (const news of message.heads ?? []) {
      const stored = await this.#load(news.topic);
      if (stored === null || !continues(stored.thread, message, news)) continue;
      await this.#advance(stored, message, news);
      this.#heads.addStale(news.topic);
    }
    const { thread: news } = message;
    if (news === undefined) return null;
    const stored = await this.#load(news.topic);
    if (stored === null || !continues(stored.thread, message, news)) return { news, stored, open: null };
    const open = await this.#advance(stored, message, news);
    if (open.thread.isStale) this.#heads.addStale(news.topic);
    return { news, stored: open, open };
  }

  async #advance(stored: StoredThread, message: ChannelMessage, news: ThreadNews): Promise<StoredThread> {
    const thread = advanceThread(stored.thread, message, news);
    if (thread === stored.thread) return stored;
    const { revision } = stored;
    const outcome = await this.#ports.store.save(thread, {
      expectedRevision: revision,
      expiresAt: this.#expiresAt,
    });
    if (outcome === 'committed') return { thread, revision: revision + 1 };
    throw new NotifierError('thread_contended', 'another run writes the same thread; a retry follows', {
      retryable: true,
    });
  }

  async #send(message: ChannelMessage, open: StoredThread | null, deadline: number) {
    const { chat, language } = this.#settings;
    const payload = buildSlackPayload(message, language);
    const postTo = (place: SlackPlace) =>
      chat.post<SlackPostAnswer>(message, deadline, () => this.#ports.bot.post(payload, place));
    const { to } = message;
    const inChannel = { threadTs: null, isShownInChannel: true, ...(to === undefined ? {} : { to }) };
    if (open === null || message.thread === undefined) return await postTo(inChannel);
    const isShown = isShownInChannel(message, message.thread);
    const sent = await postTo({ threadTs: open.thread.ts, isShownInChannel: isShown });
    return sent.answer !== null && isHeadGone(sent.answer) ? await postTo(inChannel) : sent;
  }

  /** Failures are only logged: the message was sent, and must not be sent again. */
  async #note(
    message: ChannelMessage,
    { news, stored, open }: OwnThread,
    answer: SlackPostAnswer | null,
  ): Promise<void> {
    if (answer?.outcome !== 'taken' || answer.ts === '') return;
    // Slack puts a reply into the channel when somebody has deleted the head: it begins another thread there.
    const isReply = open !== null && answer.threadTs !== null;
    if (!isReply && stored === null && !opensThread(news)) return;
    const thread = isReply ? notePosted(open.thread, message.id) : startThread(message, news, answer.ts);
    const at = { expectedRevision: stored?.revision ?? null, expiresAt: this.#expiresAt };
    try {
      await this.#ports.store.save(thread, at);
      if (!thread.isStale) this.#heads.dropStale(news.topic);
    } catch (error) {
      this.#settings.telemetry.report({
        outcome: 'delivery.interrupted',
        channel: this.#settings.channel,
        messageId: message.id,
        reason: describeFailure(error),
      });
    }
  }

  /** A thread that cannot be read is none: a message must not wait for it. */
  async #load(topic: string): Promise<StoredThread | null> {
    try {
      return await this.#ports.store.load(topic);
    } catch (error) {
      if (!(error instanceof NotifierError) || error.retryable) throw error;
      const { telemetry, channel } = this.#settings;
      telemetry.report({ outcome: 'thread.unreadable', channel, reason: error.code });
      return null;
    }
  }

  get #expiresAt(): number {
    return this.#settings.clock.now() + THREAD_RETENTION_MS;
  }
}
