import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { eventSchema } from '#shared/core/events/event-schemas.ts';
import { payPeriod, timesheet } from '#test/support/builders.ts';
import { type Event, history, LATER, present, STAMP } from './sample-events.ts';

const APPROVED = { approvedHours: STAMP, approvedPayroll: 'P-1' };
const PAID = timesheet({ ...APPROVED, processed: STAMP });

describe('processing settles', () => {
  test('what was taken back since it was processed before, and the last late change', () => {
    const events = history(
      PAID,
      timesheet({ ...APPROVED }),
      timesheet({ approvedHours: STAMP }),
      timesheet({}),
      timesheet({ hoursToPay: 9 }),
      timesheet({ hoursToPay: 9, approvedHours: LATER }),
      timesheet({ hoursToPay: 9.5, approvedHours: LATER }),
      timesheet({ hoursToPay: 9.5, approvedHours: LATER, processed: LATER }),
    );
    const [reverted, payroll, revoked, , , changed] = events;
    expect(events.at(-1)?.data.settles).toEqual([
      settled(reverted, ['approval', 'processing']),
      settled(payroll, ['approval']),
      settled(revoked, ['approval']),
      settled(changed, ['approval']),
    ]);
    expect(events.slice(0, -1).some(({ data }) => 'settles' in data)).toBe(false);
  });

  test('a change of what was processed, also when the stamp is only replaced', () => {
    const events = history(PAID, { ...PAID, hoursToPay: 9 }, { ...PAID, hoursToPay: 9, processed: LATER });
    expect(events[1]?.data.settles).toEqual([settled(events[0], ['approval', 'processing'])]);
  });

  test('nothing the first time, and nothing twice', () => {
    expect(history(timesheet(APPROVED), PAID)[0]?.data).not.toHaveProperty('settles');
    const again = { ...PAID, processed: LATER };
    const events = history(PAID, timesheet(APPROVED), PAID, again);
    expect(events.map(({ data }) => 'settles' in data)).toEqual([false, true, false]);
  });

  test('earlier events alone, each of which left something open, whatever happens', () => {
    fc.assert(
      fc.property(fc.array(present, { minLength: 1, maxLength: 12 }), (states) => {
        const events = history(timesheet(), ...states);
        for (const [index, event] of events.entries()) expectRight(event, events.slice(0, index));
      }),
    );
  });
});

test('the closing of a pay period settles its reopening, and nothing else', () => {
  const [open, closed] = [payPeriod(), payPeriod({ closed: '2026-03-09' })];
  const renamed = { ...closed, calendar: 'Other' };
  const events = history(open, closed, renamed, open, closed, { ...closed, closed: '2026-03-11' });
  expect(events.map(({ type }) => type.split('.').at(-1))).toEqual([
    ...['closed', 'changed', 'reopened', 'changed', 'closed', 'closed'],
  ]);
  expect(events.map(({ data }) => data.settles)).toEqual([
    ...[undefined, undefined, undefined, undefined],
    [settled(events[2], ['close'])],
    undefined,
  ]);
});

function expectRight(event: Event, earlier: readonly Event[]): void {
  const settles = (event.data.settles ?? []) as ReturnType<typeof settled>[];
  if (settles.length === 0) return;
  expect(event.type).toBe('workforce.timesheet.processed');
  expect(eventSchema('timesheet.processed').shape.data.safeParse(event.data).error).toBeUndefined();
  for (const { id, type, late } of settles) {
    const open = earlier.find((each) => each.id === id);
    expect([open?.type, open?.data.late]).toEqual([type, late]);
  }
}

function settled(event: Event | undefined, late: readonly string[]) {
  return { id: event?.id, type: event?.type, late };
}
