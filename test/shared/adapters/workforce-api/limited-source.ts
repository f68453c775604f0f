import {
  createRateLimiter,
  type RateLimiter,
  type Try,
} from '#shared/adapters/workforce-api/rate-limiter.ts';
import { SourceError } from '#shared/core/errors.ts';
import { NO_QUOTA, type Quota } from '#shared/core/fetch/pace/throttle-wait.ts';
import type { LearnedPace } from '#shared/core/snapshot/learned-state.ts';
import type { Limiter } from './limiters.ts';
import { createSeededRandom, createVirtualTime } from './virtual-time.ts';

/** How a series of requests through a limiter went. */
export interface LimiterRun {
  readonly answered: number;
  readonly throttled: number;
  /** 429s in a row, after the first tenth of the answers. */
  readonly maxThrottledInRow: number;
  readonly seconds: number;
  /** Answers and 429s of the second half alone, after there was time to learn. */
  readonly learned: LearnedPace | null;
  readonly late: { readonly throttledShare: number; readonly perSecond: number };
}

export interface LimiterRunOptions {
  readonly requests: number;
  readonly askers?: number;
  readonly latencyMs?: number;
  readonly maxPerSecond?: number;
  readonly seed?: number;
  /** Excess requests get no answer instead of a 429. */
  readonly drops?: boolean;
  /** The pace that an earlier series ended with. */
  readonly learned?: LearnedPace | null;
}

/** Sends requests through a rate limiter to a source with this limiter, in virtual time. */
export async function runThroughLimiter(limiter: Limiter, options: LimiterRunOptions): Promise<LimiterRun> {
  const { requests, askers = 1, latencyMs = 30, maxPerSecond = 20, seed = 1 } = options;
  const time = createVirtualTime();
  const rateLimiter = createRateLimiter({
    maxPerSecond,
    now: time.now,
    sleep: time.sleep,
    random: createSeededRandom(seed),
  });
  if (options.learned) rateLimiter.resumePace({ ...options.learned, blockedUntil: 0, at: time.now() });
  const log: { at: number; throttled: boolean }[] = [];
  let left = requests;
  const start = time.now();
  const asker = async () => {
    while (left > 0) {
      left -= 1;
      await askOnce(rateLimiter, async () => {
        const { admitted, quota } = limiter.admit(time.now());
        await time.sleep(admitted ? latencyMs : 5);
        log.push({ at: time.now(), throttled: !admitted });
        if (admitted) limiter.end();
        return admitted ? { outcome: 'answered', answer: null, quota } : refusal(quota, options);
      });
    }
  };
  await time.run(Promise.all(Array.from({ length: askers }, asker)));
  return { ...summarize(log, start), learned: rateLimiter.learnedPace() };
}

function refusal(quota: Quota, { drops }: LimiterRunOptions): Try<null> {
  const error = drops
    ? new SourceError('source_unreachable', 'dropped', { retryable: true })
    : new SourceError('source_throttled', 'refused', { status: 429, retryable: true });
  return { outcome: 'failed', error, quota: drops ? NO_QUOTA : quota };
}

/** A caller that comes back after a failure, as polls do. */
async function askOnce(
  rateLimiter: RateLimiter,
  send: Parameters<typeof rateLimiter.ask<null>>[0],
): Promise<void> {
  for (;;) {
    try {
      await rateLimiter.ask(send, Number.POSITIVE_INFINITY);
      return;
    } catch (error) {
      if (!(error instanceof SourceError) || !error.retryable) throw error;
    }
  }
}

function summarize(
  log: readonly { at: number; throttled: boolean }[],
  start: number,
): Omit<LimiterRun, 'learned'> {
  const throttled = log.filter((entry) => entry.throttled).length;
  const answered = log.length - throttled;
  let row = 0;
  let maxThrottledInRow = 0;
  for (const entry of log.slice(Math.ceil(log.length / 10))) {
    row = entry.throttled ? row + 1 : 0;
    maxThrottledInRow = Math.max(maxThrottledInRow, row);
  }
  const half = log.slice(Math.floor(log.length / 2));
  const lateThrottled = half.filter((entry) => entry.throttled).length;
  const lateSeconds = ((half.at(-1)?.at ?? start) - (half[0]?.at ?? start)) / 1_000;
  return {
    answered,
    throttled,
    maxThrottledInRow,
    seconds: ((log.at(-1)?.at ?? start) - start) / 1_000,
    late: {
      throttledShare: lateThrottled / half.length,
      perSecond: (half.length - 1 - lateThrottled) / lateSeconds,
    },
  };
}
