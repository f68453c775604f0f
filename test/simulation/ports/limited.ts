import { createRateLimiter, type RateLimiter } from '#shared/adapters/workforce-api/rate-limiter.ts';
import { SourceError } from '#shared/core/errors.ts';
import { NO_QUOTA } from '#shared/core/fetch/pace/throttle-wait.ts';
import type { LearnedPace } from '#shared/core/snapshot/learned-state.ts';
import type { Limiter } from '#test/shared/adapters/workforce-api/limiters.ts';
import { limiterOf } from '../breadth/habits.ts';
import { Random } from '../random.ts';
import type { Settings } from '../settings.ts';
import type { PollLife } from './poll-life.ts';

/** A source that admits so many requests, whichever poll sends them, until nothing fails any more. */
export interface LimitedSite {
  readonly limiter: Limiter;
  readonly random: Random;
  readonly until: number;
}

export function limitedSite(seed: number, { quietFrom }: Settings): LimitedSite {
  return { limiter: limiterOf(seed), random: Random.of(seed, 'limited'), until: quietFrom };
}

/** Share of its time in which a poll sends requests, and how long it waits for a source that throttles. */
const FETCHING_SHARE = 0.75;
const PATIENCE_MS = 20_000;
const MAX_PER_SECOND = 20;

/** The product's rate limiter in a poll. */
export class Turns {
  readonly #site: LimitedSite;
  readonly #poll: PollLife;
  readonly #rateLimiter: RateLimiter;

  constructor(site: LimitedSite, poll: PollLife) {
    this.#site = site;
    this.#poll = poll;
    this.#rateLimiter = createRateLimiter({
      maxPerSecond: MAX_PER_SECOND,
      now: poll.now,
      sleep: async (milliseconds) => await poll.life.pause(Math.max(1, Math.ceil(milliseconds))),
      random: () => site.random.next(),
      patienceMs: PATIENCE_MS,
    });
  }

  learnedPace(): LearnedPace | null {
    return this.#rateLimiter.learnedPace();
  }

  resumePace(pace: LearnedPace): void {
    this.#rateLimiter.resumePace(pace);
  }

  /** Sends a request when its turn comes, and again where the source refuses it. */
  async ask<T>(send: () => Promise<T>): Promise<T> {
    const { limiter, until } = this.#site;
    const { entry, faults, now, time } = this.#poll;
    const usedMs = time() - entry.startedAt;
    const deadline = now() + FETCHING_SHARE * (entry.deadline - entry.startedAt) - usedMs;
    return await this.#rateLimiter.ask(async () => {
      const isLimited = time() < until;
      const { admitted, quota } = isLimited ? limiter.admit(time()) : ADMITTED;
      const answer = await send();
      if (admitted) {
        if (isLimited) limiter.end();
        return { outcome: 'answered', answer, quota };
      }
      faults.note('source_limited');
      return { outcome: 'failed', error: refusal(), quota };
    }, deadline);
  }
}

const ADMITTED = { admitted: true, quota: NO_QUOTA } as const;

function refusal(): SourceError {
  return new SourceError('source_throttled', 'the source answered 429', { retryable: true, status: 429 });
}
