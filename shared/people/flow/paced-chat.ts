import { stillLasts } from '#shared/core/clock-tolerance.ts';
import { WAITS } from '#shared/core/waits.ts';
import type { Clock, Telemetry } from '#shared/flow/system.ts';
import type { Message } from '../message.ts';

export type ChatAnswer =
  | { readonly outcome: 'taken' }
  /** Try again, not before `afterMs` milliseconds. */
  | { readonly outcome: 'later'; readonly afterMs: number | null; readonly reason: string }
  /** A retry would not help: the channel is gone, the address is revoked, or the message is invalid. */
  | { readonly outcome: 'refused'; readonly reason: string };

export interface ChatWebhook {
  /** Never throws for what the other side or the network does. */
  post(payload: object): Promise<ChatAnswer>;
}

/** Slack's limit for a channel: one message per second; that of Teams is four requests. */
const POST_INTERVAL_MS = 1_000;
/** For a request; Slack takes less than a second. */
export const POST_TIMEOUT_MS = 8_000;
/** Upper bound for a post: two requests, since the secret may have been replaced, and the entry in the delivery store. */
const MAX_POST_MS = 22_000;
/** Longest pause that an answer can ask for; after it the redelivered message is tried. */
const MAX_PAUSE_MS = 600_000;

/** Refusals that concern the one message; all others concern the channel. */
const MESSAGE_ERRORS: readonly string[] = [
  'invalid_payload',
  'invalid_blocks',
  'invalid_blocks_format',
  'msg_blocks_too_long',
  'no_text',
  'msg_too_long',
  'http_413',
];

/** What became of a message; `ChatDeliverer` says what follows. */
export type PostResult = 'delivered' | 'refused' | 'blocked' | 'left';

export interface ChatPace {
  readonly clock: Clock;
  readonly sleep: (milliseconds: number) => Promise<void>;
  readonly telemetry: Telemetry;
  /** Name of the channel, for the log. */
  readonly channel: string;
}

interface Posted<Answer extends ChatAnswer> {
  readonly result: PostResult;
  /** Null when there was no time for any attempt. */
  readonly answer: Answer | null;
  readonly attempts: number;
}

/** Attempts to post, one per second. Keeps between batches when it may post again. */
export class PacedChat {
  readonly #pace: ChatPace;
  #nextAt = 0;

  constructor(pace: ChatPace) {
    this.#pace = pace;
  }

  /** Tries until an answer is final, or there is no time before the deadline. */
  async post<Answer extends ChatAnswer>(
    message: Message,
    deadline: number,
    send: () => Promise<Answer>,
  ): Promise<Posted<Answer>> {
    const { clock, telemetry, channel } = this.#pace;
    for (let attempt = 1; this.#hasTime(deadline); attempt += 1) {
      await this.#waitForTurn();
      const startedAt = clock.now();
      const answer = await send();
      const now = clock.now();
      const pauseMs = computePauseMs(answer, attempt);
      this.#pauseFor(pauseMs);
      const mayRetry = answer.outcome === 'later' && attempt < WAITS.chat.tries && this.#hasTime(deadline);
      const result = mayRetry ? 'retry' : toResult(answer);
      telemetry.report({
        outcome: 'delivery.attempted',
        channel,
        messageId: message.id,
        attempt,
        result,
        reason: answer.outcome === 'taken' ? null : answer.reason,
        due_ms: pauseMs,
        age_ms: now - message.at,
        duration_ms: now - startedAt,
      });
      if (result !== 'retry') return { result, answer, attempts: attempt };
    }
    return { result: 'left', answer: null, attempts: 0 };
  }

  /** Whether a post, with the pause before it, would end before the deadline. */
  #hasTime(deadline: number): boolean {
    return this.#turnAt() + MAX_POST_MS <= deadline;
  }

  /** Lets nothing be sent before at least a second has passed. */
  #pauseFor(pauseMs: number | null): void {
    this.#nextAt = this.#pace.clock.now() + Math.max(POST_INTERVAL_MS, Math.min(pauseMs ?? 0, MAX_PAUSE_MS));
  }

  async #waitForTurn(): Promise<void> {
    const { clock, sleep } = this.#pace;
    // Timers may fire slightly early.
    for (let wait = this.#turnAt() - clock.now(); wait > 0; wait = this.#turnAt() - clock.now())
      await sleep(wait);
  }

  #turnAt(): number {
    const now = this.#pace.clock.now();
    return stillLasts(this.#nextAt, now, MAX_PAUSE_MS) ? this.#nextAt : now;
  }
}

/** Milliseconds before the next attempt; null when there is none. */
function computePauseMs(answer: ChatAnswer, attempt: number): number | null {
  if (answer.outcome !== 'later') return null;
  return answer.afterMs ?? WAITS.chat.waitsMs[attempt - 1] ?? WAITS.chat.maxMs;
}

function toResult(answer: ChatAnswer): PostResult {
  switch (answer.outcome) {
    case 'taken':
      return 'delivered';
    case 'later':
      return 'left';
    case 'refused':
      return MESSAGE_ERRORS.includes(answer.reason) ? 'refused' : 'blocked';
  }
}
