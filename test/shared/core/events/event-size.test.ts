import { expect, test } from 'vitest';
import { toEvents } from '#shared/core/events/events.ts';
import { clocking, createChange, createEventContext, detail, timesheet } from '#test/support/builders.ts';
import { history, STAMP } from './history.ts';

test('an event has at most 1.5 KB in the median of a day like any other, and never more than 2.1 KB', () => {
  const sizes = aDay()
    .map((text) => Buffer.byteLength(text))
    .sort((a, b) => a - b);
  expect(sizes.length).toBeGreaterThan(50);
  expect(sizes[Math.floor(sizes.length / 2)]).toBeLessThanOrEqual(1_500);
  expect(sizes.at(-1)).toBeLessThanOrEqual(2_100);
});

/** What ten people make of a day: rostered, clocked in and out, corrected now and then, approved and paid. */
function aDay(): string[] {
  return Array.from({ length: 10 }, (_, n) => {
    const id = `91000${n}_4711`;
    const base = timesheet({
      id,
      employeeId: `20${n}1_4711`,
      details: [detail(), detail({ id: '8002_4711' })],
    });
    const inAt = { ...base, clockIn: clocking({ id: `70${n}1_4711` }) };
    const out = { ...inAt, clockOut: clocking({ id: `70${n}2_4711`, localTime: '2026-03-05T17:02:10' }) };
    const changed = n % 4 === 0 ? { ...out, hoursToPay: 7.75, details: [detail({ hours: 7.75 })] } : out;
    const approved = { ...changed, approvedHours: STAMP };
    const payroll = { ...approved, approvedPayroll: `PAY-2026-03-${n}` };
    const created = toEvents(createChange(null, base), createEventContext()).texts;
    const life = history(base, inAt, out, changed, approved, payroll, { ...payroll, processed: STAMP });
    return [...created, ...life.map((event) => JSON.stringify(event))];
  }).flat();
}
