import { expect, test } from 'vitest';
import { parseRetryAfter } from '#shared/core/fetch/retry-after.ts';

test.each([
  ['120', 120_000],
  [' 0 ', 0],
  ['99999999999', 3_155_760_000_000],
  ['9'.repeat(400), 3_155_760_000_000],
  ['Wed, 04 Mar 2026 22:01:00 GMT', 60_000],
  ['Wed, 04 Mar 2026 21:59:00 GMT', 0],
  ['', null],
  ['soon', null],
  ['-5', null],
  ['1.5', null],
  ['2026-03-04', null],
])('Retry-After: %j asks for %j ms', (header, expected) => {
  expect(parseRetryAfter(header, Date.parse('2026-03-04T22:00:00Z'))).toBe(expected);
});
