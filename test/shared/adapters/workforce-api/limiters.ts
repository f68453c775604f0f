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
export function tokenBucket(capacity: number, perSecond: number, { silent = false } = {}): Limiter {
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
export function fixedWindow(limit: number, windowMs: number, { fields = false } = {}): Limiter {
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
export function slidingWindow(limit: number, windowMs: number): Limiter {
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
export function concurrencyCap(max: number): Limiter {
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
