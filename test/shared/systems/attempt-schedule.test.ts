import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { WAITS } from '#shared/core/waits.ts';
import {
  ATTEMPTS_IN_HALF_AN_HOUR,
  MAX_RETRY_WAIT_MS,
  planNextAttempt,
} from '#shared/systems/attempt-schedule.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const FIRST = { attempts: 1, now: 0, retryAfterMs: null, random: 0 };

describe('an attempt that failed', () => {
  test('is made again after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and twelve times 24 h, and then given up', () => {
    const { waits, gaveUpAt } = failAlways(() => 0);

    expect(waits).toEqual([
      5 * SECOND,
      5 * MINUTE,
      30 * MINUTE,
      2 * HOUR,
      5 * HOUR,
      10 * HOUR,
      14 * HOUR,
      20 * HOUR,
      ...Array(12).fill(24 * HOUR),
    ]);
    expect(gaveUpAt).toBe(339 * HOUR + 35 * MINUTE + 5 * SECOND);
  });

  test('comes more than half an hour after the first from the fourth on, and not before', () => {
    const { waits } = failAlways(() => 0.999);
    const sinceFirst = (attempt: number) => waits.slice(0, attempt - 1).reduce((sum, wait) => sum + wait, 0);

    expect(sinceFirst(ATTEMPTS_IN_HALF_AN_HOUR)).toBeGreaterThan(30 * MINUTE);
    expect(sinceFirst(ATTEMPTS_IN_HALF_AN_HOUR - 1)).toBeLessThan(10 * MINUTE);
  });

  test('waits up to a tenth longer, by chance', () => {
    expect(planNextAttempt({ ...FIRST, random: 0.5 })).toEqual({ outcome: 'retry', at: 5_250 });
    expect(planNextAttempt({ ...FIRST, random: 0.999 })).toEqual({ outcome: 'retry', at: 5_500 });
  });

  test.each([0, 0.5, 0.999_999])('comes 21 times, however long the waits come out: %d', (random) => {
    expect(
      failAlways(
        () => random,
        () => null,
        44 * SECOND,
      ).waits,
    ).toHaveLength(WAITS.webhook.tries - 1);
  });

  test.each([
    ['earlier than the schedule', 4 * SECOND, 5 * SECOND],
    ['later', HOUR, HOUR],
    ['later than a day', 30 * HOUR, 24 * HOUR],
    ['never', Number.POSITIVE_INFINITY, 24 * HOUR],
  ])('waits as long as it is asked to: %s', (_, retryAfterMs, at) => {
    expect(planNextAttempt({ ...FIRST, retryAfterMs })).toEqual({ outcome: 'retry', at });
  });

  test('is never given up within 14 days, and always within four weeks', () => {
    const asked = fc.option(fc.nat(48 * HOUR), { nil: null });
    const lengths = fc.array(fc.tuple(fc.double({ min: 0, max: 0.999, noNaN: true }), asked), {
      minLength: 21,
      maxLength: 21,
    });
    fc.assert(
      fc.property(lengths, (chances) => {
        const { waits, gaveUpAt } = failAlways(
          (attempt) => chances[attempt - 1]?.[0] ?? 0,
          (attempt) => chances[attempt - 1]?.[1] ?? null,
        );
        expect(gaveUpAt).toBeGreaterThan(14 * 24 * HOUR);
        expect(gaveUpAt).toBeLessThanOrEqual(28 * 24 * HOUR);
        expect(Math.max(...waits)).toBeLessThanOrEqual(MAX_RETRY_WAIT_MS);
      }),
    );
  });
});

/** An endpoint that never comes back. `tookMs`: of each attempt. */
function failAlways(
  random: (attempt: number) => number,
  asked: (attempt: number) => number | null = () => null,
  tookMs = 0,
) {
  const waits: number[] = [];
  let now = 0;
  for (let attempts = 1; ; attempts += 1) {
    const next = planNextAttempt({
      attempts,
      now,
      retryAfterMs: asked(attempts),
      random: random(attempts),
    });
    if (next.outcome === 'give_up') return { waits, gaveUpAt: now };
    waits.push(next.at - now);
    now = next.at + tookMs;
  }
}
