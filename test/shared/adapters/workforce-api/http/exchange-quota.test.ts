import { describe, expect, test } from 'vitest';
import { parseQuota } from '#shared/adapters/workforce-api/http/exchange.ts';

const NOW = Date.parse('2026-03-02T10:00:00Z');
const NOTHING = { retryAfterMs: null, remaining: null, resetMs: null };

describe('what an answer says about the limit', () => {
  test.each<[string, Record<string, string>, Partial<typeof NOTHING> | Record<string, number>]>([
    ['nothing', {}, {}],
    ['seconds', { 'retry-after': '12' }, { retryAfterMs: 12_000 }],
    ['parts of a second', { 'retry-after': '0.5' }, { retryAfterMs: 500 }],
    ['a date', { 'retry-after': 'Mon, 02 Mar 2026 10:00:30 GMT' }, { retryAfterMs: 30_000 }],
    [
      'a date on the clock of the source',
      { 'retry-after': 'Mon, 02 Mar 2026 09:00:30 GMT', date: 'Mon, 02 Mar 2026 09:00:00 GMT' },
      { retryAfterMs: 30_000 },
    ],
    ['a date that is over', { 'retry-after': 'Mon, 02 Mar 2026 09:00:30 GMT' }, { retryAfterMs: 0 }],
    ['an instant in seconds', { 'retry-after': String(NOW / 1_000 + 5) }, { retryAfterMs: 5_000 }],
    [
      'separate fields',
      { 'ratelimit-remaining': '3', 'ratelimit-reset': '20' },
      { remaining: 3, resetMs: 20_000 },
    ],
    [
      'older separate fields, with an instant',
      { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(NOW / 1_000 + 9) },
      { remaining: 0, resetMs: 9_000 },
    ],
    ['an instant in milliseconds', { 'x-ratelimit-reset': String(NOW + 1_500) }, { resetMs: 1_500 }],
    [
      'one combined field',
      { ratelimit: 'limit=100, remaining=7, reset=30' },
      { remaining: 7, resetMs: 30_000 },
    ],
    ['one structured field', { ratelimit: '"default";r=50;t=30' }, { remaining: 50, resetMs: 30_000 }],
    ['nonsense', { 'retry-after': 'soon', 'ratelimit-remaining': '-1', 'ratelimit-reset': 'NaN' }, {}],
    ['a negative wait', { 'retry-after': '-5' }, {}],
    ['a number without end', { 'retry-after': '9'.repeat(400) }, {}],
    ['exponents', { 'retry-after': '1e9' }, {}],
  ])('%s', (_what, headers, expected) => {
    expect(parseQuota(new Headers(headers), NOW)).toEqual({ ...NOTHING, ...expected });
  });
});
