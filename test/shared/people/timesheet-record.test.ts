import { describe, expect, test } from 'vitest';
import type { ShortEventType } from '#shared/core/event-types.ts';
import { toEventType } from '#shared/core/event-types.ts';
import { exampleEvent } from '#test/support/example-event.ts';
import {
  compose,
  EXAMPLE_NAMES,
  EXAMPLE_ZONE,
  printAll,
  waitingExample,
} from '#test/support/example-messages.ts';

import { CLOSED, type Data, hours, IN_MAIN, late, STAMP } from './late-examples.ts';

describe('a record', () => {
  test('says what is otherwise than before, whatever happened in between', () => {
    const events = [late('timesheet.changed', 2, hours(7.5, 9)), late('timesheet.changed', 3, hours(9, 8))];
    expect(printAll(compose(events, IN_MAIN))).toEqual([
      'Pay 0.5 h more to Ana Lee, Kitchen, Thu 12 Nov\n- 7.5 to 8 h (+0.5).\n- Weekly 9-15 Nov had closed.',
    ]);
  });

  test('that stands as before says nothing, and its events are done with', () => {
    const events = [late('timesheet.changed', 2, hours(7.5, 9)), late('timesheet.changed', 3, hours(9, 7.5))];
    expect(compose(events)).toEqual([{ message: null, eventIds: events.map(({ id }) => id) }]);
  });

  test('goes by the order of its events, not by when they were seen', () => {
    const [first, second] = [
      late('timesheet.changed', 2, hours(7.5, 9)),
      late('timesheet.changed', 3, hours(9, 8)),
    ];
    const swapped = [{ ...first, at: second.at + 5_000 }, second];
    expect(printAll(compose(swapped))).toEqual(printAll(compose([first, second])));
  });

  test('processed again says against which hours, and asks for nothing', () => {
    const settles = (paid: number) => [
      { id: 'f'.repeat(32), type: 'workforce.timesheet.processing_reverted', late: ['close'], hours: paid },
    ];
    const again = (paid: number) =>
      printAll(compose([waitingExample('timesheet.processed', { data: { settles: settles(paid) } })]));
    expect(again(8)).toEqual([
      'Ana Lee, Kitchen, Thu 12 Nov: processed again on Fri 13 Nov at 13:02, same hours',
    ]);
    expect(again(7.5)).toEqual([
      'Ana Lee, Kitchen, Thu 12 Nov: 8 h processed again on Fri 13 Nov at 13:02, +0.5 h',
    ]);
  });

  test('whose changes were seen at one look stood before all of them', () => {
    // Each event of a look has the timesheet as it is after all of them.
    const { observed } = exampleEvent(toEventType('timesheet.changed')).data;
    const { current } = hours(7.5, 8);
    const [changed, approved] = [
      late('timesheet.changed', 2, hours(7.5, 8)),
      late('timesheet.approved', 3, { current, observed }),
    ];
    expect(printAll(compose([changed, approved], IN_MAIN))).toEqual([
      'Pay 8 h of Ana Lee, Kitchen, Thu 12 Nov: approved after closing\n- 7.5 to 8 h (+0.5), approved.\n- Weekly 9-15 Nov had closed.',
    ]);
  });

  test('is in one message, also where only some of its events name the closed period', () => {
    const { current } = hours(8, 8);
    const [paid, again] = [
      { ...current, processed: STAMP },
      { ...current, processed: '2026-11-17T23:15:00.000Z' },
    ];
    const reverted = late('timesheet.processing_reverted', 2, {
      current: { ...paid, processed: null },
      previous: { processed: STAMP },
    });
    const settles = [
      { id: 'f'.repeat(32), type: 'workforce.timesheet.processing_reverted', late: ['close'] },
    ];
    const processed = waitingExample('timesheet.processed', {
      sequence: 3,
      data: { current: again, previous: { processed: null }, settles },
    });
    expect(printAll(compose([reverted, processed], IN_MAIN))).toEqual([]);
  });

  test('that was removed and added again differs in what it is now, and was not removed', () => {
    const { current } = hours(7.5, 7.5);
    const again = (subject: string, values: Data) => [
      late('timesheet.removed', 2, { current: null, previous: current, changed: [] }, subject),
      late(
        'timesheet.created',
        3,
        { current: { ...current, ...values }, previous: null, changed: [] },
        subject,
      ),
    ];
    expect(printAll(compose(again('1_1', {}), IN_MAIN))).toEqual([]);
    expect(printAll(compose(again('1_1', { date: '2026-11-13' }), IN_MAIN))[0]).toContain(
      'date Thu 12 Nov to Fri 13 Nov',
    );
    const many = Array.from({ length: 11 }, (_, place) => again(`${place}_1`, { hoursToPay: 8 })).flat();
    expect(printAll(compose(many, IN_MAIN))[0]).toContain('- Kitchen: 11 timesheets changed, 88 h (+5.5 h)');
  });

  test('that was changed and processed again is counted as processed', () => {
    const processed = { ...hours(7.5, 8).current, processed: STAMP };
    const both = (subject: string) => [
      late('timesheet.changed', 2, hours(7.5, 8), subject),
      late('timesheet.processed', 3, { current: processed, previous: { processed: null } }, subject),
    ];
    const many = Array.from({ length: 11 }, (_, place) => both(`${place}_1`)).flat();
    expect(printAll(compose(many, IN_MAIN))[0]).toContain(
      '- Kitchen: 11 timesheets processed, 88 h (+5.5 h)',
    );
  });

  test('that was given a fact which was taken back is not counted with it', () => {
    const facts = (subject: string) => [
      late('timesheet.clock_out_corrected', 2, {}, subject),
      late('timesheet.approved', 3, {}, subject),
      late(
        'timesheet.approval_revoked',
        4,
        { current: exampleEvent(toEventType('timesheet.clock_out_corrected')).data.current },
        subject,
      ),
    ];
    const many = Array.from({ length: 11 }, (_, place) => facts(`${place}_1`)).flat();
    expect(printAll(compose(many, IN_MAIN))[0]).not.toContain('revoked');
  });

  test('that was approved since the last message is not said to be changed after it was approved', () => {
    const { current } = hours(7.5, 7.5);
    const approved = late('timesheet.approved', 2, { current, previous: { approvedHours: null } });
    const changed = late('timesheet.changed', 3, { ...hours(7.5, 9), late: ['approval', 'close'] });
    expect(printAll(compose([approved, changed], IN_MAIN))).toEqual([
      'Pay 9 h of Ana Lee, Kitchen, Thu 12 Nov: approved after closing\n- 7.5 to 9 h (+1.5), approved.\n- Weekly 9-15 Nov had closed.',
    ]);
  });

  test.each<[string, ShortEventType, Data, string]>([
    [
      'approved',
      'timesheet.approved',
      {},
      'Pay 7.5 h of Ana Lee, Kitchen, Thu 12 Nov: approved after closing',
    ],
    [
      'revoked',
      'timesheet.approval_revoked',
      {},
      'Hold back 8 h of Ana Lee, Kitchen, Thu 12 Nov: no longer approved',
    ],
    [
      'reverted',
      'timesheet.processing_reverted',
      {},
      'Hold back 8 h of Ana Lee, Kitchen, Thu 12 Nov: its processing was undone',
    ],
    ['added', 'timesheet.created', {}, 'Approve 7.5 h of Ana Lee, Kitchen, Thu 12 Nov: added after closing'],
    ['removed', 'timesheet.removed', {}, 'Do not pay 8 h of Ana Lee, Kitchen, Thu 12 Nov: removed'],
    [
      'removed when paid',
      'timesheet.removed',
      { late: ['processing'] },
      'Recover 8 h from Ana Lee, Kitchen, Thu 12 Nov: removed',
    ],
    ['less', 'timesheet.changed', hours(8, 7), 'Recover 1 h from Ana Lee, Kitchen, Thu 12 Nov'],
    [
      'clocked',
      'timesheet.clock_out_corrected',
      {},
      'Check 7.5 h of Ana Lee, Kitchen, Thu 12 Nov: clock-out 17:04 to 17:30',
    ],
  ])('%s after it was paid begins with what to do', (_, type, data, action) => {
    expect(compose([late(type, 2, data)])[0]?.message?.heading).toBe(action);
  });

  test('of which it is not known whether it was late asks for nothing', () => {
    const closedPeriods = CLOSED.map((each) => ({ ...each, certain: false }));
    expect(printAll(compose([late('timesheet.approved', 2, { closedPeriods })]))).toEqual([
      expect.stringMatching(/^Ana Lee, Kitchen, Thu 12 Nov: [^\n]*$/),
    ]);
  });
});

describe('what is asked for', () => {
  const ANA = 'Ana Lee, Kitchen, Thu 12 Nov';
  const heading = (...events: readonly ReturnType<typeof late>[]) =>
    compose(events, IN_MAIN)[0]?.message?.heading;
  const state = (values: Data) => ({ ...hours(8, 8).current, approvedHours: null, ...values });
  const change = (sequence: number, before: number, current: Data) =>
    late('timesheet.changed', sequence, { ...hours(before, 8), current });

  test('is no pay where nobody approved or processed it', () => {
    expect(heading(change(2, 7.5, state({})))).toBe(`${ANA}: 7.5 to 8 h (+0.5)`);
  });

  test('is to hold back the hours that were ready before', () => {
    const { observed } = exampleEvent(toEventType('timesheet.changed')).data;
    const revoked = late('timesheet.approval_revoked', 2, { current: state({}), observed });
    expect(heading(revoked, change(3, 7.5, state({})))).toBe(`Hold back 7.5 h of ${ANA}: no longer approved`);
  });

  test('is nothing where it is processed as it is', () => {
    const current = state({ approvedHours: STAMP, processed: STAMP });
    const approved = late('timesheet.approved', 2, { current, previous: { approvedHours: null } });
    expect(heading(approved)).toMatch(new RegExp(`^${ANA}: `));
    const settles = [{ id: 'f'.repeat(32), type: 'workforce.timesheet.changed', late: ['close'] }];
    const processed = late('timesheet.processed', 3, {
      ...{ late: [], current, previous: { processed: null }, settles },
    });
    expect(heading(change(2, 7.5, state({ approvedHours: STAMP })), processed)).toBe(
      `${ANA}: 7.5 to 8 h (+0.5), processed`,
    );
  });

  test('goes by what came after it was processed again', () => {
    const settles = [
      { id: 'f'.repeat(32), type: 'workforce.timesheet.processing_reverted', late: ['close'], hours: 7 },
    ];
    const current = state({ hoursToPay: 7.5, approvedHours: STAMP, processed: STAMP });
    const processed = late('timesheet.processed', 2, {
      ...{ late: [], current, previous: { processed: null }, settles },
    });
    expect(heading(processed, change(3, 7.5, { ...current, hoursToPay: 8 }))).toBe(
      `Pay 0.5 h more to ${ANA}`,
    );
  });

  test('goes by what stood before, where its processing in between was undone', () => {
    const open = state({ approvedHours: STAMP });
    const paid = { ...open, processed: STAMP };
    const reverted = (sequence: number, current: Data) =>
      late('timesheet.processing_reverted', sequence, { current, previous: { processed: STAMP } });
    const again = late('timesheet.processed', 3, { current: paid, previous: { processed: null } });
    const first = reverted(2, { ...open, hoursToPay: 7.5 });
    expect(heading(first, again, reverted(4, open))).toBe(
      `Hold back 7.5 h of ${ANA}: its processing was undone`,
    );
  });

  test('is to check where it became the timesheet of somebody else', () => {
    const current = state({ approvedHours: STAMP, employeeId: '1030_1' });
    const moved = late('timesheet.changed', 2, {
      ...{ current, previous: { employeeId: '7_1', hoursToPay: 7.5 }, changed: ['employeeId', 'hoursToPay'] },
    });
    expect(heading(moved)).toBe(`Check 8 h of ${ANA}: 7.5 to 8 h (+0.5), employee 7_1 to Ana Lee`);
  });

  test('is to check where it moved into a closed pay period, or out of it', () => {
    const closedPeriods = [{ id: '9019_1', calendar: 'Weekly', effect: 'loses', hours: -7.5 }];
    const moved = late('timesheet.changed', 2, {
      ...{ closedPeriods, current: state({ approvedHours: STAMP, date: '2026-11-16' }) },
      ...{ previous: { date: '2026-11-12', hoursToPay: 7.5 }, changed: ['date', 'hoursToPay'] },
    });
    expect(heading(moved)).toMatch(/^Check 8 h of Ana Lee, Kitchen, Mon 16 Nov: 7.5 to 8 h/);
  });

  test('is nothing for no hours', () => {
    const current = state({ hoursToPay: 0, approvedHours: STAMP });
    expect(heading(late('timesheet.approved', 2, { current }))).toMatch(new RegExp(`^${ANA}: `));
    const removed = late('timesheet.removed', 2, { current: null, previous: current });
    expect(heading(removed)).toMatch(new RegExp(`^${ANA}: `));
  });
});

describe('what is said', () => {
  test('of one to check is said once', () => {
    expect(printAll(compose([late('timesheet.clock_out_corrected', 2)], IN_MAIN))).toEqual([
      'Check 7.5 h of Ana Lee, Kitchen, Thu 12 Nov: clock-out 17:04 to 17:30\n- Weekly 9-15 Nov had closed.',
    ]);
  });

  test('instead of a message that cannot be rendered counts all that it stands for', () => {
    const names = {
      ...EXAMPLE_NAMES,
      employees: { size: 1, get: () => fail() } as unknown as ReadonlyMap<string, string>,
    };
    const connections = new Map([['main', { timeZone: EXAMPLE_ZONE, names }]]);
    const events = ['1_1', '2_1', '3_1'].map((subject) => late('timesheet.approved', 2, {}, subject));
    expect(printAll(compose(events, { connections }))[0]).toMatch(/\nand 2 more$/);
  });
});

function fail(): never {
  throw new Error('on purpose');
}
