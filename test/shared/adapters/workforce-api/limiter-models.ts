import {
  concurrencyCap,
  fixedWindow,
  type Limiter,
  shared,
  slidingWindow,
  tokenBucket,
  withRetryAfter,
} from './limiters.ts';

/** A way in which sources limit their callers, and what one of them can get at most. */
export interface LimiterModel {
  readonly name: string;
  readonly make: () => Limiter;
  /** Sustained requests per second. */
  readonly perSecond: number;
  /** Concurrent requests. */
  readonly atOnce: number;
  /** Excess requests get no answer instead of a 429. */
  readonly drops: boolean;
}

const model = (name: string, perSecond: number, make: () => Limiter): LimiterModel => ({
  name,
  make,
  perSecond,
  atOnce: Number.POSITIVE_INFINITY,
  drops: false,
});

/** The models that the rate limiter is measured by. */
export const LIMITER_MODELS: readonly LimiterModel[] = [
  model('bucket of 10, 5 a second', 5, () => tokenBucket(10, 5)),
  model('10 in each second', 10, () => fixedWindow(10, 1_000)),
  model('100 in each minute', 100 / 60, () => fixedWindow(100, 60_000)),
  model('50 in any 10 seconds', 5, () => slidingWindow(50, 10_000)),
  { ...model('2 at the same time', Number.POSITIVE_INFINITY, () => concurrencyCap(2)), atOnce: 2 },
  { ...model('bucket that drops connections', 5, () => tokenBucket(10, 5)), drops: true },
  model('burst of 100, 5 a second', 5, () => tokenBucket(100, 5)),
  model('bucket without a header', 5, () => tokenBucket(10, 5, { silent: true })),
  model('minute that says 1 second', 100 / 60, () => withRetryAfter(fixedWindow(100, 60_000), 1_000)),
  model('bucket that says 60 seconds', 5, () => withRetryAfter(tokenBucket(10, 5), 60_000)),
  model('bucket shared with another tenant', 5, () => shared(tokenBucket(10, 10), 200)),
];

/** Requests per second that a number of concurrent callers can get through a model at most. */
export function idealPerSecond(
  { perSecond, atOnce }: LimiterModel,
  { askers, latencyMs, maxPerSecond }: { askers: number; latencyMs: number; maxPerSecond: number },
): number {
  return Math.min(perSecond, maxPerSecond, (Math.min(askers, atOnce) * 1_000) / latencyMs);
}
