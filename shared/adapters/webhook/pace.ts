import { PACED_INVOCATIONS } from '#shared/config/concurrency.ts';
import type { EndpointPace } from '#shared/webhooks/flow/webhook-run.ts';

/** Nobody takes a turn further ahead than an invocation lasts: a later one is left from before the clock was set back. */
const MAX_AHEAD_MS = 60_000;

/**
 * Shares `maxPerSecond` between the invocations that may run at once, so that they need not know of each other. Made
 * once for a process: what one invocation sent counts for the next.
 */
export function createEndpointPace(maxPerSecond = Number.POSITIVE_INFINITY): EndpointPace {
  const intervalMs = (1_000 * PACED_INVOCATIONS) / maxPerSecond;
  let freeAt = Number.NEGATIVE_INFINITY;
  return {
    reserve: (now, latest) => {
      const isFree = intervalMs === 0 || freeAt > now + intervalMs + MAX_AHEAD_MS;
      const at = isFree ? now : Math.max(now, freeAt);
      if (at > latest) return null;
      freeAt = at + intervalMs;
      return at;
    },
  };
}
