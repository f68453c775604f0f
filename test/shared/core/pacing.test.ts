import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  failed,
  type Pace,
  type Quota,
  refused,
  started,
  startPace,
  taken,
  turnAt,
} from '#shared/core/pacing.ts';

const SILENT: Quota = { retryAfterMs: null, remaining: null, resetMs: null };

describe('the pace', () => {
  test('begins at the most that is allowed, and the first request waits for nothing', () => {
    expect(startPace(20).ceiling).toBe(20);
    expect(turnAt(startPace(20))).toBe(Number.NEGATIVE_INFINITY);
  });

  test('keeps requests apart', () => {
    expect(turnAt(started(startPace(20), 1_000))).toBe(1_050);
  });

  test('is halved by the first refusal: nothing is known yet', () => {
    expect(refuseAt(requests(startPace(20), { from: 0, count: 13, everyMs: 50 }), 650).ceiling).toBeCloseTo(
      10,
    );
  });

  test('is halved from what was really sent when that was less', () => {
    const slow = requests(startPace(20), { from: 0, count: 20, everyMs: 200 });

    expect(refuseAt(slow, 4_000).ceiling).toBeCloseTo(2.5);
  });

  test('is just under what was taken from one refusal to the next', () => {
    const first = refuseAt(requests(startPace(20), { from: 0, count: 13, everyMs: 50 }), 650);
    const between = requests(first, { from: 1_700, count: 40, everyMs: 200 });
    const second = refuseAt(between, 9_650);

    // 40 in 9 seconds
    expect(second.ceiling).toBeGreaterThan((40 / 9) * 0.9);
    expect(second.ceiling).toBeLessThan((40 / 9) * 1.05);
  });

  test('falls once for refusals in a row', () => {
    const first = refuseAt(requests(startPace(20), { from: 0, count: 13, everyMs: 50 }), 650);
    const second = refuseAt(started(first, 2_000), 2_010, 2_000);

    expect(second.ceiling).toBe(first.ceiling);
    expect(second.refusals).toBe(2);
  });

  test('never falls so low that nobody is asked', () => {
    let pace = startPace(20);
    for (let at = 0; at < 100; at += 1) {
      pace = refuseAt(started(pace, at * 100_000), at * 100_000 + 10, at * 100_000);
      pace = requests(pace, { from: at * 100_000 + 50_000, count: 1, everyMs: 1 });
    }
    expect(pace.ceiling).toBeGreaterThanOrEqual(0.1);
  });

  test('rises again by requests that were taken as early as they could be', () => {
    const low = refuseAt(requests(startPace(20), { from: 0, count: 13, everyMs: 50 }), 650);

    expect(requests(low, { from: 2_000, count: 100, everyMs: 1_000 / low.ceiling }).ceiling).toBeGreaterThan(
      12,
    );
  });

  test('does not rise by requests that come now and then: they prove nothing', () => {
    const low = refuseAt(requests(startPace(20), { from: 0, count: 13, everyMs: 50 }), 650);

    expect(requests(low, { from: 2_000, count: 100, everyMs: 1_000 }).ceiling).toBe(low.ceiling);
  });

  test('never rises above the most that is allowed', () => {
    const low = refuseAt(requests(startPace(20), { from: 0, count: 13, everyMs: 50 }), 650);

    expect(requests(low, { from: 2_000, count: 5_000, everyMs: 50 }).ceiling).toBe(20);
  });

  test('forgets what it measured after a pause: a limiter may have saved up', () => {
    const low = refuseAt(requests(startPace(20), { from: 0, count: 13, everyMs: 50 }), 650);
    const later = requests(requests(low, { from: 2_000, count: 10, everyMs: 100 }), {
      from: 600_000,
      count: 10,
      everyMs: 100,
    });

    // 20 requests in ten minutes are not the rate the source takes.
    expect(refuseAt(later, 601_000).ceiling).toBeGreaterThan(5);
  });
});

describe('a refusal', () => {
  test.each([
    [0, 7_000],
    [0.5, 7_350],
    [1, 7_700],
  ])('with Retry-After is obeyed, and a little more (random %d)', (random, wait) => {
    const quota = { ...SILENT, retryAfterMs: 7_000 };

    expect(turnAt(refuse(startPace(20), { at: 0, quota, random }))).toBe(wait);
  });

  test('with a reset instead of Retry-After is obeyed as well', () => {
    const quota = { ...SILENT, remaining: 0, resetMs: 9_000 };

    expect(turnAt(refuse(startPace(20), { at: 0, quota, random: 0 }))).toBe(9_000);
  });

  test('without a word waits a time that triples, most of it certain', () => {
    let pace = startPace(20);
    const waits: number[] = [];
    for (let nth = 0; nth < 5; nth += 1) {
      const at = nth * 100_000;
      pace = refuse(started(pace, at - 1), { at, random: 0, startedAt: at - 1 });
      waits.push(Math.round(turnAt(pace) - at));
    }
    expect(waits).toEqual([700, 2_100, 6_300, 18_900, 42_000]);
  });

  test('after a wait that was too short is not believed a second time', () => {
    const quota = { ...SILENT, retryAfterMs: 0 };
    const first = refuse(startPace(20), { at: 0, quota, random: 0 });
    const second = refuse(started(first, 1), { at: 2, quota, random: 0, startedAt: 1 });

    expect(turnAt(first)).toBe(0);
    expect(turnAt(second)).toBeGreaterThan(2_000);
  });

  test('that asks for a year is obeyed for an hour', () => {
    const quota = { ...SILENT, retryAfterMs: 31_536_000_000 };

    expect(turnAt(refuse(startPace(20), { at: 0, quota, random: 1 }))).toBe(3_600_000);
    expect(turnAt(failed(startPace(20), { at: 0, retryAfterMs: 31_536_000_000 }))).toBe(3_600_000);
  });

  test('of one among several requests makes room for fewer, at the same pace', () => {
    const pace = refuse(startPace(20), { at: 0, atOnce: 3 });

    expect([pace.width, pace.ceiling]).toEqual([2, 20]);
  });

  test('of requests that ran beside a refused one is the same refusal', () => {
    const first = refuse(started(startPace(20), 0), { at: 100, startedAt: 0, random: 0 });
    const second = refuse(first, { at: 110, startedAt: 50, random: 0 });

    expect(second.refusals).toBe(1);
  });
});

test('an answer that says it was the last one stops the next until the reset', () => {
  const quota = { ...SILENT, remaining: 0, resetMs: 20_000 };
  const pace = taken(started(startPace(20), 0), { startedAt: 0, at: 30, quota });

  expect(turnAt(pace)).toBe(20_030);
});

test('an answer that says it was the last one, without saying until when, changes nothing', () => {
  for (const resetMs of [null, 0]) {
    const quota = { ...SILENT, remaining: 0, resetMs };
    const pace = taken(started(startPace(20), 0), { startedAt: 0, at: 30, quota });

    expect([turnAt(pace), pace.ceiling]).toEqual([50, 20]);
  }
});

test('whatever comes, the pace stays a number between its bounds and time never runs backwards', () => {
  const step = fc.record({
    kind: fc.constantFrom('taken', 'refused', 'failed'),
    passMs: fc.nat({ max: 100_000 }),
    retryAfterMs: fc.option(fc.nat({ max: 1e7 })),
    remaining: fc.option(fc.nat({ max: 2 })),
    resetMs: fc.option(fc.nat({ max: 1e7 })),
    random: fc.double({ min: 0, max: 0.999, noNaN: true }),
    atOnce: fc.integer({ min: 1, max: 4 }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      let pace = startPace(20);
      let at = 0;
      for (const { kind, passMs, random, atOnce, ...quota } of steps) {
        const startedAt = Math.max(at, turnAt(pace));
        at = startedAt + passMs;
        pace = started(pace, startedAt);
        if (kind === 'taken') pace = taken(pace, { startedAt, at, quota });
        else if (kind === 'refused') pace = refused(pace, { startedAt, at, quota, random, atOnce });
        else pace = failed(pace, { at, retryAfterMs: quota.retryAfterMs });
        expect(pace.ceiling).toBeGreaterThanOrEqual(0.1);
        expect(pace.ceiling).toBeLessThanOrEqual(20);
        expect(pace.width).toBeGreaterThanOrEqual(1);
        expect(turnAt(pace) - at).toBeLessThanOrEqual(3_600_001);
        if (quota.retryAfterMs !== null && kind !== 'taken')
          expect(turnAt(pace) - at).toBeGreaterThan(Math.min(3_600_000, quota.retryAfterMs) - 1);
      }
    }),
  );
});

function requests(pace: Pace, series: { from: number; count: number; everyMs: number }): Pace {
  let next = pace;
  for (let nth = 0; nth < series.count; nth += 1) {
    const startedAt = series.from + nth * series.everyMs;
    next = taken(started(next, startedAt), { startedAt, at: startedAt + 20, quota: SILENT });
  }
  return next;
}

function refuseAt(pace: Pace, at: number, startedAt = at - 10): Pace {
  return refuse(pace, { at, startedAt });
}

function refuse(pace: Pace, refusal: Partial<Parameters<typeof refused>[1]> & { at: number }): Pace {
  return refused(pace, { startedAt: refusal.at, quota: SILENT, atOnce: 1, random: 0.5, ...refusal });
}
