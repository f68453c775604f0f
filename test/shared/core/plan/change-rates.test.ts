import { describe, expect, test } from 'vitest';
import { toLocalDate } from '#shared/core/dates.ts';
import { computeCadence } from '#shared/core/plan/cadence.ts';
import {
  classifyDistance,
  decodeRates,
  encodeRates,
  estimateRate,
  learnChanges,
  NO_RATES,
  type SeenChanges,
} from '#shared/core/plan/change-rates.ts';
import type { DateClass } from '#shared/core/snapshot/learned-state.ts';
import { MINUTE_MS } from '#test/support/builders.ts';
import { NOON, TODAY } from './agendas.ts';

const WEEK_MS = 7 * 24 * 60 * MINUTE_MS;
const DAY_MS = 24 * 60 * MINUTE_MS;
const SATURDAY = NOON + 2 * DAY_MS;
const RECORDS = { today: 100, yesterday: 100, tomorrow: 100, recent: 700, older: 0, ahead: 0 };

describe('what is expected of a date', () => {
  test('goes by its distance from today', () => {
    const distances = ['2026-03-05', '2026-03-04', '2026-03-06', '2026-02-26', '2026-02-25', '2026-03-07'];
    expect(distances.map((date) => classifyDistance(date, TODAY))).toEqual([
      'today',
      'yesterday',
      'tomorrow',
      'recent',
      'older',
      'ahead',
    ]);
  });

  test.each([
    ['today', 4],
    ['yesterday', 1.5],
    ['tomorrow', 0.2],
    ['recent', 0.4],
    ['older', 0.1],
    ['ahead', 0.1],
  ] as const)('is so many changes a record and day before anything was learned: %s %f', (distance, aDay) => {
    expect(estimateRate(NO_RATES, distance, { now: NOON, timeZone: 'UTC' }) * 86_400).toBeCloseTo(aDay);
  });

  test('is what was counted in that half hour of the week, per record and second', () => {
    const rates = learned({ changes: 90 });
    expect(rateAt(rates, NOON + WEEK_MS) * 1_800 * 100).toBeCloseTo(90, -1);
    expect(rateAt(rates, NOON + WEEK_MS + 29 * MINUTE_MS)).toBe(rateAt(rates, NOON + WEEK_MS));
  });

  test('is what other working days were like, where a day is not known yet', () => {
    const rates = learned({ changes: 90 });
    const friday = NOON + 24 * 60 * MINUTE_MS;
    expect(rateAt(rates, friday)).toBe(rateAt(rates, NOON));
    const saturday = friday + 24 * 60 * MINUTE_MS;
    expect(rateAt(rates, saturday)).toBe(rateAt(rates, NOON));
    expect(rateAt(rates, saturday + 60 * MINUTE_MS)).toBe(rateAt(NO_RATES, saturday));
  });

  test('is what the other day of the weekend was like, on a weekend', () => {
    const thursday = learned({ changes: 90 });
    for (const [known, other] of [
      [SATURDAY, SATURDAY + DAY_MS],
      [SATURDAY + DAY_MS, SATURDAY],
    ] as const) {
      const rates = learned({ changes: 10, rates: thursday, at: known });
      expect(rateAt(rates, other) * 1_800 * 100).toBeCloseTo(10, 0);
    }
  });

  test.each([1, 2, 3, 4, 5])(
    'is what the only known working day was like, not the weekend: day %i',
    (day) => {
      const at = SATURDAY + (1 + day) * DAY_MS;
      const rates = learned({ changes: 90, rates: learned({ changes: 10, at: SATURDAY }), at });
      for (const other of [1, 2, 3, 4, 5].filter((each) => each !== day))
        expect(rateAt(rates, SATURDAY + (1 + other) * DAY_MS) * 1_800 * 100).toBeCloseTo(90, -1);
      expect(rateAt(rates, SATURDAY + DAY_MS) * 1_800 * 100).toBeCloseTo(10, 0);
    },
  );

  test('is by half what all other days are like, where a day and none like it are known', () => {
    const rates = learned({ changes: 30, rates: learned({ changes: 90 }), at: SATURDAY });
    expect(rateAt(rates, NOON) * 1_800 * 100).toBeCloseTo(60, -1);
  });

  test('is by half what other working days are like, where a day is known', () => {
    const both = learned({ changes: 30, rates: learned({ changes: 90 }), at: NOON + 24 * 60 * MINUTE_MS });
    const [thursday, friday] = [NOON, NOON + 24 * 60 * MINUTE_MS].map((at) => rateAt(both, at) * 1_800 * 100);
    expect(thursday).toBeCloseTo(60, -1);
    expect(friday).toBeCloseTo(60, -1);
  });

  test('goes by the records that were open when the half hour began', () => {
    const { count } = learnChanges(NO_RATES, undefined, seenAt(NOON, 90));
    const none = { ...seenAt(NOON + 30 * MINUTE_MS, 0), records: { ...RECORDS, today: 1 } };
    const { rates } = learnChanges(NO_RATES, count, none);
    expect(rateAt(rates ?? NO_RATES, NOON) * 1_800 * 100).toBeCloseTo(90, -1);
  });

  test('keeps the zone of the connection', () => {
    const rates = learned({ changes: 90, timeZone: 'Pacific/Auckland' });
    // There it is one in the morning of the next day.
    const atNoon = { now: NOON + WEEK_MS, timeZone: 'Pacific/Auckland' };
    expect(estimateRate(rates, 'today', atNoon)).toBe(rateAt(learned({ changes: 90 }), NOON));
    expect(rateAt(rates, NOON - 11 * 60 * MINUTE_MS)).not.toBe(rateAt(NO_RATES, NOON));
  });

  test('follows a new habit, and forgets an old one slowly', () => {
    const before = learned({ changes: 100 });
    const after = learned({ changes: 0, rates: before });
    expect(rateAt(after, NOON) / rateAt(before, NOON)).toBeCloseTo(0.6, 1);
  });

  test('is not learned of a half hour that was watched in part', () => {
    const seen = seenAt(NOON + 10 * MINUTE_MS, 50);
    const { count } = learnChanges(NO_RATES, undefined, seen);
    expect(learnChanges(NO_RATES, count, seenAt(NOON + 30 * MINUTE_MS, 0)).rates).toBeNull();
    const { count: whole } = learnChanges(NO_RATES, undefined, seenAt(NOON, 50));
    expect(learnChanges(NO_RATES, whole, seenAt(NOON + 90 * MINUTE_MS, 0)).rates).toBeNull();
    const learnedFrom = (since: number) => {
      const { count: late } = learnChanges(NO_RATES, undefined, seenAt(since, 50));
      return learnChanges(NO_RATES, late, seenAt(NOON + 30 * MINUTE_MS, 0)).rates !== null;
    };
    expect([3 * MINUTE_MS, 3 * MINUTE_MS + 1].map((late) => learnedFrom(NOON + late))).toEqual([true, false]);
  });

  test('is counted from the first poll of a half hour to the last, by the records of the first', () => {
    const friday = new Map([
      [TODAY, 2],
      ['2026-03-04', 3],
      ['2026-03-01', 1],
      ['2026-03-02', 1],
    ]);
    const { count: first } = learnChanges(NO_RATES, undefined, { ...seenAt(NOON + 1, 0), changes: friday });
    const fewer = { ...RECORDS, today: 1 };
    const later = { ...seenAt(NOON + 29 * MINUTE_MS, 5), records: fewer };
    const { count, rates } = learnChanges(NO_RATES, first, later);

    expect(rates).toBeNull();
    expect(count).toEqual({
      halfHour: NOON / (30 * MINUTE_MS),
      since: NOON + 1,
      changes: { today: 7, yesterday: 3, recent: 2 },
      records: RECORDS,
    });
    const next = learnChanges(NO_RATES, count, { ...later, now: NOON + 31 * MINUTE_MS, changes: new Map() });
    expect(next.count).toMatchObject({ since: NOON + 31 * MINUTE_MS, changes: {}, records: fewer });
  });

  test('is not learned of a kind of date without records', () => {
    const one = { ...RECORDS, today: 1, yesterday: 0 };
    const { count } = learnChanges(NO_RATES, undefined, { ...seenAt(NOON, 1), records: one });
    const over = { ...seenAt(NOON + 30 * MINUTE_MS, 0), records: one };
    const { rates } = learnChanges(NO_RATES, count, over);
    const learnedOf = Object.entries(rates?.bytes ?? {}).filter(([, week]) => week.some((byte) => byte > 0));
    expect(learnedOf.map(([distance]) => distance)).toEqual(['today', 'tomorrow', 'recent']);
  });

  test('stays as it was learned while there are no records of its kind', () => {
    const before = learned({ changes: 90, at: NOON });
    const again = NOON + 7 * DAY_MS;
    const none = { ...RECORDS, today: 0 };
    const { count } = learnChanges(before, undefined, { ...seenAt(again, 0), records: none });
    const over = { ...seenAt(again + 30 * MINUTE_MS, 0), records: none };
    const { rates } = learnChanges(before, count, over);
    expect(rates?.bytes.today.some((byte) => byte > 0)).toBe(true);
    expect(rates?.bytes.today).toEqual(before.bytes.today);
  });

  test.each([
    ['2026-03-01T00:00:00Z', 0],
    ['2026-03-01T00:30:00Z', 1],
    ['2026-03-05T12:00:00Z', 4 * 48 + 24],
    ['2026-03-05T12:30:00Z', 4 * 48 + 25],
    ['2026-03-07T23:30:00Z', 7 * 48 - 1],
  ])('is stored in the byte of its half hour, from Sunday midnight on: %s in %i', (at, place) => {
    const { today } = learned({ changes: 90, at: Date.parse(at) }).bytes;
    expect([...today.entries()].filter(([, byte]) => byte > 0).map(([index]) => index)).toEqual([place]);
    expect(today).toHaveLength(7 * 48);
  });

  test('is the same after it was stored, and nothing when it was stored in another form', () => {
    const rates = learned({ changes: 37 });
    expect(decodeRates(encodeRates(rates))).toEqual(rates);
    for (const other of [null, '', 'AAAA', '{}']) expect(decodeRates(other)).toEqual(NO_RATES);
  });
});

describe('the cadence of a date', () => {
  const cadence = (changesPerSecond: number, pages = 1, pageSize = 200, dateClass: DateClass = 'active') =>
    computeCadence({ class: dateClass, pages, pageSize, changesPerSecond }) / 1_000;

  test('is longer the less is expected of it, and the more pages it costs', () => {
    expect(cadence(0.01)).toBeLessThan(cadence(0.002));
    expect(cadence(0.01, 4)).toBeCloseTo(2 * cadence(0.01));
  });

  test('is longer the more records a page holds, beyond 200', () => {
    expect(cadence(0.01, 1, 800)).toBeCloseTo(2 * cadence(0.01, 1, 200));
    expect(cadence(0.01, 1, 20)).toBe(cadence(0.01, 1, 200));
  });

  test('is 20 seconds at most on a hot date that is worth another scan within its minute, or soon after it', () => {
    const hot = [0.0001, 0.0007, 0.0008, 0.02, 0.03].map((rate) => cadence(rate, 1, 200, 'hot'));
    expect(hot).toEqual([60, 60, 20, expect.closeTo(14.14), expect.closeTo(11.55)]);
    expect(cadence(0.0012)).toBeCloseTo(57.74);
  });

  test('has bounds, whatever was learned', () => {
    expect([cadence(0), cadence(1e-9), cadence(1e9)]).toEqual([300, 300, 15]);
    const bounds = (['hot', 'active', 'settled'] as const).map((each) =>
      [1e9, 0].map(
        (rate) => computeCadence({ class: each, pages: 1, pageSize: 200, changesPerSecond: rate }) / 1_000,
      ),
    );
    expect(bounds).toEqual([
      [10, 60],
      [15, 300],
      [15, 29 * 60],
    ]);
  });
});

function rateAt(rates: typeof NO_RATES, now: number): number {
  return estimateRate(rates, 'today', { now, timeZone: 'UTC' });
}

function seenAt(now: number, changes: number, timeZone = 'UTC'): SeenChanges {
  const date = toLocalDate(now, timeZone);
  return { now, timeZone, changes: new Map([[date, changes]]), records: RECORDS };
}

interface Given {
  readonly changes: number;
  readonly rates?: typeof NO_RATES;
  readonly timeZone?: string;
  readonly at?: number;
}

function learned({ changes, rates = NO_RATES, timeZone = 'UTC', at = NOON }: Given): typeof NO_RATES {
  const { count } = learnChanges(rates, undefined, seenAt(at, changes, timeZone));
  return learnChanges(rates, count, seenAt(at + 30 * MINUTE_MS, 0, timeZone)).rates ?? NO_RATES;
}
