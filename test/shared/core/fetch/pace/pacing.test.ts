import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  computeTurnAt,
  hasRoom,
  type Pace,
  recordAnswer,
  recordFailure,
  recordStart,
  recordThrottling,
  startPace,
} from '#shared/core/fetch/pace/pacing.ts';
import { computeCeiling } from '#shared/core/fetch/pace/rate.ts';
import { NO_QUOTA } from '#shared/core/fetch/pace/throttle-wait.ts';

describe('the pace', () => {
  test('begins at the most that is allowed, and the first request waits for nothing', () => {
    expect(computeCeiling(startPace(20).rate)).toBe(20);
    expect(computeTurnAt(startPace(20))).toBe(Number.NEGATIVE_INFINITY);
  });

  test('keeps requests apart, and makes up for timers that are late', () => {
    const first = recordStart(startPace(20), 1_000, 1).pace;

    expect(computeTurnAt(first)).toBe(1_050);
    expect(computeTurnAt(recordStart(first, 1_053, 1).pace)).toBe(1_100);
    expect(computeTurnAt(recordStart(first, 1_300, 1).pace)).toBe(1_350);
  });

  test('is about halved by the first refusal: nothing is known yet', () => {
    const pace = throttle(requests(startPace(20), { from: 0, count: 13, everyMs: 50 }), { at: 650 });

    expect(pace.rate.target).toBeCloseTo(10);
    expect(computeCeiling(pace.rate)).toBeCloseTo(9.5);
  });

  test('is what was given from one refusal to the next', () => {
    const first = throttle(requests(startPace(20), { from: 0, count: 13, everyMs: 50 }), { at: 650 });
    const second = throttle(requests(first, { from: 1_700, count: 400, everyMs: 200 }), { at: 81_700 });

    expect(second.rate.target).toBeCloseTo(5, 0);
    expect(second.rate.knowledge).toBe('measured');
  });

  test('is compared over two episodes when the wait was long: what was saved up is in both', () => {
    const quota = { ...NO_QUOTA, retryAfterMs: 60_000 };
    const first = throttle(requests(startPace(20), { from: 0, count: 13, everyMs: 50 }), { at: 650, quota });
    // 10 saved up and 5 a second, at about 10 a second.
    const second = throttle(requests(first, { from: 60_700, count: 20, everyMs: 100 }), {
      at: 62_700,
      quota,
    });

    expect(second.rate.target).toBeGreaterThan(4.5);
    expect(second.rate.target).toBeLessThan(6);
  });

  test('falls once for throttles in a row', () => {
    const first = throttle(requests(startPace(20), { from: 0, count: 13, everyMs: 50 }), { at: 650 });
    const second = throttle(first, { at: 2_000 });

    expect(second.rate).toBe(first.rate);
    expect(second.throttles).toBe(2);
  });

  test('never falls so low that nobody is asked', () => {
    let pace = startPace(20);
    for (let nth = 0; nth < 100; nth += 1) {
      pace = throttle(pace, { at: nth * 100_000 });
      pace = requests(pace, { from: nth * 100_000 + 70_000, count: 1, everyMs: 1 });
    }
    expect(pace.rate.target).toBeGreaterThanOrEqual(0.1);
  });

  test('climbs by requests that were taken as early as they could be, never above the most allowed', () => {
    const low = throttle(requests(startPace(20), { from: 0, count: 13, everyMs: 50 }), { at: 650 });
    const later = requests(low, { from: 2_000, count: 100, everyMs: null });

    expect(computeCeiling(later.rate)).toBeGreaterThan(10);
    expect(computeCeiling(requests(later, { from: 60_000, count: 2_000, everyMs: null }).rate)).toBe(20);
  });

  test('does not climb by requests that come now and then: they prove nothing', () => {
    const low = requests(throttle(startPace(20), { at: 0 }), { from: 2_000, count: 1, everyMs: 1 });

    expect(requests(low, { from: 3_000, count: 100, everyMs: 1_000 }).rate).toEqual(low.rate);
  });

  test('climbs the slower the more a refusal costs', () => {
    const plateaus = [1_000, 4_000, 10_000].map((retryAfterMs) => {
      const long = requests(startPace(20), { from: 0, count: 3_000, everyMs: 50 });
      return throttle(long, { at: 150_000, quota: { ...NO_QUOTA, retryAfterMs } }).rate.plateau;
    });

    expect(plateaus).toEqual([...plateaus].sort((a, b) => a - b));
    expect(new Set(plateaus).size).toBe(3);
  });

  test('forgets what it measured after a pause: a limiter may have saved up', () => {
    const low = throttle(requests(startPace(20), { from: 0, count: 13, everyMs: 50 }), { at: 650 });
    const before = requests(low, { from: 2_000, count: 10, everyMs: 100 });
    const later = requests(before, { from: 600_000, count: 10, everyMs: 100 });

    // 20 requests in ten minutes are not the rate the source takes.
    expect(throttle(later, { at: 601_000 }).rate.target).toBeGreaterThan(4);
  });
});

describe('the width', () => {
  test('begins small and grows while every place is taken, up to 12', () => {
    expect(startPace(20).width.limit).toBe(3);
    let pace = startPace(20);
    for (let nth = 0; nth < 200; nth += 1) pace = takeOne(pace, { at: nth * 50, atOnce: pace.width.limit });
    expect(pace.width.limit).toBe(12);
  });

  test('is not to blame for a refusal beside no more others than were taken before', () => {
    let pace = startPace(20);
    for (let nth = 0; nth < 7; nth += 1) pace = takeOne(pace, { at: nth * 50, atOnce: 3 });
    const throttledPace = throttle(pace, { at: 400, atOnce: 3 });

    expect(throttledPace.width.limit).toBe(3);
    expect(throttledPace.rate.target).toBeLessThan(20);
  });

  test('is to blame when throttles come beside more than were ever taken, and then the rate is not', () => {
    const one = throttle(takeOne(startPace(20), { at: 0, atOnce: 2 }), { at: 50, atOnce: 3 });
    const two = throttle(takeOne(one, { at: 2_000, atOnce: 1 }), { at: 2_100, atOnce: 3 });

    expect(one.rate.target).toBeLessThan(20);
    expect([two.width.limit, two.rate.target]).toEqual([2, 20]);
  });

  test('that was narrowed in vain is taken back, and then the rate is to blame', () => {
    const one = throttle(takeOne(startPace(20), { at: 0, atOnce: 2 }), { at: 50, atOnce: 3 });
    const two = throttle(takeOne(one, { at: 2_000, atOnce: 1 }), { at: 2_100, atOnce: 3 });
    const three = throttle(takeOne(two, { at: 4_000, atOnce: 1 }), { at: 4_100, atOnce: 1 });

    expect(three.width.limit).toBe(3);
    expect(three.rate.target).toBeLessThan(20);
  });

  test('after a refusal one request alone finds out whether the source takes requests again', () => {
    const blocked = throttle(startPace(20), { at: 0 });
    expect(hasRoom(blocked, 5)).toBe(true);
    const { pace, sent } = recordStart(blocked, 2_000, 1);

    expect(hasRoom(pace, 1)).toBe(false);
    expect(hasRoom(recordAnswer(pace, sent, { at: 2_100, quota: NO_QUOTA }), 0)).toBe(true);
  });
});

describe('a refusal', () => {
  test.each([
    [0, 7_000],
    [0.5, 7_350],
    [1, 7_700],
  ])('with Retry-After is obeyed, and a little more (random %d)', (random, wait) => {
    const quota = { ...NO_QUOTA, retryAfterMs: 7_000 };

    expect(computeTurnAt(throttle(startPace(20), { at: 0, quota, random }))).toBe(wait);
  });

  test('with a reset instead of Retry-After is obeyed as well', () => {
    const quota = { ...NO_QUOTA, remaining: 0, resetMs: 9_000 };

    expect(computeTurnAt(throttle(startPace(20), { at: 0, quota, random: 0 }))).toBe(9_000);
  });

  test('without a word waits a time that grows, so that a blockage of a minute costs three', () => {
    let pace = startPace(20);
    const waits: number[] = [];
    for (let nth = 0; nth < 5; nth += 1) {
      const at = nth * 100_000;
      pace = throttle(pace, { at, random: 0 });
      waits.push(Math.round(computeTurnAt(pace) - at));
    }
    expect(waits).toEqual([850, 3_400, 51_000, 51_000, 51_000]);
  });

  test('after a wait that was too short is not believed a second time', () => {
    const quota = { ...NO_QUOTA, retryAfterMs: 0 };
    const first = throttle(startPace(20), { at: 0, quota, random: 0 });
    const second = throttle(first, { at: 100, quota, random: 0 });

    expect(first.blockedUntil).toBe(0);
    expect(computeTurnAt(second)).toBeGreaterThan(2_000);
  });

  test('that asks for a year is obeyed for an hour', () => {
    const quota = { ...NO_QUOTA, retryAfterMs: 31_536_000_000 };
    const { pace, sent } = recordStart(startPace(20), 0, 1);
    const failure = { at: 0, retryAfterMs: 31_536_000_000, isDrop: false, random: 0 };

    expect(computeTurnAt(throttle(startPace(20), { at: 0, quota, random: 1 }))).toBe(3_600_000);
    expect(computeTurnAt(recordFailure(pace, sent, failure))).toBe(3_600_000);
  });

  test('of requests that ran beside a refused one is the same refusal', () => {
    const one = recordStart(startPace(20), 0, 1);
    const other = recordStart(one.pace, 50, 2);
    const first = recordThrottling(other.pace, one.sent, { at: 100, quota: NO_QUOTA, random: 0 });
    const second = recordThrottling(first, other.sent, { at: 110, quota: NO_QUOTA, random: 0 });

    expect([second.throttles, second.rate]).toEqual([1, first.rate]);
  });
});

describe('requests without an answer', () => {
  const drop = (pace: Pace, at: number): Pace => {
    const { pace: sending, sent } = recordStart(pace, at, 1);
    return recordFailure(sending, sent, { at, retryAfterMs: null, isDrop: true, random: 0 });
  };

  test('one alone says nothing, a second soon after it is as good as a refusal', () => {
    const one = drop(requests(startPace(20), { from: 0, count: 20, everyMs: 50 }), 1_000);
    const two = drop(requests(one, { from: 1_050, count: 5, everyMs: 50 }), 1_300);

    expect(one.rate.target).toBe(20);
    expect(two.rate.target).toBeLessThan(20);
  });

  test('that do not become fewer when it goes slower are not taken for a limit any more', () => {
    let pace = startPace(20);
    let at = 0;
    for (let nth = 0; nth < 8; nth += 1) {
      pace = drop(requests(pace, { from: at, count: 10, everyMs: 200 }), at + 2_000);
      at += 5_000;
    }
    expect(pace.rate.target).toBe(20);
    expect(drop(requests(pace, { from: at, count: 10, everyMs: 200 }), at + 2_000).rate.target).toBe(20);
  });

  test('an outage says nothing about the pace', () => {
    let pace = requests(startPace(20), { from: 0, count: 20, everyMs: 50 });
    for (let nth = 0; nth < 10; nth += 1) pace = drop(pace, 1_000 + nth * 2_000);

    expect(pace.rate.target).toBeLessThan(20);
    expect(requests(pace, { from: 60_000, count: 1, everyMs: 1 }).rate.target).toBe(20);
  });
});

test('an answer that says it was the last one stops the next until the reset', () => {
  const quota = { ...NO_QUOTA, remaining: 0, resetMs: 20_000 };
  const { pace, sent } = recordStart(startPace(20), 0, 1);

  expect(computeTurnAt(recordAnswer(pace, sent, { at: 30, quota }))).toBe(20_030);
});

test('an answer that says it was the last one, without saying until when, changes nothing', () => {
  for (const resetMs of [null, 0]) {
    const { pace, sent } = recordStart(startPace(20), 0, 1);
    const later = recordAnswer(pace, sent, { at: 30, quota: { ...NO_QUOTA, remaining: 0, resetMs } });

    expect([computeTurnAt(later), computeCeiling(later.rate)]).toEqual([50, 20]);
  }
});

test('whatever comes, the pace stays a number between its bounds and time never runs backwards', () => {
  const step = fc.record({
    kind: fc.constantFrom('taken', 'throttled', 'failed', 'dropped'),
    passMs: fc.nat({ max: 100_000 }),
    retryAfterMs: fc.option(fc.nat({ max: 1e7 })),
    remaining: fc.option(fc.nat({ max: 2 })),
    resetMs: fc.option(fc.nat({ max: 1e7 })),
    random: fc.double({ min: 0, max: 0.999, noNaN: true }),
    atOnce: fc.integer({ min: 1, max: 12 }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      let pace = startPace(20);
      let at = 0;
      for (const { kind, passMs, random, atOnce, ...quota } of steps) {
        const { retryAfterMs } = quota;
        const startedAt = Math.max(at, computeTurnAt(pace));
        at = startedAt + passMs;
        const { pace: sending, sent } = recordStart(pace, startedAt, atOnce);
        if (kind === 'taken') pace = recordAnswer(sending, sent, { at, quota });
        else if (kind === 'throttled') pace = recordThrottling(sending, sent, { at, quota, random });
        else pace = recordFailure(sending, sent, { at, retryAfterMs, isDrop: kind === 'dropped', random });
        expect(computeCeiling(pace.rate)).toBeGreaterThanOrEqual(0.09);
        expect(computeCeiling(pace.rate)).toBeLessThanOrEqual(20);
        expect(pace.width.limit).toBeGreaterThanOrEqual(1);
        expect(pace.width.limit).toBeLessThanOrEqual(12);
        expect(pace.rate.plateau).toBeGreaterThanOrEqual(5);
        expect(computeTurnAt(pace) - at).toBeLessThanOrEqual(3_600_001);
        if (retryAfterMs !== null && kind !== 'taken')
          expect(computeTurnAt(pace) - at).toBeGreaterThan(Math.min(3_600_000, retryAfterMs) - 1);
      }
    }),
  );
});

/** One after another; `everyMs` null: as early as the pace allows. */
function requests(pace: Pace, series: { from: number; count: number; everyMs: number | null }): Pace {
  let next = pace;
  let at = series.from;
  for (let nth = 0; nth < series.count; nth += 1) {
    next = takeOne(next, { at, atOnce: 1 });
    at = series.everyMs === null ? Math.max(at, computeTurnAt(next)) : at + series.everyMs;
  }
  return next;
}

function takeOne(pace: Pace, { at, atOnce }: { at: number; atOnce: number }): Pace {
  const { pace: sending, sent } = recordStart(pace, at, atOnce);
  return recordAnswer(sending, sent, { at: at + 20, quota: NO_QUOTA });
}

function throttle(
  pace: Pace,
  refusal: { at: number; atOnce?: number; quota?: typeof NO_QUOTA; random?: number },
): Pace {
  const { at, atOnce = 1, quota = NO_QUOTA, random = 0.5 } = refusal;
  const { pace: sending, sent } = recordStart(pace, at, atOnce);
  return recordThrottling(sending, sent, { at, quota, random });
}
