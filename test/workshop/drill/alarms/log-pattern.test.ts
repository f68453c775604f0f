import { expect, test } from 'vitest';
import { readLogPattern } from '#workshop/drill/alarms/log-pattern.ts';

const LINE = { outcome: 'delivery.attempted', reason: 'secret_missing', attempt: 3, http: { status: 503 } };

test.each([
  ['{ $.outcome = "delivery.attempted" }', true],
  ['{ $.outcome = "delivery.*" }', true],
  ['{ ($.outcome = "delivery.interrupted") || ($.reason = "secret_*") }', true],
  ['{ ($.outcome = "delivery.*") && ($.reason = "other") }', false],
  ['{ $.attempt > 2 }', true],
  ['{ $.attempt <= 2 }', false],
  ['{ $.http.status = 503 }', true],
  ['{ $.outcome != "x" }', true],
  ['{ $.absent != "x" }', false],
])('%s: %s', (pattern, matches) => {
  expect(readLogPattern(pattern)(LINE)).toBe(matches);
});

test.each([['ERROR'], ['{ $.a ~ 1 }'], ['{ ($.a = 1 }'], ['[a, b]']])('%s is refused', (pattern) => {
  expect(() => readLogPattern(pattern)).toThrow('log-pattern.ts');
});
