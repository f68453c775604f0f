import { describe, expect, test } from 'vitest';
import { addDays, computeWindow } from '#shared/core/dates.ts';
import { findFirstSliceToLoad } from '#shared/core/snapshot/recognize-table.ts';
import { WINDOW } from './agendas.ts';

describe('the window', () => {
  test.each([
    ['UTC', '2026-03-05T00:00:00.000Z', '2026-03-05'],
    ['UTC', '2026-03-04T23:59:59.999Z', '2026-03-04'],
    ['Pacific/Kiritimati', '2026-03-05T09:59:59.999Z', '2026-03-05'],
    ['Pacific/Kiritimati', '2026-03-05T10:00:00.000Z', '2026-03-06'],
    ['Pacific/Pago_Pago', '2026-03-05T10:59:59.999Z', '2026-03-04'],
    ['Pacific/Pago_Pago', '2026-03-05T11:00:00.000Z', '2026-03-05'],
    ['Asia/Kathmandu', '2026-03-05T18:15:00.000Z', '2026-03-06'],
  ])('is around today in %s at %s: %s', (timeZone, now, today) => {
    expect(computeWindow(Date.parse(now), timeZone, { backDays: 2, forwardDays: 1 })).toEqual({
      from: addDays(today, -2),
      to: addDays(today, 1),
    });
  });

  test('moves on one day at local midnight, also over a change of the clocks', () => {
    const window = { backDays: 0, forwardDays: 0 };
    const dayOf = (now: string) => computeWindow(Date.parse(now), 'Europe/Berlin', window).from;
    expect(dayOf('2026-03-28T22:59:59.999Z')).toBe('2026-03-28');
    expect(dayOf('2026-03-28T23:00:00.000Z')).toBe('2026-03-29');
    expect(dayOf('2026-03-29T21:59:59.999Z')).toBe('2026-03-29');
    expect(dayOf('2026-03-29T22:00:00.000Z')).toBe('2026-03-30');
  });
});

describe('heads are loaded', () => {
  const from = (loadFrom: string | null) => findFirstSliceToLoad('timesheets', WINDOW, { loadFrom });

  test('from 31 days before the window on, where a record that turns up is still recognised', () => {
    expect(from(null)).toBe('2026-01-27');
    expect(from('2026-02-10')).toBe('2026-01-27');
  });

  test('from further back when something there is not published yet', () => {
    expect(from('2025-12-31')).toBe('2025-12-31');
  });

  test('all, of a feed that comes as one list', () => {
    expect(findFirstSliceToLoad('pay-periods', WINDOW, { loadFrom: null })).toBe('');
  });
});
