import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  ATTEMPTS_IN_HALF_AN_HOUR,
  MAX_RETRY_WAIT_MS,
  planNextAttempt,
} from '#shared/systems/attempt-schedule.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const FIRST = { attempts: 1, now: 0, retryAfterMs: null, random: 0 };

test('a failed attempt is made again after ever longer waits, and after 14 days given up', () => {
  const { waits, gaveUpAt } = failAlways([]);
  expect(waits).toEqual([
    ...[5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR],
    ...Array(12).fill(24 * HOUR),
  ]);
  expect(gaveUpAt).toBe(339 * HOUR + 35 * MINUTE + 5 * SECOND);
});

test('attempts come more than half an hour after the first from the fourth on, and not before', () => {
  const { waits } = failAlways(Array(21).fill([0.999, null]));
  const sinceFirst = (attempt: number) => waits.slice(0, attempt - 1).reduce((sum, wait) => sum + wait, 0);
  expect(sinceFirst(ATTEMPTS_IN_HALF_AN_HOUR)).toBeGreaterThan(30 * MINUTE);
  expect(sinceFirst(ATTEMPTS_IN_HALF_AN_HOUR - 1)).toBeLessThan(10 * MINUTE);
});

test.each([
  ['up to a tenth longer, by chance', { random: 0.5 }, 5_250],
  ['and always in whole milliseconds', { random: 0.999_95 }, 5_500],
  ['no less than the schedule', { retryAfterMs: 4 * SECOND }, 5 * SECOND],
  ['as long as it is asked to', { retryAfterMs: HOUR }, HOUR],
  ['a day at most', { retryAfterMs: 30 * HOUR }, 24 * HOUR],
  ['a day where that has no end', { retryAfterMs: Number.POSITIVE_INFINITY }, 24 * HOUR],
])('a retry waits %s', (_, change, at) => {
  expect(planNextAttempt({ ...FIRST, ...change })).toEqual({ outcome: 'retry', at });
});

test('whatever is asked, 21 attempts take more than 14 days and at most four weeks', () => {
  const asked = fc.option(fc.nat(48 * HOUR), { nil: null });
  const chance = fc.double({ min: 0, max: 0.999, noNaN: true });
  fc.assert(
    fc.property(fc.array(fc.tuple(chance, asked), { minLength: 21, maxLength: 21 }), (chances) => {
      const { waits, gaveUpAt } = failAlways(chances);
      expect(waits).toHaveLength(20);
      expect(gaveUpAt).toBeGreaterThan(14 * 24 * HOUR);
      expect(gaveUpAt).toBeLessThanOrEqual(28 * 24 * HOUR);
      expect(Math.max(...waits)).toBeLessThanOrEqual(MAX_RETRY_WAIT_MS);
    }),
  );
});

/** An endpoint that never comes back. Of each attempt: chance, and what it asks for. */
function failAlways(attempted: readonly (readonly [number, number | null])[]) {
  const waits: number[] = [];
  let now = 0;
  for (let attempts = 1; ; attempts += 1) {
    const [random, retryAfterMs] = attempted[attempts - 1] ?? [0, null];
    const next = planNextAttempt({ attempts, now, retryAfterMs, random });
    if (next.outcome === 'give_up') return { waits, gaveUpAt: now };
    waits.push(next.at - now);
    now = next.at;
  }
}
