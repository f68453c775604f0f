import { describe, expect, test } from 'vitest';
import { computeDetectionDelay, findPercentile } from '#shared/core/events/detection-delay.ts';

const at = (time: string) => `2026-03-05T${time}.000Z`;
const PUBLISHED = Date.parse(at('09:01:05'));
const OBSERVED = { after: at('09:00:00'), by: at('09:01:00') };

describe('a change is measured', () => {
  test.each<[string, string | null, number]>([
    ['when it happened, between the two looks', at('09:00:45'), 20],
    ['the last look at the old state, where it was entered later', at('01:00:00'), 65],
    ['the last look, where the source does not say when', null, 65],
    ['the last look, where the source says a date alone', '2026-03-05', 65],
    ['the last look, where its clock is ahead', at('09:01:01'), 65],
  ])('from %s', (_, occurredAt, seconds) => {
    expect(computeDetectionDelay({ observed: OBSERVED, occurredAt }, PUBLISHED)).toBe(seconds);
  });

  test('not where nobody had looked before, nor what the notifier says of itself', () => {
    expect(
      computeDetectionDelay({ observed: { ...OBSERVED, after: null }, occurredAt: null }, PUBLISHED),
    ).toBe(null);
    expect(computeDetectionDelay({}, PUBLISHED)).toBe(null);
  });

  test('as none by a clock that is behind', () => {
    expect(computeDetectionDelay({ observed: OBSERVED }, Date.parse(at('08:59:59')))).toBe(0);
  });
});

test('a percentile is a value that so many do not exceed', () => {
  const values = Array.from({ length: 100 }, (_, index) => 100 - index);
  expect([0.5, 0.99, 1].map((share) => findPercentile(values, share))).toEqual([50, 99, 100]);
  expect(findPercentile([7], 0.01)).toBe(7);
  expect(findPercentile([], 0.5)).toBe(null);
});
