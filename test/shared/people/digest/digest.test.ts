import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Alert, channelMessageSchema } from '#shared/people/alert.ts';
import { composeMessages } from '#shared/people/digest/digest.ts';
import { alert, alerts, SEEN } from '../sample-alerts.ts';

const REVOKED = 'workforce.timesheet.approval_revoked';
const CLOSED = 'workforce.pay_period.closed';
const UNREACHABLE = 'workforce.trouble.began';
const RECOVERED = 'workforce.trouble.ended';

describe('alerts of a channel', () => {
  test('that are none make no message', () => {
    expect(composeMessages([])).toEqual([]);
  });

  test('of which there is one are reported by its sentence', () => {
    expect(composeMessages([alert(1, { urgent: true })])).toEqual([
      {
        alertIds: ['alert-1'],
        message: {
          id: '35d5f47ac0b6f559a5be908d520e5f2f',
          title: 'Line 1.',
          lines: [],
          more: 0,
          urgent: true,
          at: SEEN + 1_000,
          timeZone: 'Pacific/Auckland',
        },
      },
    ]);
  });

  test('keep the heading of one, and have none together', () => {
    const closed = alert(1, { type: CLOSED, heading: 'Closed' });
    expect(composeMessages([closed])[0]?.message).toMatchObject({ title: 'Line 1.', heading: 'Closed' });
    expect(composeMessages([closed, alert(2)])[0]?.message?.heading).toBeUndefined();
  });

  test('of one type are counted, with the first lines and how many there are more', () => {
    const [composed, ...others] = composeMessages(alerts(57));
    expect(others).toEqual([]);
    expect(composed?.alertIds).toHaveLength(57);
    expect(composed?.message).toMatchObject({
      title: '57 timesheets approved in 4 departments',
      lines: Array.from({ length: 10 }, (_, index) => `Line ${index + 1}.`),
      more: 47,
      urgent: false,
      at: SEEN + 57_000,
    });
  });

  test('that waited for the news of their pay period are counted with it where that has no line', () => {
    const closed = (subject: string, number: number) =>
      alert(number, { type: CLOSED, subject, department: null });
    const others = Array.from({ length: 10 }, (_, index) => closed(`${index + 1}_10`, index + 1));
    const waiting = alerts(3, { waits: 'news', periods: ['99_10'] }, 40);
    const message = only([...others, closed('99_10', 30), ...waiting]);
    expect(message.title).toBe('11 pay periods closed');
    expect(message.lines).toHaveLength(10);
    expect(message.more).toBe(4);
  });

  test('of several types are counted by type, the rarest reported first', () => {
    const revoked = alerts(3, { type: REVOKED }, 100);
    const message = only([...alerts(57), ...revoked, alert(200, { type: CLOSED, department: null })]);
    expect(message.title).toBe('57 timesheets approved, 3 approvals revoked, 1 pay period closed');
    expect(message.lines.slice(0, 5)).toEqual([
      'Line 200.',
      'Line 100.',
      'Line 101.',
      'Line 102.',
      'Line 1.',
    ]);
    expect(message.more).toBe(51);
  });

  test('that are urgent come first in the title and in the lines', () => {
    const urgent = alerts(2, { type: 'workforce.pay_period.reopened', urgent: true, department: null }, 50);
    const message = only([alert(60, { type: CLOSED }), ...alerts(5), ...urgent]);
    expect(message.title).toBe('2 pay periods reopened, 5 timesheets approved, 1 pay period closed');
    expect(message.lines.slice(0, 3)).toEqual(['Line 50.', 'Line 51.', 'Line 60.']);
    expect(message.urgent).toBe(true);
  });

  test('of one record keep their order, whatever is urgent or rare', () => {
    const closed = alert(1, { type: CLOSED, subject: '3_7' });
    const reopened = alert(9, { type: 'workforce.pay_period.reopened', subject: '3_7', urgent: true });
    expect(only([closed, alert(5), reopened]).lines).toEqual(['Line 1.', 'Line 9.', 'Line 5.']);

    const approvals = alerts(3, {}, 20);
    const [revoked, again] = [alert(2, { type: REVOKED, subject: '1_7' }), alert(3, { subject: '1_7' })];
    const { lines } = only([alert(1, { subject: '1_7' }), revoked, again, ...approvals]);
    expect(lines.slice(0, 3)).toEqual(['Line 1.', 'Line 2.', 'Line 3.']);
  });

  test('are reported in the order in which they were seen, in whatever order they come', () => {
    const message = only([alert(3), alert(1), alert(2)]);
    expect(message.lines).toEqual(['Line 1.', 'Line 2.', 'Line 3.']);
    expect(message.at).toBe(SEEN + 3_000);
  });

  test('of one record are in the order of its events, whatever the clocks of their polls said', () => {
    const own = (at: number, values: Partial<Alert>) => alert(at, { subject: '3_7', ...values });
    const [before, after] = ['2026-11-15T21:00:00.000Z', '2026-11-15T21:01:00.000Z'];
    const closed = own(1, { type: CLOSED, epoch: after, sequence: 1 });
    const reminder = own(5, { type: 'workforce.pay_period.due', epoch: before, sequence: 7 });
    const reopened = own(3, { type: 'workforce.pay_period.reopened', epoch: after, sequence: 2 });
    const { lines } = only([reminder, reopened, closed]);
    expect(lines).toEqual(['Line 1.', 'Line 3.']);
    const approved = alert(9, { isFirst: true, epoch: before, sequence: 1, subject: '1_7' });
    const revoked = alert(8, {
      type: REVOKED,
      reverses: approved.id,
      epoch: before,
      sequence: 2,
      subject: '1_7',
    });
    expect(composeMessages([approved, revoked]).map(({ message }) => message)).toEqual([null]);
  });

  test('of one record are one record in the title', () => {
    const [first, second] = alerts(2, { type: 'workforce.timesheet.changed', subject: '1_7' });
    expect(only([alert(9, { type: CLOSED }), ...both(first, second)]).title).toBe(
      '1 timesheet changed, 1 pay period closed',
    );
    expect(only(both(first, { ...alert(2), ...second, connection: 'other' })).title).toBe(
      '2 timesheets changed in 2 departments',
    );
  });

  test.each<[Partial<Alert>[], string]>([
    [[{ department: 'Kitchen' }, { department: 'Kitchen' }], '2 timesheets approved in 1 department'],
    [[{ department: 'Kitchen' }, { department: null }], '2 timesheets approved'],
    [[{ department: null, irreversible: true }], '2 timesheets approved after closing'],
    [
      [
        { department: null, irreversible: true, perhapsLate: true },
        { department: null, irreversible: true },
      ],
      '2 timesheets approved, perhaps after closing',
    ],
    [[{ department: null, irreversible: true }, { department: null }], '2 timesheets approved'],
    [
      [{ irreversible: true }, { type: 'workforce.timesheet.payroll_approved', irreversible: true }],
      '1 timesheet approved, 1 timesheet approved for payroll after closing',
    ],
    [
      [{ irreversible: true }, { type: 'workforce.timesheet.processing_reverted', irreversible: true }],
      '1 timesheet approved after closing, 1 timesheet no longer processed',
    ],
    [[{ type: 'workforce.timesheet.clocked_in', department: null }], '2 clock-ins'],
    [[{ type: 'workforce.trouble.began', subject: null, department: null }], '2 troubles'],
  ])('like %j have the title %j', ([one = {}, other = one], title) => {
    expect(only([alert(1, one), alert(2, other)]).title).toBe(title);
  });

  test('of very many types are counted by the first four', () => {
    const types = ['created', 'changed', 'approved', 'processed', 'removed', 'clocked_in'] as const;
    const many = types.flatMap((type, at) =>
      alerts(types.length - at, { type: `workforce.timesheet.${type}` }, at * 10),
    );
    expect(only(many).title).toBe(
      '6 timesheets added, 5 timesheets changed, 4 timesheets approved, 3 timesheets processed, 3 more',
    );
  });
});

describe('what was taken back', () => {
  const record = (number: number, values: Partial<Alert>) => alert(number, { subject: '1_7', ...values });
  const approve = (number: number) => record(number, { isFirst: true });
  const revoke = (number: number, reverses: string) => record(number, { type: REVOKED, reverses });

  test('within the batch is reported neither as done nor as revoked', () => {
    const [composed] = composeMessages([approve(1), revoke(2, 'alert-1'), alert(3)]);
    expect(composed?.message).toMatchObject({ title: 'Line 3.', lines: [], more: 0 });
    expect(composed?.alertIds).toEqual(['alert-3', 'alert-1', 'alert-2']);
  });

  test('and done again is reported once', () => {
    expect(only([approve(1), revoke(2, 'alert-1'), approve(3)]).title).toBe('Line 3.');
    const twice = [approve(1), revoke(2, 'alert-1'), approve(3), revoke(4, 'alert-3'), approve(5)];
    expect(only(twice).title).toBe('Line 5.');
  });

  test('step by step is reported in no step', () => {
    const payroll = record(2, { type: 'workforce.timesheet.payroll_approved', isFirst: true });
    const back = record(3, { type: 'workforce.timesheet.payroll_approval_revoked', reverses: payroll.id });
    expect(composeMessages([approve(1), payroll, back, revoke(4, 'alert-1')])).toMatchObject([
      { message: null },
    ]);
  });

  test('of which nothing is left makes no message, but is done with', () => {
    expect(composeMessages([revoke(2, 'alert-1'), approve(1)])).toEqual([
      { message: null, alertIds: ['alert-1', 'alert-2'] },
    ]);
  });

  test('is reported when what it reverses was reported before', () => {
    expect(only([revoke(2, 'alert-0')]).title).toBe('Line 2.');
  });

  test('is reported when it was an approval over another: the earlier one still counted', () => {
    expect(only([record(1, {}), revoke(2, 'alert-1')]).lines).toEqual(['Line 1.', 'Line 2.']);
  });

  test('is reported when something that stays happened in between', () => {
    const changed = record(2, { type: 'workforce.timesheet.changed' });
    expect(only([approve(1), changed, revoke(3, 'alert-1')]).lines.toSorted()).toEqual([
      'Line 1.',
      'Line 2.',
      'Line 3.',
    ]);
  });

  test('is reported when a rule makes it urgent', () => {
    const urgent = { ...revoke(2, 'alert-1'), urgent: true };
    expect(only([approve(1), urgent])).toMatchObject({ lines: ['Line 1.', 'Line 2.'], urgent: true });
  });

  test('is reported when its record was processed, or its period closed, by then', () => {
    const late = { ...revoke(2, 'alert-1'), irreversible: true };
    expect(only([approve(1), late]).lines).toEqual(['Line 1.', 'Line 2.']);
  });

  test.each<[Alert['type'], Alert['type']]>([
    [CLOSED, 'workforce.pay_period.reopened'],
    ['workforce.timesheet.processed', 'workforce.timesheet.processing_reverted'],
    ['workforce.timesheet.clocked_in', 'workforce.timesheet.clock_in_removed'],
  ])('is reported when it is %s: somebody may have acted on it', (type, back) => {
    const done = record(1, { type });
    const taken = record(2, { type: back, reverses: done.id });
    expect(only([done, taken]).lines.toSorted()).toEqual([done.line, taken.line]);
  });

  test('takes nothing but one back', () => {
    expect(only([approve(1), revoke(2, 'alert-1'), revoke(3, 'alert-1')]).title).toBe('Line 3.');
    expect(only([revoke(4, 'alert-4')]).title).toBe('Line 4.');
  });
});

describe('a source that does not answer', () => {
  const say = (number: number, type: Alert['type']) =>
    alert(number, { type, subject: null, department: null });

  test('is reported for each list that it does not give, and for each that it gives again', () => {
    const message = only([say(1, UNREACHABLE), say(2, UNREACHABLE), say(3, RECOVERED)]);
    expect(message.title).toBe('2 troubles, 1 trouble over');
    expect(message.lines).toEqual(['Line 3.', 'Line 1.', 'Line 2.']);
  });
});

describe('a message', () => {
  test('has an id that is computed from its alerts, in whatever order they come', () => {
    const id = only(alerts(3)).id;
    expect(id).toMatch(/^[0-9a-f]{32}$/);
    expect(only(alerts(3).reverse()).id).toBe(id);
    expect(only(alerts(4)).id).not.toBe(id);
  });

  test('stands for all there are; ids beyond 2,000 are kept beside it', () => {
    const [shown, ...beside] = composeMessages(alerts(5_000));
    expect(shown).toMatchObject({
      message: { title: '5,000 timesheets approved in 4 departments', more: 4_990 },
    });
    expect(beside.map(({ message }) => message)).toEqual([null, null]);
    expect([shown, ...beside].map((each) => each?.alertIds.length)).toEqual([2_000, 2_000, 1_000]);
  });

  test('is empty when thousands were approved and all revoked', () => {
    const undone = alerts(2_500, { isFirst: true }).flatMap((one) => [
      one,
      { ...one, id: `no-${one.id}`, type: REVOKED, reverses: one.id } as const,
    ]);
    expect(composeMessages(undone).map(({ message, alertIds }) => [message, alertIds.length])).toEqual([
      [null, 2_000],
      [null, 2_000],
      [null, 1_000],
    ]);
  });

  test('is what is stored, and every alert is in exactly one, whatever the alerts are', () => {
    const some = fc.array(
      fc.record({
        type: fc.constantFrom(
          REVOKED,
          CLOSED,
          UNREACHABLE,
          RECOVERED,
          'workforce.timesheet.approved' as const,
        ),
        at: fc.integer({ min: 0, max: 5 }),
        urgent: fc.boolean(),
        isFirst: fc.boolean(),
        reverses: fc.option(fc.integer({ min: 0, max: 30 }).map((number) => `alert-${number}`)),
      }),
      { maxLength: 30 },
    );
    fc.assert(
      fc.property(some, (values) => {
        const given = values.map((each, number) => alert(number, each));
        const composed = composeMessages(given);
        const ids = composed.flatMap(({ alertIds }) => alertIds);
        expect([...ids].sort()).toEqual(given.map(({ id }) => id).sort());
        for (const { message } of composed) {
          if (message !== null) expect(channelMessageSchema.parse(message)).toEqual(message);
        }
      }),
      { seed: 33, numRuns: 500 },
    );
  });
});

/** The one message there is. */
function only(given: readonly Alert[]) {
  const [composed, ...others] = composeMessages(given);
  if (composed?.message == null || others.length > 0) throw new Error('not one message');
  return composed.message;
}

function both(first: Alert | undefined, second: Alert | undefined): Alert[] {
  return [first, second].filter((each) => each !== undefined);
}
