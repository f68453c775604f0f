import type { ChatAnswer, ChatPace, PacedChat } from '#shared/alerts/flow/paced-chat.ts';
import { buildSlackPayload } from '#shared/alerts/layout/slack-blocks.ts';
import type { CommitOutcome } from '#shared/core/commit/commit-step.ts';
import { describeFailure } from '#shared/core/errors.ts';
import { WAITS } from '#shared/core/waits.ts';
import type { Language } from '#shared/languages/language.ts';
import { THREAD_RETENTION_MS, type Thread } from '../thread.ts';
import { buildThreadHead } from '../thread-head.ts';

/** What a post through a bot came to. `threadTs`: the thread it went into; null when it stands in the channel. */
export type SlackPostAnswer =
  | { readonly outcome: 'taken'; readonly ts: string; readonly threadTs: string | null }
  | Exclude<ChatAnswer, { readonly outcome: 'taken' }>;

/** Where in a channel a message is posted. */
export interface SlackPlace {
  /** Null for a message of the channel, which a thread may follow. */
  readonly threadTs: string | null;
  /** Whether a reply is shown in the channel, too. */
  readonly isShownInChannel: boolean;
  /** A person, in the place of the channel. */
  readonly to?: string;
}

/** A Slack channel that a bot posts to. Neither method throws for what the other side or the network does. */
export interface SlackBot {
  post(payload: object, place: SlackPlace): Promise<SlackPostAnswer>;
  /** Replaces a message of the bot. */
  update(ts: string, payload: object): Promise<ChatAnswer>;
}

export interface StoredThread {
  readonly thread: Thread;
  readonly revision: number;
}

/** The threads of one channel. */
export interface ThreadStore {
  load(topic: string): Promise<StoredThread | null>;
  /** `expectedRevision`: null when there is none yet. `expiresAt`: when it may be forgotten (ms since 1970). */
  save(thread: Thread, at: { expectedRevision: number | null; expiresAt: number }): Promise<CommitOutcome>;
}

/**
 * Refusals after which a head can never be updated: somebody deleted or locked it, another app posted it, or the
 * workspace allows no late changes. What follows begins a new thread.
 */
const GONE: readonly string[] = [
  'message_not_found',
  'thread_not_found',
  'cannot_reply_to_message',
  'restricted_action_thread_locked',
  'cant_update_message',
  'edit_window_closed',
];

export function isHeadGone(answer: ChatAnswer): boolean {
  return answer.outcome === 'refused' && GONE.includes(answer.reason);
}

export interface ThreadPorts {
  readonly bot: SlackBot;
  readonly store: ThreadStore;
}

export interface ThreadSettings extends ChatPace {
  readonly chat: PacedChat;
  /** English without it. */
  readonly language?: Language | undefined;
}

interface Head {
  /** `stale`: Slack shows an earlier head. `gone`: it can never be updated. */
  readonly state: 'current' | 'stale' | 'gone';
  readonly stored: StoredThread;
}

/** Updates the heads of threads, beside the messages: what fails is tried again later and delays no message. */
export class ThreadHeads {
  readonly #ports: ThreadPorts;
  readonly #settings: ThreadSettings;
  readonly #stale = new Set<string>();
  /** Slack limits updates apart from posts. */
  #nextAt = 0;

  constructor(ports: ThreadPorts, settings: ThreadSettings) {
    this.#ports = ports;
    this.#settings = settings;
  }

  addStale(topic: string): void {
    this.#stale.add(topic);
  }

  dropStale(topic: string): void {
    this.#stale.delete(topic);
  }

  /** Tries once, if there is time before the deadline. What it returns is not stored. */
  async update(stored: StoredThread, deadline: number): Promise<Head> {
    const { clock, chat, language } = this.#settings;
    if (!stored.thread.isStale) return { state: 'current', stored };
    if (clock.now() < this.#nextAt || !chat.hasTime(deadline)) return { state: 'stale', stored };
    await chat.waitForTurn();
    const startedAt = clock.now();
    const answer = await this.#ports.bot.update(
      stored.thread.ts,
      buildSlackPayload(buildThreadHead(stored.thread, language), language),
    );
    chat.pause(null);
    if (answer.outcome === 'later') this.#nextAt = clock.now() + (answer.afterMs ?? WAITS.threadHead.firstMs);
    else this.dropStale(stored.thread.topic);
    this.#report(answer, startedAt);
    if (isHeadGone(answer)) return { state: 'gone', stored };
    const isCurrent = answer.outcome === 'taken';
    const thread = { ...stored.thread, isStale: !isCurrent };
    return { state: isCurrent ? 'current' : 'stale', stored: { ...stored, thread } };
  }

  /** Updates all heads that are not current, and stores which are. Never throws. */
  async updateStale(deadline: number): Promise<void> {
    try {
      for (let round = 0; round < WAITS.threadHead.tries && this.#stale.size > 0; round += 1) {
        if (!(await this.#waitForSlack(deadline))) return;
        for (const topic of [...this.#stale]) await this.#updateTopic(topic, deadline);
      }
    } catch (error) {
      const { telemetry, channel } = this.#settings;
      telemetry.report({ outcome: 'head.interrupted', channel, reason: describeFailure(error) });
    }
  }

  async #updateTopic(topic: string, deadline: number): Promise<void> {
    const before = await this.#ports.store.load(topic);
    if (before?.thread.isStale !== true) return this.dropStale(topic);
    const { state, stored } = await this.update(before, deadline);
    const at = {
      expectedRevision: stored.revision,
      expiresAt: this.#settings.clock.now() + THREAD_RETENTION_MS,
    };
    if (state === 'current') await this.#ports.store.save(stored.thread, at);
  }

  /** Waits as long as Slack asked, if that is in time. */
  async #waitForSlack(deadline: number): Promise<boolean> {
    const { clock, chat, sleep } = this.#settings;
    if (!chat.hasTime(deadline - Math.max(0, this.#nextAt - clock.now()))) return false;
    for (let now = clock.now(); now < this.#nextAt; now = clock.now()) await sleep(this.#nextAt - now);
    return true;
  }

  #report(answer: ChatAnswer, startedAt: number): void {
    const { clock, telemetry, channel } = this.#settings;
    telemetry.report({
      outcome: 'head.updated',
      channel,
      result: answer.outcome === 'refused' && isHeadGone(answer) ? 'gone' : answer.outcome,
      reason: answer.outcome === 'taken' ? null : answer.reason,
      duration_ms: clock.now() - startedAt,
    });
  }
}
