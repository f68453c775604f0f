/** Larger numbers are instants in seconds since 1970 instead of waits: nobody asks for a wait of 30 years. */
const EPOCH_SECONDS = 1_000_000_000;
/** Larger numbers are instants in milliseconds. */
const EPOCH_MS = 1_000_000_000_000;
/** Without a weekday `Date.parse` accepts many texts that are not dates. */
const HTTP_DATE = /^[A-Z][a-z]{2,8}, .*GMT$/;

/**
 * `Retry-After` (RFC 9110), or another field that says when to come back, in milliseconds from now: seconds, an HTTP date,
 * or an instant in seconds or milliseconds since 1970. Null when it is none of them.
 */
export function parseRetryAfter(header: string, now: number): number | null {
  const text = header.trim();
  if (/^\d{1,15}(?:\.\d{1,9})?$/.test(text)) {
    const number = Number(text);
    if (number >= EPOCH_MS) return Math.max(0, number - now);
    return number >= EPOCH_SECONDS ? Math.max(0, number * 1_000 - now) : number * 1_000;
  }
  const at = HTTP_DATE.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}
