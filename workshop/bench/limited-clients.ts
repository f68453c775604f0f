import { createRequire } from 'node:module';
import { createRateLimiter } from '#shared/adapters/workforce-api/rate-limiter.ts';
import { SourceError } from '#shared/core/errors.ts';
import { NO_QUOTA, type Quota } from '#shared/core/fetch/pace/throttle-wait.ts';
import type { LimiterModel } from '#test/shared/adapters/workforce-api/limiter-models.ts';
import {
  createSeededRandom,
  createVirtualTime,
  type VirtualTime,
} from '#test/shared/adapters/workforce-api/virtual-time.ts';

/** What every client may send at most, and how many loops send through it at the same time. */
export const LOAD = { maxPerSecond: 20, askers: 8, latencyMs: 300 } as const;
/** Time until a refusal or a dropped connection is noticed. */
const REFUSAL_MS = 5;
/** Wait after a refusal without `Retry-After`, for clients without a better rule. */
const PLAIN_WAIT_MS = 1_000;

export interface RequestOutcome {
  readonly admitted: boolean;
  readonly quota: Quota;
}

/** A client: sends one page's request until it is answered. */
export type Client = (send: () => Promise<RequestOutcome>) => Promise<void>;
export type MakeClient = (time: VirtualTime, seed: number) => Client;

/** One request, from its start to its answer. */
export interface Attempt {
  readonly begunAt: number;
  readonly at: number;
  readonly admitted: boolean;
}

/** Sends `pages` requests through a limiter. Returns every attempt in the order in which they ended. */
export async function sendThrough(
  model: LimiterModel,
  { makeClient, pages, seed }: { makeClient: MakeClient; pages: number; seed: number },
): Promise<Attempt[]> {
  const time = createVirtualTime();
  const client = makeClient(time, seed);
  const limiter = model.make();
  const log: Attempt[] = [];
  let left = pages;
  const send = async (): Promise<RequestOutcome> => {
    const begunAt = time.now();
    const { admitted, quota } = limiter.admit(begunAt);
    await time.sleep(admitted ? LOAD.latencyMs : REFUSAL_MS);
    if (admitted) limiter.end();
    log.push({ begunAt, at: time.now(), admitted });
    return { admitted, quota: !admitted && model.drops ? NO_QUOTA : quota };
  };
  const sendAll = async () => {
    for (; left > 0; ) {
      left -= 1;
      await client(send);
    }
  };
  await time.run(Promise.all(Array.from({ length: LOAD.askers }, sendAll)));
  return log;
}

/** The notifier's rate limiter. */
export const ours: MakeClient = (time, seed) => {
  const { now, sleep } = time;
  const rateLimiter = createRateLimiter({
    maxPerSecond: LOAD.maxPerSecond,
    now,
    sleep,
    random: createSeededRandom(seed),
  });
  const refusal = new SourceError('source_throttled', 'refused', { status: 429, retryable: true });
  return async (send) => {
    for (let isAnswered = false; !isAnswered; ) {
      isAnswered = await rateLimiter
        .ask(async () => {
          const { admitted, quota } = await send();
          if (admitted) return { outcome: 'answered', answer: true, quota };
          return { outcome: 'failed', error: refusal, quota };
        }, Number.POSITIVE_INFINITY)
        .catch(() => false);
    }
  };
};

/** As many concurrent requests as askers; each waits on its own after a refusal. */
export const fixedConcurrency: MakeClient = (time) => async (send) => {
  for (;;) {
    const { admitted, quota } = await send();
    if (admitted) return;
    await time.sleep(quota.retryAfterMs ?? PLAIN_WAIT_MS);
  }
};

/** Raises the rate by one request a second each second, and halves it after a refusal. */
export const additiveIncrease: MakeClient = (time) => {
  let perSecond: number = LOAD.maxPerSecond;
  let nextTurn = 0;
  let halvedAt = 0;
  const takeTurn = async () => {
    const at = Math.max(time.now(), nextTurn);
    nextTurn = at + 1_000 / perSecond;
    await time.sleep(at - time.now());
  };
  return async (send) => {
    for (;;) {
      await takeTurn();
      const { admitted, quota } = await send();
      if (admitted) {
        perSecond = Math.min(LOAD.maxPerSecond, perSecond + 1 / perSecond);
        return;
      }
      const now = time.now();
      if (now - halvedAt > PLAIN_WAIT_MS) perSecond = Math.max(0.1, perSecond / 2);
      halvedAt = now;
      nextTurn = Math.max(nextTurn, now + (quota.retryAfterMs ?? PLAIN_WAIT_MS));
    }
  };
};

interface AwsRateLimiter {
  getSendToken(): Promise<void>;
  updateClientSendingRate(response: { errorType?: string }): void;
}

/** The adaptive retry mode of the AWS SDK with a virtual clock and timer. */
export const awsAdaptive: MakeClient = (time) => {
  const limiter = createAwsRateLimiter(time);
  return async (send) => {
    for (;;) {
      await limiter.getSendToken();
      const { admitted, quota } = await send();
      limiter.updateClientSendingRate(admitted ? {} : { errorType: 'THROTTLING' });
      if (admitted) return;
      await time.sleep(quota.retryAfterMs ?? PLAIN_WAIT_MS);
    }
  };
};

function createAwsRateLimiter(time: VirtualTime): AwsRateLimiter {
  const fromSdk = createRequire(import.meta.resolve('@aws-sdk/client-sns'));
  const { DefaultRateLimiter } = fromSdk('@smithy/core/retry');
  // Real timers wait at least a millisecond; a wait of 0 would never end in virtual time.
  DefaultRateLimiter.setTimeoutFn = (wake: () => void, delay: number) =>
    void time.sleep(Math.max(1, delay)).then(wake);
  class VirtualRateLimiter extends DefaultRateLimiter {
    getCurrentTimeInSeconds(): number {
      return time.now() / 1_000;
    }
  }
  return new VirtualRateLimiter() as unknown as AwsRateLimiter;
}
