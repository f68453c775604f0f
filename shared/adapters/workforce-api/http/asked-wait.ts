import { parseRetryAfter } from '#shared/core/retry-after.ts';

/**
 * The wait in milliseconds that the headers of an answer ask for: by `Retry-After`, or until the source's quota is
 * renewed when it is used up, as `RateLimit-*`, `X-RateLimit-*` or the combined `RateLimit` field (`remaining=`/`r=`,
 * `reset=`/`t=`) say. Null when they ask for none, or cannot be parsed. `now` (milliseconds since 1970) stands in for a
 * missing `Date` header.
 */
export function parseAskedWait(
  headers: Pick<Headers, 'get'>,
  now: number,
  { isRefusal = false } = {},
): number | null {
  const date = Date.parse(headers.get('date') ?? '');
  const sourceNow = Number.isNaN(date) ? now : date;
  const parse = (text: string | null | undefined) => (text ? parseRetryAfter(text, sourceNow) : null);
  const combined = headers.get('ratelimit') ?? '';
  const field = (name: string, member: RegExp) =>
    headers.get(`ratelimit-${name}`) ?? headers.get(`x-ratelimit-${name}`) ?? member.exec(combined)?.[1];
  const remaining = field('remaining', /\b(?:remaining|r)=(\d+)/)?.trim();
  // Whoever refuses without saying what is left has nothing left.
  const isUsedUp = remaining === undefined ? isRefusal : /^0+$/.test(remaining);
  const reset = isUsedUp ? parse(field('reset', /\b(?:reset|t)=(\d+)/)) : null;
  return parse(headers.get('retry-after')) ?? reset;
}
