/** More seconds than this many digits nobody means. */
const SECONDS = /^\d{1,9}$/;
/** Without a weekday `Date.parse` takes many things for a date that are none. */
const HTTP_DATE = /^[A-Z][a-z]{2,8}, .*GMT$/;

/** What `Retry-After` asks for (RFC 9110), in milliseconds from now: seconds, or an HTTP date. Null when it is neither. */
export function retryAfterMs(header: string, now: number): number | null {
  const text = header.trim();
  if (SECONDS.test(text)) return Number(text) * 1_000;
  const at = HTTP_DATE.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}
