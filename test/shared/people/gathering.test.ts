import { describe, expect, test } from 'vitest';
import type { Alert } from '#shared/people/alert.ts';
import { composeMessages } from '#shared/people/digest/digest.ts';
import { selectDueAlerts } from '#shared/people/release.ts';
import { alert, SEEN } from './sample-alerts.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
/** `SEEN` is a Monday morning in Auckland. */
const FRIDAY_EVENING = SEEN + 4 * 24 * HOUR_MS + 9 * HOUR_MS;
/** At midnight in Auckland. */
const MONDAY = Date.parse('2026-11-22T11:00:00Z');
const PERIOD = '3_4711';
const REVERTED = 'workforce.timesheet.processing_reverted';
const PROCESSED = 'workforce.timesheet.processed';
const CLOSED = 'workforce.pay_period.closed';

const late = (number: number, values: Partial<Alert> = {}) =>
  alert(number, { waits: 'news', periods: [PERIOD], ...values });
const undone = alert(1, { type: REVERTED, waits: 'answer', periods: [PERIOD] });
const redone = alert(2, {
  ...{ type: PROCESSED, waits: 'news', periods: [PERIOD], restores: undone.id },
  ...{ subject: undone.subject, at: SEEN + 28 * MINUTE_MS },
});
const closed = (values: Partial<Alert> = {}) =>
  alert(9, { type: CLOSED, subject: PERIOD, line: 'Weekly closed.', at: SEEN + 30 * MINUTE_MS, ...values });

describe('what can wait for more of its pay period', () => {
  test('waits for an hour, and is then told with all that came meanwhile', () => {
    const second = late(2, { at: SEEN + 40 * MINUTE_MS });
    const waiting = [late(0, { at: SEEN }), second, late(3, { at: second.at, periods: ['4_4711'] })];
    expect(due(waiting, SEEN + HOUR_MS - 1)).toEqual([]);
    expect(due(waiting, SEEN + HOUR_MS)).toEqual(waiting.slice(0, 2));
  });

  test('is told with the closing of its period, and not with how far that is', () => {
    const reminder = closed({ type: 'workforce.pay_period.due' });
    const other = late(3, { periods: ['4_4711'] });
    const now = SEEN + 31 * MINUTE_MS;
    expect(due([undone, other, reminder], now)).toEqual([reminder]);
    expect(due([undone, other, closed()], now)).toEqual([undone, closed()]);
    expect(due([undone, other, closed({ connection: 'north' })], now)).toEqual([
      closed({ connection: 'north' }),
    ]);
  });

  test('is told at once with an urgent message about its period', () => {
    const reopened = closed({ type: 'workforce.pay_period.reopened', urgent: true });
    expect(due([undone, reopened], reopened.at)).toEqual([undone, reopened]);
  });

  test('waits over a weekend, on which nobody acts on it', () => {
    const waiting = [late(0, { at: FRIDAY_EVENING })];
    expect(due(waiting, MONDAY - 1)).toEqual([]);
    expect(due(waiting, MONDAY)).toEqual(waiting);
  });

  test('does not wait at the end of a run, or under a wrong clock', () => {
    const waiting = [late(0, { at: SEEN })];
    const now = SEEN + MINUTE_MS;
    expect(selectDueAlerts(waiting, {}, { now, scope: 'all' })).toEqual(waiting);
    expect(due([late(0, { at: SEEN + 48 * HOUR_MS })], now)).toHaveLength(1);
  });

  test('is told before anything else of its timesheet, and with it', () => {
    const changed = alert(5, { subject: undone.subject, type: 'workforce.timesheet.changed' });
    expect(due([undone, changed], changed.at + MINUTE_MS)).toEqual([undone, changed]);
  });

  test('as an open question goes on waiting when other news is told', () => {
    const waiting = [late(0, { at: SEEN }), { ...undone, at: SEEN + 50 * MINUTE_MS }];
    expect(due(waiting, SEEN + HOUR_MS)).toEqual(waiting.slice(0, 1));
  });

  test('stands below the news of its period, which is counted alone', () => {
    const [composed] = composeMessages([late(2), undone, closed(), late(3, { periods: ['4_4711'] })]);
    expect(composed?.message).toMatchObject({
      lines: ['Line 3.', 'Weekly closed.', 'Line 1.', 'Line 2.'],
      inner: [false, false, true, true],
      more: 0,
    });
    const [alone] = composeMessages([late(1), closed()]);
    expect(alone?.message).toMatchObject({ title: 'Weekly closed.', lines: ['Line 1.'] });
    expect(alone?.alertIds).toEqual(['alert-9', 'alert-1']);
  });
});

describe('a processing that was undone and done again with the same hours', () => {
  test('is told to nobody', () => {
    expect(due([undone, redone], undone.at + HOUR_MS)).toEqual([undone, redone]);
    expect(composeMessages([undone, redone])).toEqual([{ message: null, alertIds: ['alert-1', 'alert-2'] }]);
  });

  test.each([
    ['with other hours', [undone, { ...redone, restores: undefined }]],
    ['after a change', [undone, alert(7, { subject: undone.subject, at: undone.at + 1 }), redone]],
    ['after its period closed', [{ ...undone, waits: undefined }, redone]],
  ])('is told %s', (_, told) => {
    const [composed] = composeMessages(told as Alert[]);
    expect(composed?.message?.lines).toHaveLength(told.length);
  });
});

function due(waiting: readonly Alert[], now: number) {
  return selectDueAlerts(waiting, {}, { now, scope: 'due' });
}
