import { describe, expect, test } from 'vitest';
import { dateHints, type PayPeriodHint } from '#shared/core/records/pay-period.ts';
import { hint, NOW } from '#test/support/builders.ts';

const MINUTE_MS = 60_000;
/** Start of the look that is stored. */
const BEFORE = NOW - 5 * MINUTE_MS;
const LOOK = { requestedAt: NOW, receivedAt: NOW + 300 };

/** A hint after a look that shows it. */
function look(seen: PayPeriodHint, last: PayPeriodHint | null, payPeriodsAt: number | null = BEFORE) {
  const known = { payPeriods: last === null ? [] : [last], payPeriodsAt };
  const at = { scannedAt: NOW, now: NOW + 1_000, timeZone: 'UTC' };
  return dateHints([{ ...seen, look: LOOK }], known, at)[0];
}

test('the totals of a period are as old as the first scan that saw them', () => {
  const since = (last: PayPeriodHint | null, totals = '1/1/1') => look(hint({ totals }), last)?.totalsSince;
  const known = hint({ totals: '1/1/1', totalsSince: NOW - 5 });
  expect(since(known)).toBe(NOW - 5);
  expect(since(known, '2/1/1')).toBe(NOW);
  expect(since(null)).toBe(NOW);
  expect(since(hint({ totals: '1/1/1' }))).toBe(NOW);
});

describe('the closing of a period', () => {
  const closed = (values: Partial<PayPeriodHint> = {}) =>
    hint({ closed: true, closedStamp: '2026-03-09', ...values });
  const between = { after: BEFORE, by: LOOK.receivedAt };

  test('lies between the start of the last look that showed it open and the answer that showed it closed', () => {
    expect(look(closed(), hint())?.closedBetween).toEqual(between);
    expect(look(closed(), hint({ seenAt: BEFORE - 7 }))?.closedBetween).toEqual({
      ...between,
      after: BEFORE - 7,
    });
    expect(look(closed(), hint(), null)?.closedBetween).toEqual({ ...between, after: null });
  });

  test('stays where it was while the period is closed, and is forgotten when it is open again', () => {
    const known = closed({ closedBetween: { after: 1, by: 2 } });
    expect(look(closed(), known)?.closedBetween).toEqual({ after: 1, by: 2 });
    const reopened = look(hint(), known);
    expect(reopened).toEqual({ ...hint(), totalsSince: NOW });
  });

  test('of a period that is closed when a list first shows it may have been at any time until then', () => {
    const anyTime = { after: null, by: LOOK.receivedAt };
    expect(look(closed(), null)?.closedBetween).toEqual(anyTime);
    // The first list of all shows periods that closed in the minutes before it, with stamps of earlier dates.
    expect(look(closed(), null, null)?.closedBetween).toEqual(anyTime);
  });

  test('is another one when its stamp is another, not when it is written otherwise', () => {
    const known = closed({ closedBetween: { after: 1, by: 2 }, closedStamp: '2026-03-09T10:00:00Z' });
    expect(look(closed({ closedStamp: '2026-03-10' }), known)?.closedBetween).toEqual(between);
    const rewritten = closed({ closedStamp: '2026-03-09T10:00:00.000' });
    expect(look(rewritten, known)?.closedBetween).toEqual({ after: 1, by: 2 });
  });

  test('is not known from a clock that was ahead', () => {
    const ahead = NOW + 10 * MINUTE_MS;
    expect(look(closed(), hint(), ahead)?.closedBetween).toEqual({ ...between, after: null });
    const known = (after: number, by: number) => closed({ closedBetween: { after, by } });
    expect(look(closed(), known(1, ahead))).not.toHaveProperty('closedBetween');
    expect(look(closed(), known(ahead, 2))?.closedBetween).toEqual({ after: null, by: 2 });
  });

  test('counts from the last look that showed the period, where a later one did not', () => {
    const at = { scannedAt: NOW, now: NOW, timeZone: 'UTC' };
    const keep = (last: PayPeriodHint, payPeriodsAt: number) =>
      dateHints([last], { payPeriods: [last], payPeriodsAt }, at)[0];
    const kept = keep(hint(), BEFORE);
    expect(kept?.seenAt).toBe(BEFORE);
    const keptAgain = keep(kept as PayPeriodHint, NOW - 1);
    expect(keptAgain?.seenAt).toBe(BEFORE);
    const shown = look(closed(), keptAgain as PayPeriodHint, NOW - 1);
    expect(shown?.closedBetween).toEqual(between);
    expect(shown).not.toHaveProperty('seenAt');
    expect(keep(closed({ closedBetween: between }), BEFORE)?.closedBetween).toEqual(between);
  });
});
