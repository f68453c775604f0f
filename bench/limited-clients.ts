import { createRequire } from 'node:module';
import { createRateLimiter } from '#shared/adapters/workforce-api/rate-limiter.ts';
import { SourceError } from '#shared/core/errors.ts';
import { NO_QUOTA, type Quota } from '#shared/core/fetch/pace/refusal-wait.ts';
import type { LimiterModel } from '#test/shared/adapters/workforce-api/limiter-models.ts';
import {
  createSeededRandom,
  createVirtualTime,
  type VirtualTime,
} from '#test/shared/adapters/workforce-api/virtual-time.ts';

/** Requests a second that every client is allowed at most, and how many it has to send at the same time. */
export const LOAD = { maxPerSecond: 20, askers: 8, latencyMs: 300 } as const;
/** Until a refusal, or a broken connection, is heard. */
const REFUSAL_MS = 5;
/** What clients that know nothing better wait after a refusal without `Retry-After`. */
const PLAIN_WAIT_MS = 1_000;

/** How one request ended. */
export interface RequestOutcome {
  readonly admitted: boolean;
  readonly quota: Quota;
}

/** A client: sends one page's request until it is answered. */
export type Client = (send: () => Promise<RequestOutcome>) => Promise<void>;
export type MakeClient = (time: VirtualTime, seed: number) => Client;

/** A request as it went: begun, heard of, and whether it was taken. */
export interface Passed {
  readonly begunAt: number;
  readonly at: number;
  readonly admitted: boolean;
}

/** Sends so many pages through a limiter; every request in the order in which it ended. */
export async function sendThrough(
  model: LimiterModel,
  { makeClient, pages, seed }: { makeClient: MakeClient; pages: number; seed: number },
): Promise<Passed[]> {
  const time = createVirtualTime();
  const client = makeClient(time, seed);
  const limiter = model.make();
  const log: Passed[] = [];
  let left = pages;
  const send = async (): Promise<RequestOutcome> => {
    const begunAt = time.now();
    const { admitted, quota } = limiter.admit(begunAt);
    await time.sleep(admitted ? LOAD.latencyMs : REFUSAL_MS);
    if (admitted) limiter.end();
    log.push({ begunAt, at: time.now(), admitted });
    return { admitted, quota: !admitted && model.drops ? NO_QUOTA : quota };
  };
  const ask = async () => {
    for (; left > 0; ) {
      left -= 1;
      await client(send);
    }
  };
  await time.run(Promise.all(Array.from({ length: LOAD.askers }, ask)));
  return log;
}

/** Our rate limiter. */
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

/** As many at once as there are askers, each waiting for itself when it is refused. */
export const fixedConcurrency: MakeClient = (time) => async (send) => {
  for (;;) {
    const { admitted, quota } = await send();
    if (admitted) return;
    await time.sleep(quota.retryAfterMs ?? PLAIN_WAIT_MS);
  }
};

/** One more request a second each second, half as many after a refusal. */
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

/** The adaptive retry mode of the AWS SDK, as it ships, with its clock and its timer replaced. */
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
  // Real timers have whole milliseconds; without them a wait of nothing would never end in virtual time.
  DefaultRateLimiter.setTimeoutFn = (wake: () => void, delay: number) =>
    void time.sleep(Math.max(1, delay)).then(wake);
  class VirtualRateLimiter extends DefaultRateLimiter {
    getCurrentTimeInSeconds(): number {
      return time.now() / 1_000;
    }
  }
  return new VirtualRateLimiter() as unknown as AwsRateLimiter;
}
