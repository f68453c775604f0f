import { describe, expect, test } from 'vitest';
import {
  addDays,
  computeWindow,
  isDate,
  listDates,
  parseInstant,
  parseMidnightDate,
  toIso,
  toLocalDate,
} from '#shared/core/dates.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

describe('calendar dates', () => {
  test.each([
    ...['2026-03-02', '2024-02-29', '0001-01-01', '9999-12-31'].map((text) => [text, true] as const),
    ...['2026-02-29', '2026-02-30', '2026-13-01', '2026-00-10', '2026-3-2', '2026-03-02T00:00', '', ' '].map(
      (text) => [text, false] as const,
    ),
  ])('%j is one: %s', (text, isOne) => {
    expect(isDate(text)).toBe(isOne);
  });

  test.each([
    ['2026-02-28', 1, '2026-03-01'],
    ['2024-02-28', 1, '2024-02-29'],
    ['2026-01-01', -1, '2025-12-31'],
    ['2026-03-28', 2, '2026-03-30'],
    ['2026-03-02', 0, '2026-03-02'],
  ])('%s and %i days is %s', (date, days, expected) => {
    expect(addDays(date, days)).toBe(expected);
  });

  test('of a range come in order, both ends included', () => {
    expect(listDates({ from: '2026-02-27', to: '2026-03-01' })).toEqual([
      '2026-02-27',
      '2026-02-28',
      '2026-03-01',
    ]);
    expect(listDates({ from: '2026-03-02', to: '2026-03-01' })).toEqual([]);
  });

  test('of a range that never ends are the first 4,000', () => {
    expect(listDates({ from: '2026-03-02', to: '9999-12-31' })).toHaveLength(4_000);
    expect(listDates({ from: '9999-12-30', to: '9999-12-31' }).slice(0, 2)).toEqual([
      '9999-12-30',
      '9999-12-31',
    ]);
  });
});

describe('the instant a text means', () => {
  test.each([
    ['2026-03-02T09:00:00Z', '2026-03-02T09:00:00.000Z'],
    ['2026-03-02T09:00:00.250Z', '2026-03-02T09:00:00.250Z'],
    ['2026-03-02T09:00:00+13:00', '2026-03-01T20:00:00.000Z'],
    ['2026-03-02T09:00:00', '2026-03-01T20:00:00.000Z'],
    ['2026-03-02T09:00', '2026-03-01T20:00:00.000Z'],
    ['2026-03-02T09:00:00.123', '2026-03-01T20:00:00.123Z'],
    ['2026-07-02T09:00:00', '2026-07-01T21:00:00.000Z'],
  ])('%s in Auckland is %s', (text, expected) => {
    expect(toIso(parseInstant(text, 'Pacific/Auckland') ?? 0)).toBe(expected);
  });

  test('that a zone skips is read with the offset from before', () => {
    expect(toIso(parseInstant('2026-03-29T02:30:00', 'Europe/Berlin') ?? 0)).toBe('2026-03-29T01:30:00.000Z');
  });

  test('that happens twice is the first one', () => {
    expect(toIso(parseInstant('2026-10-25T02:30:00', 'Europe/Berlin') ?? 0)).toBe('2026-10-25T00:30:00.000Z');
  });

  test('of others is none', () => {
    const dates = ['', 'soon', '2026-03-02', '09:00', 'T09:00:00.000', '2026-13-02T09:00:00'];
    const days = ['2026-03-02T25:00:00Z', '2026-02-30T09:00:00Z', '2026-02-29T09:00:00'];
    const texts = [...dates, ...days, '2026-04-31T09:00:00+02:00'];
    expect(texts.filter((text) => parseInstant(text, 'Europe/Berlin') !== null)).toEqual([]);
  });
});

describe('the date that begins with a text', () => {
  test.each([
    ['2026-03-05T00:00:00', 'Pacific/Auckland', '2026-03-05'],
    ['2026-03-05T00:00', 'Pacific/Auckland', '2026-03-05'],
    ['2026-03-05T00:00:00+13:00', 'Pacific/Auckland', '2026-03-05'],
    ['2026-03-04T11:00:00.000Z', 'Pacific/Auckland', '2026-03-05'],
    ['2026-03-05T00:00:00Z', 'Pacific/Auckland', null],
    ['2026-03-05T00:00:00.001', 'Pacific/Auckland', null],
    ['2026-03-05T00:01:00', 'Pacific/Auckland', null],
    ['2026-03-05', 'Pacific/Auckland', null],
    ['soon', 'Pacific/Auckland', null],
    // A midnight that the zone skips, and the second of two that it has.
    ['2026-03-29T00:00:00', 'Asia/Beirut', '2026-03-29'],
    ['2026-11-01T05:00:00Z', 'America/Havana', null],
  ])('%s in %s is %j', (text, zone, date) => {
    expect(parseMidnightDate(text, zone)).toBe(date);
  });
});

describe('every zone Node knows', () => {
  const zones = Intl.supportedValuesOf('timeZone');

  test('dates and instants agree with the clock on the wall, around every change of it in a year from 2015 to 2040', () => {
    let seen = 0;
    for (const [index, zone] of zones.entries()) {
      const wall = wallOf(zone);
      const first = 2015 + (index % 26);
      const year = { from: Date.UTC(first, 0, 1, 12), to: Date.UTC(first + 1, 0, 1, 12) };
      for (const instant of [year.from, ...around(transitionsOf(zone, year))]) {
        const shown = wall(instant);
        seen += 1;
        const today = shown.slice(0, 10);
        expect(toLocalDate(instant, zone), `${zone} ${toIso(instant)}`).toBe(today);
        const window = computeWindow(instant, zone, { backDays: 2, forwardDays: 1 });
        expect(listDates(window)).toEqual([-2, -1, 0, 1].map((days) => addDays(today, days)));
        const read = parseInstant(shown, zone) ?? Number.NaN;
        // Of two instants that show the same time the first is meant.
        if (read !== instant) expect([wall(read), read < instant], `${zone} ${shown}`).toEqual([shown, true]);
      }
    }
    expect(zones.length).toBeGreaterThan(400);
    expect(seen).toBeGreaterThan(3_000);
  });
});

/** What a clock on a wall in the zone shows, by another way than the one under test. */
function wallOf(zone: string): (instant: number) => string {
  const format = new Intl.DateTimeFormat('sv-SE', {
    timeZone: zone,
    dateStyle: 'short',
    timeStyle: 'medium',
  });
  return (instant) => format.format(instant).replace(' ', 'T');
}

/** Instants, to the minute, at which the offset of a zone changes. */
function transitionsOf(zone: string, year: { from: number; to: number }): number[] {
  const wall = wallOf(zone);
  const offset = (instant: number) => Date.parse(`${wall(instant)}Z`) - instant;
  const transitions: number[] = [];
  for (let at = year.from; at < year.to; at += 7 * DAY_MS) {
    let [low, high] = [at, at + 7 * DAY_MS];
    if (offset(low) === offset(high)) continue;
    while (high - low > 60_000) {
      const middle = Math.floor((low + high) / 120_000) * 60_000;
      if (offset(middle) === offset(low)) low = middle;
      else high = middle;
    }
    transitions.push(high);
  }
  return transitions;
}

function around(transitions: number[]): number[] {
  const distances = [-26, -2, -1, -0.5, -1 / 60, 0, 1 / 60, 0.5, 1, 2, 26];
  return transitions.flatMap((at) => distances.map((hours) => at + hours * HOUR_MS));
}
