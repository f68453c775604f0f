import { expect, test } from 'vitest';
import { readLogPattern } from '#workshop/drill/alarms/template-alarms.ts';

const LINE = { outcome: 'delivery.attempted', reason: 'secret_missing' };

test.each([
  ['{ ($.outcome = "delivery.attempted") && ($.reason = "secret_missing") }', true],
  ['{ ($.outcome = "delivery.attempted") && ($.reason = "other") }', false],
  ['{ ($.outcome = "delivery.attempted") && ($.absent = "") }', false],
])('%s: %s', (pattern, matches) => {
  expect(readLogPattern(pattern)(LINE)).toBe(matches);
});

test.each([
  ['ERROR'],
  ['{ ($.a ~ 1) }'],
  ['{ ($.a > 1) }'],
  ['{ ($.a = 1 }'],
  ['{ ($.a = "x*") }'],
  ['[a, b]'],
])('%s is refused', (pattern) => {
  expect(() => readLogPattern(pattern)).toThrow('template-alarms.ts');
});
