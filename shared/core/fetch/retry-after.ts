const SECONDS = /^\d+$/;
/** A hundred years: so that the largest number stays one, and an instant with it. */
const MAX_SECONDS = 3_155_760_000;
/** Without a weekday `Date.parse` takes many things for a date that are none. */
const HTTP_DATE = /^[A-Z][a-z]{2,8}, .*GMT$/;

/** What `Retry-After` asks for (RFC 9110), in milliseconds from now: seconds, or an HTTP date. Null when it is neither. */
export function parseRetryAfter(header: string, now: number): number | null {
  const text = header.trim();
  if (SECONDS.test(text)) return Math.min(Number(text), MAX_SECONDS) * 1_000;
  const at = HTTP_DATE.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}
