import { describe, expect, test } from 'vitest';
import { exampleEvent } from '#test/support/example-event.ts';
import {
  compose,
  EXAMPLE_NAMES,
  EXAMPLE_ZONE,
  printAll,
  troubleData,
  waitingExample,
} from '#test/support/example-messages.ts';

import { hours, IN_MAIN, LATE, late } from './late-examples.ts';

describe('what belongs to one pay period', () => {
  const several = (count: number) =>
    Array.from({ length: count }, (_, place) => late('timesheet.approved', 2, {}, `${place}_1`));

  test('is one message: a handful line by line', () => {
    const [message = '', ...others] = printAll(compose(several(2), IN_MAIN));
    expect(others).toEqual([]);
    const lines = message
      .split('\n')
      .map((line) => /^- Ana Lee, Kitchen, Thu 12 Nov: |^Pay 15 h /.exec(line)?.[0]);
    expect(lines).toEqual(['Pay 15 h ', ...Array(2).fill('- Ana Lee, Kitchen, Thu 12 Nov: ')]);
  });

  test('beyond a handful by department', () => {
    expect(printAll(compose(several(300), IN_MAIN))).toEqual([
      'Pay 2,250 h of 300 timesheets of Weekly 9-15 Nov: approved after closing\n- Kitchen: 300 timesheets approved, 2,250 h',
    ]);
  });

  test('and asks for several things says by how much its hours differ', () => {
    const removed = late('timesheet.removed', 2, { departmentId: null }, '7_1');
    expect(compose([...several(1), removed], IN_MAIN)[0]?.message?.heading).toMatch(
      /^Weekly 9-15 Nov: [-+][\d.]+ h in 2 timesheets after it closed$/,
    );
  });

  test('goes with the news of the period, and what is in its figures is not asked for again', () => {
    const [message] = printAll(compose([...several(1), waitingExample('pay_period.settled')], IN_MAIN));
    expect(message).toContain('Pay 1,012 h for Weekly 9-15 Nov (30 people)\n');
    expect(message).toContain('- In these figures already:\n  - Ana Lee, Kitchen, Thu 12 Nov: ');
    expect(message).not.toContain('Pay 7.5 h');
  });

  test('and was seen after its figures were counted is not said to be in them', () => {
    const closed = waitingExample('pay_period.closed');
    const time = new Date(closed.at + 60_000).toISOString();
    const changed = waitingExample('timesheet.changed', { time, data: { ...LATE, ...hours(7.5, 8) } });
    const [message] = printAll(compose([closed, changed], IN_MAIN));
    expect(message).not.toContain('In these figures already');
    expect(message).toContain('not in these figures:\n  - Ana Lee, Kitchen, Thu 12 Nov: 7.5 to 8 h (+0.5)');
  });

  test('that was reopened and whose dates were never read is in doubt', () => {
    const reserves = [
      { kind: 'dates_unread', dates: { from: '2026-11-09', to: '2026-11-15' }, timesheets: null },
    ];
    const { account } = exampleEvent('workforce.pay_period.reopened').data;
    const reopened = waitingExample('pay_period.reopened', { data: { account: { ...account, reserves } } });
    expect(printAll(compose([reopened]))[0]).toContain('- In doubt: dates of 9-15 Nov are not read');
  });

  test('that was closed and reopened before anybody heard keeps what was to be held back', () => {
    const closed = waitingExample('pay_period.closed', { sequence: 3 });
    const reopened = waitingExample('pay_period.reopened', { sequence: 4 });
    const reverted = late('timesheet.processing_reverted', 2, { late: ['processing', 'close'] });
    const [message] = compose([closed, ...several(1), reverted, reopened], IN_MAIN);
    expect(message?.message?.heading).toBe(
      'Hold back 8 h of Ana Lee, Kitchen, Thu 12 Nov: its processing was undone',
    );
  });

  test('that was closed and reopened before anybody heard is as it was', () => {
    const closed = waitingExample('pay_period.closed', { sequence: 3 });
    const reopened = waitingExample('pay_period.reopened', { sequence: 4 });
    expect(printAll(compose([closed, reopened]))).toEqual([]);
  });

  test('and is told for the first time holds nothing against what nobody heard', () => {
    const closed = waitingExample('pay_period.closed', { sequence: 3 });
    const [message] = printAll(compose([closed, waitingExample('pay_period.settled', { sequence: 4 })]));
    expect(message).toBe(
      'Pay 1,012 h for Weekly 9-15 Nov (30 people)\n- Total 1,012 h in 135 timesheets of 30 people, the same in the workforce service.',
    );
  });

  test('is in its thread', () => {
    const [own] = compose([waitingExample('pay_period.closed')]);
    const [due] = compose([waitingExample('pay_period.due')]);
    const [both] = compose([
      waitingExample('pay_period.due'),
      waitingExample('pay_period.due', { subject: '7_1' }),
    ]);
    expect([own, due, both].map((each) => each?.message?.thread)).toEqual([
      'main#9019_1',
      'main#9019_1',
      undefined,
    ]);
  });
});

describe('what is due', () => {
  test('of a period that closed meanwhile is not asked for', () => {
    const told = printAll(compose([waitingExample('pay_period.due'), waitingExample('pay_period.closed')]));
    expect(told.map((each) => each.split('\n')[0])).toEqual([
      'Weekly 9-15 Nov closed: 987 h ready, 23.5 h not approved',
    ]);
  });

  test('of a period that was reopened before it is asked for', () => {
    const reopened = waitingExample('pay_period.reopened', { sequence: 2 });
    const time = new Date(reopened.at + 60_000).toISOString();
    const due = waitingExample('pay_period.due', { time });
    const headings = (...events: Parameters<typeof compose>[0]) =>
      printAll(compose(events)).map((each) => each.split('\n')[0]);
    const asked = expect.stringMatching(/^Approve 3 timesheets/);
    expect(headings(reopened, due)).toEqual([expect.stringMatching(/^Hold the pay file of/), asked]);
    expect(headings(waitingExample('pay_period.closed', { sequence: 1 }), reopened, due)).toEqual([asked]);
  });

  test('of several periods is one message, the nearest first', () => {
    const later = waitingExample('pay_period.due', {
      subject: '9014_1',
      data: {
        current: { ...exampleEvent('workforce.pay_period.due').data.current, calendar: 'Fortnightly' },
        account: { closesAt: '2026-11-17T01:30:00.000Z' },
      },
    });
    const [message] = printAll(compose([later, waitingExample('pay_period.due')]));
    expect(message).toMatch(/^Approve 3 timesheets by 10:30: /);
    expect(message).toContain('- Also Fortnightly 9-15 Nov: 3 timesheets by 14:30, 23.5 h of 3 people');
  });
});

describe('clockings', () => {
  const missing = (subject: string) => waitingExample('timesheet.clock_in_missing', { subject });
  const came = (subject: string) => {
    const { current } = exampleEvent('workforce.timesheet.clock_in_missing').data;
    const data = {
      current: { ...current, clockInMissing: null },
      previous: { clockIn: null, clockInMissing: current?.clockInMissing },
      changed: ['clockIn', 'clockInMissing'],
    };
    return waitingExample('timesheet.clocked_in', { subject, sequence: 9, data }, { endsClocking: true });
  };

  test('that are missing in the morning are one message that names all', () => {
    const [message] = printAll(compose(['1_1', '2_1', '3_1'].map(missing)));
    expect(message?.split('\n')).toEqual([
      '3 clock-ins missing',
      ...Array(3).fill('- Ana Lee, Kitchen, Fri 13 Nov: no clock-in, planned 09:00'),
    ]);
  });

  test('that came before anybody was told are nothing', () => {
    expect(printAll(compose([missing('1_1'), came('1_1')]))).toEqual([]);
  });

  test('of a timesheet that was removed are not missing any more', () => {
    const [absent] = [missing('1_1')];
    const { current } = JSON.parse(absent.text).data;
    const removed = waitingExample(
      'timesheet.removed',
      { subject: '1_1', sequence: 9, data: { current: null, previous: current, changed: [], late: [] } },
      { endsClocking: true },
    );
    expect(printAll(compose([absent, removed]))).toEqual([]);
    expect(printAll(compose([removed]))[0]).toMatch(/: removed .*\n- Nothing to do\.$/);
  });

  test('that were told as missing say how it ended', () => {
    expect(printAll(compose([came('1_1')]))[0]).toMatch(
      /^Ana Lee, Kitchen, .*clocked in.*\n- Nothing to do\.$/,
    );
  });
});

describe('troubles', () => {
  const trouble = (type: 'trouble.began' | 'trouble.ended', sequence: number) =>
    waitingExample(type, { sequence, data: troubleData('dates_unreadable', type) });

  test('that began and ended before anybody was told are nothing', () => {
    expect(printAll(compose([trouble('trouble.began', 2), trouble('trouble.ended', 3)]))).toEqual([]);
  });

  test('of one kind are one sentence', () => {
    const other = { ...troubleData('dates_unreadable', 'trouble.began'), about: ['2026-11-12'] };
    const second = waitingExample('trouble.began', { subject: '2026-11-12', sequence: 3, data: other });
    const [message] = printAll(compose([trouble('trouble.began', 2), second]));
    expect(message).toContain('We cannot see timesheets of Wed 11 Nov and Thu 12 Nov since');
  });
});

test('an event whose data cannot be read says where to look, and keeps nobody from the others', () => {
  const broken = { ...waitingExample('pay_period.closed'), text: '' };
  const event = { ...exampleEvent('workforce.pay_period.closed'), data: { payPeriodId: 7 } };
  const told = printAll(
    compose([
      { ...broken, text: JSON.stringify(event) },
      waitingExample('pay_period.due', { subject: '7_1' }),
    ]),
  );
  expect(told.map((each) => each.split('\n')[0])).toEqual([
    'Pay period 9019_1: a message cannot be shown',
    expect.stringMatching(/^Approve 3 timesheets/),
  ]);
});

test('of several connections each message says which', () => {
  const connections = new Map(
    ['main', 'south'].map((name) => [name, { timeZone: EXAMPLE_ZONE, names: EXAMPLE_NAMES }]),
  );
  expect(compose([waitingExample('pay_period.closed')], { connections })[0]?.message?.heading).toMatch(
    /^main: Weekly 9-15 Nov closed/,
  );
});

test('ids beyond 2,000 come without content, and urgent messages come first', () => {
  const many = Array.from({ length: 2_001 }, (_, place) => late('timesheet.approved', 2, {}, `${place}_1`));
  const urgent = waitingExample('pay_period.reopened', { subject: '7_1' }, { urgent: true });
  const composed = compose([...many, urgent]);
  expect(composed.map(({ message, eventIds }) => [message?.urgent ?? null, eventIds.length])).toEqual([
    [true, 1],
    [false, 2_000],
    [null, 1],
  ]);
});

test('what cannot be rendered says where to look, with the error, and keeps nobody from the others', () => {
  const names = {
    ...EXAMPLE_NAMES,
    employees: { size: 1, get: () => fail() } as unknown as ReadonlyMap<string, string>,
  };
  const connections = new Map([['main', { timeZone: EXAMPLE_ZONE, names }]]);
  const composed = compose(
    [late('timesheet.approved', 2), waitingExample('pay_period.settled', { subject: '7_1' })],
    {
      connections,
    },
  );
  expect(composed.map(({ message, error }) => [message?.heading, error])).toEqual([
    ['Timesheet 101550_1: a message cannot be shown', new Error('on purpose')],
    [expect.stringMatching(/^Pay 1,012 h for /), undefined],
  ]);
});

function fail(): never {
  throw new Error('on purpose');
}
