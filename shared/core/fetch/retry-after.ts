const SECONDS = /^\d+$/;
/** A hundred years: larger numbers would not give a valid instant. */
const MAX_SECONDS = 3_155_760_000;
/** Without a weekday `Date.parse` accepts many texts that are not dates. */
const HTTP_DATE = /^[A-Z][a-z]{2,8}, .*GMT$/;

/** `Retry-After` (RFC 9110) in milliseconds from now; null when it is neither seconds nor an HTTP date. */
export function parseRetryAfter(header: string, now: number): number | null {
  const text = header.trim();
  if (SECONDS.test(text)) return Math.min(Number(text), MAX_SECONDS) * 1_000;
  const at = HTTP_DATE.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}
