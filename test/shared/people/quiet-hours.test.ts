import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isQuiet, isTimeWithin } from '#shared/people/quiet-hours.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const NIGHT = { from: '20:00', to: '07:00', weekends: false };

test.each([
  ['09:00', '17:00', '08:59', false],
  ['09:00', '17:00', '09:00', true],
  ['09:00', '17:00', '17:00', false],
  ['20:00', '07:00', '19:59', false],
  ['20:00', '07:00', '00:00', true],
  ['20:00', '07:00', '07:00', false],
])('from %s to %s, over midnight too, the time %s is within: %s', (from, to, time, within) => {
  expect(isTimeWithin({ from, to }, time)).toBe(within);
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

test.each([
  ['Europe/London', '2026-03-28T20:00:00Z', 10],
  ['Europe/London', '2026-10-24T19:00:00Z', 12],
  ['Pacific/Auckland', '2026-04-04T07:00:00Z', 12],
  ['Australia/Lord_Howe', '2026-10-03T09:30:00Z', 10.5],
])('when clocks change a night in %s from %s on lasts %d hours', (zone, evening, hours) => {
  const start = Date.parse(evening);
  expect(isQuiet(NIGHT, start - 1, zone)).toBe(false);
  let end = start;
  while (isQuiet(NIGHT, end, zone)) end += MINUTE_MS;
  expect((end - start) / HOUR_MS).toBe(hours);
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
