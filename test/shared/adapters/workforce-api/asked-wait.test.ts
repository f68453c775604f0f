import { expect, test } from 'vitest';
import { parseAskedWait } from '#shared/adapters/workforce-api/http/asked-wait.ts';

const NOW = Date.parse('2026-03-05T01:00:00Z');
const LATER = new Date(NOW + 90_000).toUTCString();

test.each<[string, Record<string, string>, number | null]>([
  ['nothing', {}, null],
  ['seconds', { 'retry-after': '120' }, 120_000],
  ['a part of a second', { 'retry-after': ' 0.5 ' }, 500],
  ['a date', { 'retry-after': LATER }, 90_000],
  ['a date by the clock of the source', { 'retry-after': LATER, date: LATER }, 0],
  ['a quota that is used up', { 'ratelimit-remaining': '0', 'ratelimit-reset': '20' }, 20_000],
  ['a quota that is not', { 'ratelimit-remaining': '3', 'ratelimit-reset': '20' }, null],
  ['a quota without its end', { 'ratelimit-remaining': '0' }, null],
  [
    'older fields, with an instant in seconds',
    { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(NOW / 1_000 + 9) },
    9_000,
  ],
  [
    'an instant in milliseconds',
    { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(NOW + 1_500) },
    1_500,
  ],
  ['one combined field', { ratelimit: 'limit=100, remaining=0, reset=30' }, 30_000],
  ['one structured field', { ratelimit: '"default";r=0;t=30' }, 30_000],
  ['Retry-After before the quota', { 'retry-after': '5', ratelimit: 'remaining=0, reset=30' }, 5_000],
  ['nonsense', { 'retry-after': 'soon', 'ratelimit-remaining': '-1', 'ratelimit-reset': 'NaN' }, null],
  ['a negative wait', { 'retry-after': '-5' }, null],
  ['a number without end', { 'retry-after': '9'.repeat(400) }, null],
  ['an exponent', { 'retry-after': '1e9' }, null],
])('headers that say %s', (_what, headers, expected) => {
  expect(parseAskedWait(new Headers(headers), NOW)).toBe(expected);
});

test('a refusal that does not say what is left has nothing left', () => {
  const headers = new Headers({ 'x-ratelimit-reset': '20' });
  expect(parseAskedWait(headers, NOW)).toBeNull();
  expect(parseAskedWait(headers, NOW, { isRefusal: true })).toBe(20_000);
});
