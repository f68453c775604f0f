import type { Quota } from '#shared/core/fetch/pace/throttle-wait.ts';

/** Larger numbers are instants in seconds since 1970 instead of waits: nobody asks for a wait of 30 years. */
const EPOCH_SECONDS = 1_000_000_000;
/** Larger numbers are instants in milliseconds. */
const EPOCH_MS = 1_000_000_000_000;

/**
 * What an answer says about the source's limit: `Retry-After` in seconds or as a date, `RateLimit-*` and
 * `X-RateLimit-*` fields, and the combined `RateLimit` field (`remaining=`/`r=`, `reset=`/`t=`). Fields that cannot be
 * parsed count as absent. `now` (milliseconds since 1970) is used for dates if the answer has no `Date` header.
 */
export function parseQuota(headers: Pick<Headers, 'get'>, now: number): Quota {
  const date = Date.parse(headers.get('date') ?? '');
  const sourceNow = Number.isNaN(date) ? now : date;
  const combined = headers.get('ratelimit') ?? '';
  const field = (name: string) => headers.get(`ratelimit-${name}`) ?? headers.get(`x-ratelimit-${name}`);
  return {
    retryAfterMs: parseWaitMs(headers.get('retry-after'), sourceNow),
    remaining: parseCount(field('remaining') ?? /\b(?:remaining|r)=(\d+)/.exec(combined)?.[1] ?? null),
    resetMs: parseWaitMs(field('reset') ?? /\b(?:reset|t)=(\d+)/.exec(combined)?.[1] ?? null, sourceNow),
  };
}

/** Milliseconds to wait, from a number of seconds, an instant in seconds or milliseconds, or a date. */
function parseWaitMs(text: string | null, now: number): number | null {
  if (text === null) return null;
  const trimmed = text.trim();
  if (/^\d{1,15}(?:\.\d{1,9})?$/.test(trimmed)) {
    const number = Number(trimmed);
    if (number >= EPOCH_MS) return Math.max(0, number - now);
    if (number >= EPOCH_SECONDS) return Math.max(0, number * 1_000 - now);
    return number * 1_000;
  }
  const instant = /[a-z]/i.test(trimmed) ? Date.parse(trimmed) : Number.NaN;
  return Number.isNaN(instant) ? null : Math.max(0, instant - now);
}

function parseCount(text: string | null): number | null {
  return text !== null && /^\s*\d{1,12}\s*$/.test(text) ? Number(text) : null;
}
