import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isQuiet, isTimeWithin } from '#shared/people/quiet-hours.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const NIGHT = { from: '20:00', to: '07:00', weekends: false };

describe('a part of the day', () => {
  test.each([
    ['08:59', false],
    ['09:00', true],
    ['16:59', true],
    ['17:00', false],
  ])('within a day ends before its end: %s', (time, within) => {
    expect(isTimeWithin({ from: '09:00', to: '17:00' }, time)).toBe(within);
  });

  test.each([
    ['19:59', false],
    ['20:00', true],
    ['23:59', true],
    ['00:00', true],
    ['06:59', true],
    ['07:00', false],
  ])('goes over midnight: %s', (time, within) => {
    expect(isTimeWithin(NIGHT, time)).toBe(within);
  });

  test('is one of the zone, not of Greenwich', () => {
    // 20:30 in Auckland, 07:30 in London.
    const instant = Date.parse('2026-03-05T07:30:00Z');
    expect(isQuiet(NIGHT, instant, 'Pacific/Auckland')).toBe(true);
    expect(isQuiet(NIGHT, instant, 'Europe/London')).toBe(false);
  });
});

describe('weekends', () => {
  test.each([
    ['Friday', '2026-03-06T12:00:00Z', false],
    ['Saturday', '2026-03-07T12:00:00Z', true],
    ['Sunday', '2026-03-08T12:00:00Z', true],
    ['Monday', '2026-03-09T12:00:00Z', false],
  ])('are quiet all day when the channel says so: %s', (_day, at, quiet) => {
    expect(isQuiet({ ...NIGHT, weekends: true }, Date.parse(at), 'UTC')).toBe(quiet);
    expect(isQuiet(NIGHT, Date.parse(at), 'UTC')).toBe(false);
  });

  test('begin at midnight of the zone', () => {
    const hours = { from: '03:00', to: '04:00', weekends: true };
    const midnight = Date.parse('2026-03-06T11:00:00Z');
    expect(isQuiet(hours, midnight - 1, 'Pacific/Auckland')).toBe(false);
    expect(isQuiet(hours, midnight, 'Pacific/Auckland')).toBe(true);
  });
});

describe('when clocks change', () => {
  test('an hour that is shown twice is quiet both times', () => {
    // London, 25 October 2026: 01:00 to 02:00 twice.
    const hours = { from: '01:15', to: '01:45', weekends: false };
    expect(isQuiet(hours, Date.parse('2026-10-25T00:30:00Z'), 'Europe/London')).toBe(true);
    expect(isQuiet(hours, Date.parse('2026-10-25T01:30:00Z'), 'Europe/London')).toBe(true);
  });

  test('an hour that is skipped is never quiet, and quiet hours around it end on time', () => {
    // London, 29 March 2026: 01:00 to 02:00 is skipped.
    const night = Array.from({ length: 24 * 60 }, (_, minute) =>
      isQuiet({ from: '01:15', to: '01:45', weekends: false }, DAY + minute * MINUTE_MS, 'Europe/London'),
    );
    expect(night.filter((quiet) => quiet)).toEqual([]);
    expect(isQuiet(NIGHT, Date.parse('2026-03-29T05:59:00Z'), 'Europe/London')).toBe(true);
    expect(isQuiet(NIGHT, Date.parse('2026-03-29T06:00:00Z'), 'Europe/London')).toBe(false);
  });

  const DAY = Date.parse('2026-03-29T00:00:00Z');

  test.each([
    ['Europe/London', '2026-03-28T20:00:00Z', 10],
    ['Europe/London', '2026-10-24T19:00:00Z', 12],
    ['Pacific/Auckland', '2026-04-04T07:00:00Z', 12],
    ['Australia/Lord_Howe', '2026-10-03T09:30:00Z', 10.5],
  ])('a night in %s from %s on lasts %d hours', (zone, evening, hours) => {
    const start = Date.parse(evening);
    expect(isQuiet(NIGHT, start - 1, zone)).toBe(false);
    let end = start;
    while (isQuiet(NIGHT, end, zone)) end += MINUTE_MS;
    expect((end - start) / HOUR_MS).toBe(hours);
  });
});

test('for any time, zone and instant, quiet is what the clock on the wall says', () => {
  const time = fc
    .integer({ min: 0, max: 1439 })
    .map((minutes) =>
      [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0')).join(':'),
    );
  const zone = fc.constantFrom(
    'Pacific/Auckland',
    'Europe/London',
    'America/St_Johns',
    'Asia/Kathmandu',
    'UTC',
  );
  const instant = fc.integer({ min: Date.UTC(2020, 0), max: Date.UTC(2035, 0) });
  fc.assert(
    fc.property(time, time, fc.tuple(zone, instant), (from, to, [timeZone, at]) => {
      fc.pre(from !== to);
      const shown = new Date(at).toLocaleTimeString('en-GB', {
        timeZone,
        hour: '2-digit',
        minute: '2-digit',
      });
      const minutesFrom = (minutesOf(shown) - minutesOf(from) + 1440) % 1440;
      const length = (minutesOf(to) - minutesOf(from) + 1440) % 1440;
      expect(isQuiet({ from, to, weekends: false }, at, timeZone)).toBe(minutesFrom < length);
      expect(isQuiet({ from: to, to: from, weekends: false }, at, timeZone)).toBe(minutesFrom >= length);
    }),
    { numRuns: 500, seed: 11 },
  );
});

function minutesOf(time: string): number {
  return Number(time.slice(0, 2)) * 60 + Number(time.slice(3));
}
