import { describe, expect, test } from 'vitest';
import { createIsClosed } from '#shared/core/plan/pay-period-dates.ts';
import { hint } from '#test/support/builders.ts';
import { TODAY } from './agendas.ts';

describe('a date is closed', () => {
  const closed = hint({ closed: true });

  test('when every pay period that covers it is, and there is one', () => {
    expect(createIsClosed([closed])(TODAY)).toBe(true);
    expect(createIsClosed([closed, hint({ id: '4_7', closed: true })])(TODAY)).toBe(true);
    expect(createIsClosed([closed, hint({ id: '4_7' })])(TODAY)).toBe(false);
    expect(createIsClosed([hint()])(TODAY)).toBe(false);
    expect(createIsClosed([])(TODAY)).toBe(false);
  });

  test('from the first to the last day of its period', () => {
    expect(['2026-03-01', '2026-03-02', '2026-03-08', '2026-03-09'].map(createIsClosed([closed]))).toEqual([
      false,
      true,
      true,
      false,
    ]);
  });

  test('whatever the periods of other dates are', () => {
    const other = hint({ id: '4_7', startDate: '2026-03-09', finishDate: '2026-03-15' });
    expect(createIsClosed([closed, other])(TODAY)).toBe(true);
  });
});
