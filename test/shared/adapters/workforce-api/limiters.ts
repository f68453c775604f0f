import { createRequestQueue } from '#shared/adapters/workforce-api/request-queue.ts';
import { SourceError } from '#shared/core/errors.ts';
import { createSeededRandom, createVirtualTime } from './virtual-time.ts';

/** A model of how a source limits its callers. Instants in milliseconds. */
export interface Limiter {
  /** Admits a request, or refuses it; with what the headers of the answer ask for. */
  admit(now: number): { readonly admitted: boolean; readonly askedWaitMs: number | null };
  /** An admitted request ends. */
  end(): void;
}

const whole = (milliseconds: number) => Math.max(1, Math.ceil(milliseconds / 1_000)) * 1_000;
const ADMITTED = { admitted: true, askedWaitMs: null };

/** Tokens that refill steadily; a refusal names the whole seconds until the next one, unless it is silent. */
function tokenBucket(capacity: number, perSecond: number, { silent = false } = {}): Limiter {
  let tokens = capacity;
  let at: number | null = null;
  return {
    admit(now) {
      tokens = Math.min(capacity, tokens + ((now - (at ?? now)) / 1_000) * perSecond);
      at = now;
      if (tokens < 1)
        return { admitted: false, askedWaitMs: silent ? null : whole(((1 - tokens) / perSecond) * 1_000) };
      tokens -= 1;
      return ADMITTED;
    },
    end: () => {},
  };
}

/** A number of requests in each window; `fields`: the answer that uses up a window says how long it goes on. */
function fixedWindow(limit: number, windowMs: number, { fields = false } = {}): Limiter {
  let window = -1;
  let used = 0;
  return {
    admit(now) {
      const current = Math.floor(now / windowMs);
      if (current !== window) used = 0;
      window = current;
      const rest = whole((current + 1) * windowMs - now);
      if (used >= limit) return { admitted: false, askedWaitMs: rest };
      used += 1;
      return { admitted: true, askedWaitMs: fields && used === limit ? rest : null };
    },
    end: () => {},
  };
}

/** A number of requests within a sliding window. */
function slidingWindow(limit: number, windowMs: number): Limiter {
  let times: number[] = [];
  return {
    admit(now) {
      times = times.filter((at) => at > now - windowMs);
      if (times.length >= limit)
        return { admitted: false, askedWaitMs: whole((times[0] ?? now) + windowMs - now) };
      times.push(now);
      return ADMITTED;
    },
    end: () => {},
  };
}

/** A number of concurrent requests; its answers say nothing about it. */
function concurrencyCap(max: number): Limiter {
  let running = 0;
  return {
    admit() {
      if (running >= max) return { admitted: false, askedWaitMs: null };
      running += 1;
      return ADMITTED;
    },
    end() {
      running -= 1;
    },
  };
}

/** A way in which sources limit their callers, and what one of them can get at most. */
export interface LimiterModel {
  readonly name: string;
  readonly make: () => Limiter;
  /** Sustained requests per second. */
  readonly perSecond: number;
  /** Requests under way. */
  readonly atOnce: number;
}

function model(name: string, perSecond: number, make: () => Limiter): LimiterModel {
  return { name, perSecond, make, atOnce: Number.POSITIVE_INFINITY };
}

/** The models that the pace is measured by. */
export const LIMITER_MODELS: readonly LimiterModel[] = [
  model('no limit', Number.POSITIVE_INFINITY, () => tokenBucket(1e9, 1e9)),
  model('a bucket of 10, 5 a second', 5, () => tokenBucket(10, 5)),
  model('a bucket of 100, 5 a second', 5, () => tokenBucket(100, 5)),
  model('a bucket that says nothing', 5, () => tokenBucket(10, 5, { silent: true })),
  model('10 in each second', 10, () => fixedWindow(10, 1_000)),
  model('100 in each minute', 100 / 60, () => fixedWindow(100, 60_000)),
  model('100 in each minute, announced', 100 / 60, () => fixedWindow(100, 60_000, { fields: true })),
  model('50 in any 10 seconds', 5, () => slidingWindow(50, 10_000)),
  { ...model('2 at the same time', Number.POSITIVE_INFINITY, () => concurrencyCap(2)), atOnce: 2 },
];

/** Requests per second that a number of concurrent callers can get through a model at most. */
export function idealPerSecond(
  { perSecond, atOnce }: LimiterModel,
  { askers, latencyMs, maxPerSecond }: { askers: number; latencyMs: number; maxPerSecond: number },
): number {
  return Math.min(perSecond, maxPerSecond, (Math.min(askers, atOnce) * 1_000) / latencyMs);
}

export const LIMITED_REQUESTS = 3_000;
/** Until a refusal is answered. */
const REFUSED_MS = 5;

/** Sends requests through a limit until all were admitted. */
export async function readThrough(
  limiter: Limiter,
  {
    askers,
    latencyMs,
    maxPerSecond,
    seed,
  }: { askers: number; latencyMs: number; maxPerSecond: number; seed: number },
): Promise<{ readonly refused: number; readonly seconds: number }> {
  const time = createVirtualTime();
  const { now, sleep } = time;
  const queue = createRequestQueue({ maxPerSecond, now, sleep, random: createSeededRandom(seed) });
  let left = LIMITED_REQUESTS;
  let refused = 0;
  const send = async () => {
    const { admitted, askedWaitMs } = limiter.admit(now());
    await sleep(admitted ? latencyMs : REFUSED_MS);
    if (admitted) limiter.end();
    else refused += 1;
    const error = new SourceError('source_throttled', 'refused', { status: 429, retryable: true });
    return admitted
      ? ({ outcome: 'answered', answer: null, askedWaitMs } as const)
      : ({ outcome: 'failed', error, askedWaitMs } as const);
  };
  const reader = async () => {
    for (; left > 0; left -= 1)
      await queue.ask(send, Number.POSITIVE_INFINITY).catch(() => {
        left += 1;
      });
  };
  const start = now();
  await time.run(Promise.all(Array.from({ length: askers }, reader)));
  return { refused, seconds: (now() - start) / 1_000 };
}
