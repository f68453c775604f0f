import { describe, expect, test } from 'vitest';
import {
  computeTurnAt,
  type Pace,
  recordAnswer,
  recordStart,
  recordThrottling,
  resumePace,
  startPace,
  toLearnedPace,
} from '#shared/core/fetch/pace/pacing.ts';
import { computeCeiling } from '#shared/core/fetch/pace/rate.ts';
import { NO_QUOTA } from '#shared/core/fetch/pace/throttle-wait.ts';
import { type LearnedPace, learnedPaceSchema } from '#shared/core/snapshot/learned-state.ts';

const NOW = Date.parse('2026-03-02T12:00:00Z');
const HOUR_MS = 3_600_000;
const LEARNED: LearnedPace = {
  rate: 5,
  measured: true,
  climbed: 0,
  width: 4,
  isWidthLimited: true,
  refusalCost: 8,
  blockedUntil: 0,
  at: NOW - 60_000,
};

describe('what was learned of the pace', () => {
  test('is nothing before the first answer', () => {
    expect(toLearnedPace(startPace(20))).toBeNull();
  });

  test('goes through JSON and its schema, whatever came before', () => {
    const throttledOnce = throttle(take(startPace(20), NOW), NOW + 50);
    for (const pace of [take(startPace(20), NOW), throttledOnce, take(throttledOnce, NOW + 60_000)]) {
      const learned = toLearnedPace(pace);
      expect(learnedPaceSchema.parse(JSON.parse(JSON.stringify(learned)))).toEqual(learned);
    }
  });

  test('is read also when a later version wrote more into it', () => {
    expect(learnedPaceSchema.parse({ ...LEARNED, news: true })).toEqual(LEARNED);
  });

  test('lets another process begin just below the rate, at the width, and slowly', () => {
    const pace = resumePace(startPace(20), LEARNED, NOW);

    expect(computeCeiling(pace.rate)).toBeCloseTo(4.75);
    expect([pace.width.limit, pace.rate.knowledge]).toEqual([4, 'measured']);
    expect(toLearnedPace(pace)).toEqual(LEARNED);
  });

  test('keeps a source that asked for a long wait from being asked by the next process', () => {
    const pace = throttle(startPace(20), NOW, { ...NO_QUOTA, retryAfterMs: HOUR_MS });
    const learned = toLearnedPace(pace) as LearnedPace;

    expect(computeTurnAt(resumePace(startPace(20), learned, NOW + 1_000))).toBeGreaterThanOrEqual(
      NOW + HOUR_MS,
    );
  });

  test('does not stop anybody for longer than an hour', () => {
    const pace = resumePace(startPace(20), { ...LEARNED, blockedUntil: NOW + 1e12 }, NOW);

    expect(computeTurnAt(pace)).toBe(NOW + HOUR_MS);
  });

  test('is ignored by who has learned something later', () => {
    const pace = take(startPace(20), NOW - 30_000);

    expect(resumePace(pace, LEARNED, NOW)).toBe(pace);
    expect(resumePace(take(startPace(20), NOW - 120_000), LEARNED, NOW).rate.target).toBe(5);
  });

  test.each([
    ['a minute', NOW - 60_000, 'measured'],
    ['three hours', NOW - 3 * HOUR_MS, 'guessed'],
    ['two days', NOW - 48 * HOUR_MS, 'none'],
    ['two days ahead, by another clock', NOW + 48 * HOUR_MS, 'none'],
  ])('%s ago counts as %s', (_age, at, knowledge) => {
    expect(resumePace(startPace(20), { ...LEARNED, at }, NOW).rate.knowledge).toBe(knowledge);
  });

  test('a source that never refused is begun at the most allowed, at the width it took', () => {
    const learned = { ...LEARNED, rate: 20, measured: false, isWidthLimited: false, width: 9 };
    const pace = resumePace(startPace(20), learned, NOW);

    expect([computeCeiling(pace.rate), pace.width.limit]).toEqual([20, 9]);
  });

  test('is climbed from by polls of a few requests each, after a source that refused all of them for hours', () => {
    let pace = startPace(20);
    for (let nth = 0; nth < 100; nth += 1)
      pace = take(throttle(pace, NOW + nth * 100_000), NOW + nth * 100_000 + 70_000);
    const warm = pace;
    expect(warm.rate.target).toBeCloseTo(0.1);
    let polls = 0;
    let now = NOW + 10_000_000;
    for (; polls < 100 && computeCeiling(pace.rate) < 1; polls += 1, now += 60_000)
      pace = pollFor(resumePace(startPace(20), toLearnedPace(pace) as LearnedPace, now), now, now + 40_000);
    expect(polls).toBeLessThan(15);
    // In one process it takes no longer.
    expect(computeCeiling(pollFor(warm, now, now + 10 * 60_000).rate)).toBeGreaterThan(1);
  });

  test('never goes beyond what is allowed here', () => {
    expect(computeCeiling(resumePace(startPace(2), LEARNED, NOW).rate)).toBeLessThanOrEqual(2);
  });
});

function take(pace: Pace, at: number): Pace {
  const { pace: sending, sent } = recordStart(pace, at, 1);
  return recordAnswer(sending, sent, { at: at + 20, quota: NO_QUOTA });
}

/** One request after another, each as early as it may be. */
function pollFor(pace: Pace, from: number, until: number): Pace {
  const at = Math.max(from, computeTurnAt(pace));
  return at >= until ? pace : pollFor(take(pace, at), at, until);
}

function throttle(pace: Pace, at: number, quota = NO_QUOTA): Pace {
  const { pace: sending, sent } = recordStart(pace, at, 1);
  return recordThrottling(sending, sent, { at, quota, random: 0 });
}
