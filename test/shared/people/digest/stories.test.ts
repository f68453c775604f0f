import { describe, expect, test } from 'vitest';
import { buildAlert } from '#shared/people/build-alert.ts';
import { composeMessages } from '#shared/people/digest/digest.ts';
import { NO_NAMES } from '#shared/people/names/names.ts';
import { describableEventSchema } from '#shared/people/words/sentences.ts';
import { history, STAMP } from '#test/shared/core/events/history.ts';
import { APPROVED, PROCESSED } from '#test/shared/people/messages/sample-sentences.ts';
import { timesheet } from '#test/support/builders.ts';

type State = Parameters<typeof timesheet>[0];
const BAR = { id: '502_7' };
const AGAIN = { approvedHours: '2026-03-06T00:30:00.000Z' };
const NAMES = {
  ...NO_NAMES,
  employees: new Map([['2001_7', 'Blake 18']]),
  departments: new Map([
    ['501_7', 'Kitchen'],
    ['502_7', 'Bar'],
  ]),
};

describe('what happened to one timesheet is one line', () => {
  test.each<[State[], string]>([
    [
      [
        { ...PROCESSED, hoursToPay: 8.5 },
        { ...APPROVED, hoursToPay: 8.5 },
        { hoursToPay: 10 },
        { ...AGAIN, hoursToPay: 10 },
        { ...AGAIN, processed: STAMP, hoursToPay: 10 },
      ],
      '8.5 to 10 h (+1.5), processed again, approved again',
    ],
    [[{ hoursToPay: 8 }, { hoursToPay: 9 }, { hoursToPay: 7.75 }], '8 to 7.75 h (-0.25)'],
    [[{ hoursToPay: 8 }, { hoursToPay: 9 }, { hoursToPay: 8 }], 'hours as before (8 h)'],
    [
      [
        { departmentId: '501_7' },
        { department: BAR, hoursToPay: 9 },
        { department: BAR, hoursToPay: 9, ...APPROVED },
      ],
      '7.5 to 9 h (+1.5), department Kitchen to Bar, approved',
    ],
    [[{}, { casualJob: true }, { casualJob: false }], 'changed and changed back'],
    [
      [{}, APPROVED, { ...APPROVED, approvedPayroll: 'PAY-1' }],
      'approved, approved for payroll, 7.5 h to pay',
    ],
  ])('%j: %s', (states, effect) => {
    expect(tell(states).title).toBe(
      `Blake 18, ${states.at(-1)?.department === BAR ? 'Bar' : 'Kitchen'}, Thu 5 Mar: ${effect}.`,
    );
  });

  test('that is urgent when one of its alerts is, and names the connection where there are several', () => {
    const [first, ...others] = tellAlerts(
      [{ hoursToPay: 8 }, { hoursToPay: 9 }, { ...APPROVED, hoursToPay: 9 }],
      { namesConnection: true },
    );
    const told = first === undefined ? [] : [first, ...others.map((each) => ({ ...each, urgent: true }))];
    expect(composeMessages(told)[0]?.message).toMatchObject({
      title: 'main: Blake 18, Kitchen, Thu 5 Mar: 8 to 9 h (+1), approved.',
      heading: 'Blake 18, Kitchen, Thu 5 Mar: 8 to 9 h (+1), approved',
      urgent: true,
    });
  });

  test('which leads to the record where its address is known', () => {
    const message = tell(
      [{ hoursToPay: 8 }, { hoursToPay: 9 }],
      'https://time.acme.example/{timesheetId}?of={employeeId}',
    );
    expect(message).toMatchObject({ url: 'https://time.acme.example/1001_7?of=2001_7' });
  });
});

test('an alert without a story keeps its sentence', () => {
  const alerts = tellAlerts([{ hoursToPay: 8 }, { hoursToPay: 9 }, { hoursToPay: 7 }]);
  const [first, second] = alerts.map(({ story: _, ...alert }) => alert);
  if (first === undefined || second === undefined) throw new Error('two alerts are missing');
  expect(composeMessages([first, second])[0]?.message?.lines).toHaveLength(2);
});

describe('a long digest', () => {
  const numbers = Array.from({ length: 24 }, (_, number) => number);

  test('says numbers by department in place of sentences', () => {
    const approvals = numbers.flatMap((number) =>
      tellAlerts([{ hoursToPay: 8 }, { hoursToPay: 8, ...APPROVED }], {
        number,
        department: number % 3 === 0 ? '502_7' : '501_7',
      }),
    );
    const [revoked] = tellAlerts([{ hoursToPay: 4, ...APPROVED }, { hoursToPay: 4 }], { number: 99 });
    if (revoked === undefined) throw new Error('no revocation');
    expect(composeMessages([...approvals, revoked])[0]?.message).toMatchObject({
      title: '24 timesheets approved, 1 approval revoked',
      lines: [
        revoked.line,
        'Kitchen: 16 timesheets approved, 128 h; 16 not processed.',
        'Bar: 8 timesheets approved, 64 h; 8 not processed.',
      ],
      more: 0,
    });
  });

  test('says the difference of changed hours, and what is no longer approved', () => {
    const changes = numbers.flatMap((number) =>
      tellAlerts(
        [
          { hoursToPay: 8, ...APPROVED },
          { hoursToPay: 8.5, ...(number < 2 ? {} : APPROVED) },
        ],
        { number },
      ),
    );
    const [message] = composeMessages(changes);
    expect(message?.message?.lines).toEqual([
      'Kitchen: 24 timesheets changed, 204 h (+12); 2 not approved, 22 not processed.',
    ]);
  });

  test('lists urgent alerts and rare types one by one', () => {
    const urgent = tellAlerts([{ hoursToPay: 8 }, { hoursToPay: 9 }], { number: 50, urgent: true });
    const many = numbers.flatMap((number) => tellAlerts([{}, APPROVED], { number }));
    const lines = composeMessages([...many, ...urgent])[0]?.message?.lines;
    expect(lines).toEqual([urgent[0]?.line, expect.stringMatching(/^Kitchen: 24 timesheets approved/)]);
  });

  test('gathers departments beyond the twelfth', () => {
    const many = numbers.flatMap((number) =>
      tellAlerts([{ hoursToPay: 8 }, { hoursToPay: 8, ...APPROVED }], { number, department: `6${number}_7` }),
    );
    const lines = composeMessages(many)[0]?.message?.lines;
    expect(lines).toHaveLength(13);
    expect(lines?.at(-1)).toBe('12 other departments: 12 timesheets approved, 96 h; 12 not processed.');
  });
});

/** The one message about a timesheet that goes through these states. */
function tell(states: readonly State[], recordUrl?: string) {
  const [composed] = composeMessages(tellAlerts(states, { recordUrl }));
  if (composed?.message == null) throw new Error('no message');
  return composed.message;
}

interface Telling {
  readonly number?: number;
  readonly department?: string;
  readonly urgent?: boolean;
  readonly namesConnection?: boolean;
  readonly recordUrl?: string | undefined;
}

function tellAlerts(states: readonly State[], telling: Telling = {}) {
  const { number = 1, department, urgent = false, namesConnection = false, recordUrl } = telling;
  const inside = department === undefined ? {} : { department: { id: department } };
  const records = states.map((state) => timesheet({ ...inside, ...state }));
  const [first, ...others] = records;
  if (first === undefined) return [];
  return history(first, ...others).map((event, index) => {
    const match = { channel: 'payroll', urgent };
    const unique = { id: `${number}-${index}`, subject: `${number}_7` };
    const described = describableEventSchema.parse({ ...event, ...unique });
    return buildAlert(described, {
      match,
      names: NAMES,
      timeZone: 'Pacific/Auckland',
      namesConnection,
      recordUrl,
    });
  });
}
