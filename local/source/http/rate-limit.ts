import { z } from '@hono/zod-openapi';

/** A token bucket: `capacity` requests at once, then `refillPerSecond` (real seconds). */
export const limitSchema = z.strictObject({
  capacity: z.number().min(0),
  refillPerSecond: z.number().min(0),
  /** Whether a 429 has a `Retry-After`. */
  retryAfter: z.boolean().default(true),
});
export type Limit = z.output<typeof limitSchema>;

/** Whether a request may pass; if not, after how many whole seconds, or `null` without `Retry-After`. */
type Admission = { readonly passes: true } | { readonly passes: false; readonly afterSeconds: number | null };

export interface RateLimit {
  /** Replaces the limit, with a full bucket; `null` for no limit. */
  set(limit: Limit | null): void;
  take(): Admission;
}

const MAX_WAIT_SECONDS = 3600;

/** `realNow` in milliseconds. */
export function createRateLimit(limit: Limit | null, realNow: () => number): RateLimit {
  let current = limit;
  let level = limit?.capacity ?? 0;
  let filledAt = realNow();
  return {
    set(next) {
      current = next;
      level = next?.capacity ?? 0;
      filledAt = realNow();
    },
    take() {
      if (current === null) return { passes: true };
      const now = realNow();
      const { capacity, refillPerSecond, retryAfter } = current;
      level = Math.min(capacity, level + ((now - filledAt) / 1000) * refillPerSecond);
      filledAt = now;
      if (level >= 1) {
        level -= 1;
        return { passes: true };
      }
      const wait = refillPerSecond > 0 ? Math.ceil((1 - level) / refillPerSecond) : MAX_WAIT_SECONDS;
      return { passes: false, afterSeconds: retryAfter ? Math.max(1, wait) : null };
    },
  };
}
