import { describe, expect, test } from 'vitest';
import { buildSampleEvent } from '#cli/sample-events/sample-events.ts';
import type { Alert } from '#shared/alerts/alert.ts';
import { buildAlert } from '#shared/alerts/build-alert.ts';
import { composeMessages } from '#shared/alerts/digest/digest.ts';
import { describableEventSchema } from '#shared/core/definitions/sentences.ts';
import { NO_NAMES } from '#shared/names/names.ts';
import { buildEvents, STAMP } from '#test/shared/core/events/sample-events.ts';
import { clocking, createChange, PAY_PERIODS, payPeriod, timesheet } from '#test/support/builders.ts';
import { alert } from '../sample-alerts.ts';

const SLICE = '2026-11-13';
const FIRST_SEEN = Date.parse('2026-11-15T00:17:00.811Z');
const CONFIRMED = Date.parse('2026-11-15T00:19:00.367Z');
const MASS = alertFor(buildSampleEvent('slice.mass_change'));

describe('a digest with a mass change', () => {
  test('is one message of one line, which says how many alerts it stands for', () => {
    const composed = composeMessages([...members(41), MASS]);
    expect(composed).toHaveLength(1);
    expect(composed[0]?.alertIds).toHaveLength(42);
    expect(composed[0]?.message).toMatchObject({
      title:
        'All at once, 41 of 55 timesheets of Fri 13 Nov lost their approval (seen at 13:17, confirmed at 13:19). 41 alerts about it are not listed separately.',
      lines: [],
      more: 0,
      urgent: false,
    });
  });

  test('keeps everything else beside it', () => {
    const other = alert(90, { type: 'workforce.pay_period.closed', at: CONFIRMED, department: null });
    const composed = composeMessages([...members(12), other, MASS]);
    expect(composed[0]?.message?.title).toBe('1 pay period closed, 1 mass change');
    expect(composed[0]?.message?.lines).toEqual([
      'Line 90.',
      expect.stringMatching(/ 12 alerts about it are not listed separately\.$/),
    ]);
  });

  test('is urgent when one of those it stands for is', () => {
    const [first, ...others] = members(3);
    const message = composeMessages([{ ...first, urgent: true } as Alert, ...others, MASS])[0]?.message;
    expect(message).toMatchObject({ urgent: true, lines: [] });
  });

  test('that stands for none says nothing of it', () => {
    expect(composeMessages([MASS])[0]?.message?.title).toBe(MASS.line);
  });

  test.each<[string, Partial<Alert>]>([
    ['of another slice', { lost: { slice: '2026-11-14', fields: ['approvedHours'] } }],
    ['of another fact', { lost: { slice: SLICE, fields: ['processed'] } }],
    ['of more than that', { lost: { slice: SLICE, fields: ['approvedHours', 'shiftId'] } }],
    ['of another connection', { connection: 'north' }],
    ['seen before', { at: FIRST_SEEN - 1 }],
    ['seen after', { at: CONFIRMED + 1 }],
  ])('does not stand for what is %s', (_name, values) => {
    const message = composeMessages([...members(1, values), ...members(2).slice(1), MASS])[0]?.message;
    expect(message?.lines).toHaveLength(2);
    expect(message?.lines).toContain('Line 1.');
    expect(message?.lines.join()).toContain(' 1 alert about it is not listed separately.');
  });
});

describe('what a record lost', () => {
  test.each([
    [timesheet({ approvedHours: STAMP }), timesheet(), ['approvedHours']],
    [timesheet({ clockIn: clocking() }), timesheet(), ['clockIn']],
    [timesheet({ shift: { id: '9_7', name: 'Early' } }), timesheet(), ['shiftId']],
  ])('is in its alert: %#', (before, after, fields) => {
    const [event] = buildEvents(createChange(before, after));
    expect(alertFor(JSON.stringify(event)).lost).toEqual({ slice: '2026-03-05', fields });
  });

  test('of a pay period is of the whole list', () => {
    const [event] = buildEvents(createChange(payPeriod({ closed: '2026-03-09' }), payPeriod()), PAY_PERIODS);
    expect(alertFor(JSON.stringify(event)).lost).toEqual({ slice: 'all', fields: ['closed'] });
  });

  test.each([
    [timesheet({ hoursToPay: 8 }), timesheet({ hoursToPay: 9 })],
    [timesheet(), timesheet({ approvedHours: STAMP })],
    [timesheet({ shift: { id: '9_7', name: 'Early' } }), timesheet({ hoursToPay: 9 })],
    [timesheet(), null],
    [null, timesheet()],
  ])('is nothing when a value came or became another: %#', (before, after) => {
    const [event] = buildEvents(createChange(before, after));
    expect(alertFor(JSON.stringify(event)).lost).toBeUndefined();
  });
});

/** Revocations of different timesheets that the mass change stands for. */
function members(count: number, values: Partial<Alert> = {}): Alert[] {
  return Array.from({ length: count }, (_, index) =>
    alert(index + 1, {
      type: 'workforce.timesheet.approval_revoked',
      at: CONFIRMED,
      lost: { slice: SLICE, fields: ['approvedHours'] },
      ...values,
    }),
  );
}

function alertFor(text: string): Alert {
  return buildAlert(describableEventSchema.parse(JSON.parse(text)), {
    match: { channel: 'payroll', urgent: false },
    names: NO_NAMES,
    timeZone: 'Pacific/Auckland',
    namesConnection: false,
  });
}
