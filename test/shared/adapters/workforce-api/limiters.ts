import { NO_QUOTA, type Quota } from '#shared/core/fetch/pace/throttle-wait.ts';

/** A model of how a source limits its callers. Instants in milliseconds. */
export interface Limiter {
  /** Admits a request, or refuses it with the headers of a 429. */
  admit(now: number): { readonly admitted: boolean; readonly quota: Quota };
  /** An admitted request ends. */
  end(): void;
}

const whole = (milliseconds: number) => Math.max(1, Math.ceil(milliseconds / 1_000)) * 1_000;

/** Tokens that refill steadily; a refusal names the whole seconds until the next one. */
export function tokenBucket(
  capacity: number,
  perSecond: number,
  options: { silent?: boolean } = {},
): Limiter {
  let tokens = capacity;
  let at: number | null = null;
  return {
    admit(now) {
      tokens = Math.min(capacity, tokens + ((now - (at ?? now)) / 1_000) * perSecond);
      at = now;
      if (tokens >= 1) {
        tokens -= 1;
        return { admitted: true, quota: NO_QUOTA };
      }
      const wait = whole(((1 - tokens) / perSecond) * 1_000);
      return { admitted: false, quota: options.silent ? NO_QUOTA : { ...NO_QUOTA, retryAfterMs: wait } };
    },
    end: () => {},
  };
}

/** A number of requests per fixed window; `fields` says whether answers carry `RateLimit-Remaining` and `-Reset`. */
export function fixedWindow(limit: number, windowMs: number, options: { fields?: boolean } = {}): Limiter {
  let window = -1;
  let used = 0;
  return {
    admit(now) {
      const current = Math.floor(now / windowMs);
      if (current !== window) used = 0;
      window = current;
      const wait = whole((current + 1) * windowMs - now);
      const admitted = used < limit;
      if (admitted) used += 1;
      if (options.fields) return { admitted, quota: { ...NO_QUOTA, remaining: limit - used, resetMs: wait } };
      return { admitted, quota: admitted ? NO_QUOTA : { ...NO_QUOTA, retryAfterMs: wait } };
    },
    end: () => {},
  };
}

/** A number of requests within a sliding window. */
export function slidingWindow(limit: number, windowMs: number): Limiter {
  let times: number[] = [];
  return {
    admit(now) {
      times = times.filter((at) => at > now - windowMs);
      if (times.length < limit) {
        times.push(now);
        return { admitted: true, quota: NO_QUOTA };
      }
      const wait = whole((times[0] ?? now) + windowMs - now);
      return { admitted: false, quota: { ...NO_QUOTA, retryAfterMs: wait } };
    },
    end: () => {},
  };
}

/** A number of concurrent requests; its answers say nothing about it. */
export function concurrencyCap(max: number): Limiter {
  let running = 0;
  return {
    admit() {
      if (running >= max) return { admitted: false, quota: NO_QUOTA };
      running += 1;
      return { admitted: true, quota: NO_QUOTA };
    },
    end() {
      running -= 1;
    },
  };
}

/** Another caller takes a share of the same quota, one request each `everyMs`. */
export function shared(limiter: Limiter, everyMs: number): Limiter {
  let next: number | null = null;
  return {
    admit(now) {
      for (next ??= now; next <= now; next += everyMs) if (limiter.admit(next).admitted) limiter.end();
      return limiter.admit(now);
    },
    end: () => limiter.end(),
  };
}

/** The same limiter with another `Retry-After`. */
export function withRetryAfter(limiter: Limiter, retryAfterMs: number | null): Limiter {
  return {
    admit(now) {
      const { admitted, quota } = limiter.admit(now);
      return { admitted, quota: admitted ? quota : { ...NO_QUOTA, retryAfterMs } };
    },
    end: () => limiter.end(),
  };
}
