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
import { MINUTE_MS } from '#test/support/builders.ts';
import { NOON, TODAY } from './agendas.ts';

const WEEK_MS = 7 * 24 * 60 * MINUTE_MS;
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
  });

  test('is the same after it was stored, and nothing when it was stored in another form', () => {
    const rates = learned({ changes: 37 });
    expect(decodeRates(encodeRates(rates))).toEqual(rates);
    for (const other of [null, '', 'AAAA', '{}']) expect(decodeRates(other)).toEqual(NO_RATES);
  });
});

describe('the cadence of a date', () => {
  const cadence = (changesPerSecond: number, pages = 1, pageSize = 200) =>
    computeCadence({ class: 'active', pages, pageSize, changesPerSecond }) / 1_000;

  test('is longer the less is expected of it, and the more pages it costs', () => {
    expect(cadence(0.01)).toBeLessThan(cadence(0.002));
    expect(cadence(0.01, 4)).toBeCloseTo(2 * cadence(0.01));
  });

  test('is longer the more records a page holds, beyond 200', () => {
    expect(cadence(0.01, 1, 800)).toBeCloseTo(2 * cadence(0.01, 1, 200));
    expect(cadence(0.01, 1, 20)).toBe(cadence(0.01, 1, 200));
  });

  test('has bounds, whatever was learned', () => {
    expect([cadence(0), cadence(1e-9), cadence(1e9)]).toEqual([300, 300, 15]);
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
