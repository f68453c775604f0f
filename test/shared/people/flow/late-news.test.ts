import { describe, expect, test } from 'vitest';
import { toEvents } from '#shared/core/events/events.ts';
import { PERHAPS_CLOSE } from '#shared/people/messages/timesheet-story.ts';

import {
  clocking,
  createChange,
  createEventContext,
  createPeriodFinder,
  knownPeriod,
  NOW,
  TIMESHEETS,
  timesheet,
} from '#test/support/builders.ts';
import { CollectStage, createMessage } from './collect-stage.ts';

/** What payroll is changeEvents, by default, of what is new on dates whose pay period is closed, or still open. */

const STAMP = '2026-03-05T00:30:00.000Z';
const STATES = [
  timesheet(),
  timesheet({ clockIn: clocking() }),
  timesheet({ clockIn: clocking(), approvedHours: STAMP }),
  timesheet({ clockIn: clocking(), approvedHours: STAMP, approvedPayroll: 'P-1' }),
  timesheet({ clockIn: clocking(), approvedHours: STAMP, approvedPayroll: 'P-1', processed: STAMP }),
];

test('a timesheet that is added, clocked in and approved after the close is reported each time', async () => {
  expect(await toldByDefault(true)).toEqual([
    expect.stringMatching(/ was added: .*, after its pay period closed \(Weekly \+7\.5 h\)\.$/),
    expect.stringMatching(/ clocked in .*, recorded after its pay period closed\.$/),
    expect.stringMatching(/ was approved .*, after its pay period closed\.$/),
    expect.stringMatching(/ was approved for payroll .*, after its pay period closed\.$/),
    // Settled: it was added late.
    expect.stringMatching(/ was processed .* to pay\.$/),
  ]);
});

test('nothing of it is reported while the period is open', async () => {
  expect(await toldByDefault(false)).toEqual([]);
});

describe('hours that change after the close are told with what the period differs by', () => {
  const late = timesheet({ hoursToPay: 8 });
  test.each([
    [
      'a change',
      { ...late, hoursToPay: 7 },
      [knownPeriod({ closed: true })],
      'pay period closed (Weekly -1 h).',
    ],
    ['a removal', null, [knownPeriod({ closed: true })], 'pay period closed (Weekly -8 h).'],
    ['another change', { ...late, overnight: true }, [knownPeriod({ closed: true })], 'pay period closed.'],
    [
      'another date of the period',
      { ...late, hoursToPay: 7, date: '2026-03-06' },
      [knownPeriod({ closed: true })],
      'pay period closed (Weekly -1 h).',
    ],
    [
      'a date of another period',
      { ...late, hoursToPay: 7, date: '2026-03-10' },
      [
        knownPeriod({ closed: true }),
        knownPeriod({
          id: '5_7',
          calendar: 'Late',
          startDate: '2026-03-09',
          finishDate: '2026-03-15',
          closed: true,
        }),
      ],
      'pay period closed (Weekly -8 h, Late +7 h).',
    ],
    [
      'another employee, where it is not known to which period either belongs',
      { ...late, hoursToPay: 7, employeeId: '2002_7' },
      [knownPeriod({ closed: true }), knownPeriod({ id: '4_7', calendar: 'Monthly', closed: true })],
      'pay period closed.',
    ],
    [
      'a change that may have come before the close',
      { ...late, hoursToPay: 7 },
      [knownPeriod({ closed: true, closedBetween: { after: 0, by: NOW - 1 } })],
      ', perhaps after its pay period closed (Weekly -1 h).',
    ],
    [
      'a change of approved hours that may have come before the close',
      { ...late, approvedHours: STAMP, hoursToPay: 7 },
      [knownPeriod({ closed: true, closedBetween: { after: 0, by: NOW - 1 } })],
      ', perhaps after its pay period closed (Weekly -1 h).',
    ],
    [
      'a change in one of two periods',
      { ...late, hoursToPay: 7 },
      [knownPeriod({ closed: true }), knownPeriod({ id: '4_7', calendar: 'Monthly', closed: true })],
      'pay period closed (-1 h).',
    ],
  ] as const)('%s', async (...[, after, periods, words]) => {
    const stage = new CollectStage({ channels: [{ kind: 'slack', name: 'payroll', secretName: 's' }] });
    const context = createEventContext(TIMESHEETS, {
      findPeriods: createPeriodFinder(periods),
    });
    const { texts } = toEvents(createChange(late, after), context);
    await stage.collect(texts.map((text) => createMessage(text)));
    const [alert] = await stage.waiting('payroll');
    expect(alert?.line).toContain(words);
    expect(alert?.perhapsLate === true).toBe(words.includes('perhaps'));
    expect(alert?.story?.late.includes(PERHAPS_CLOSE)).toBe(words.includes('perhaps'));
  });
});

async function toldByDefault(closed: boolean): Promise<string[]> {
  const stage = new CollectStage({ channels: [{ kind: 'slack', name: 'payroll', secretName: 's' }] });
  const context = createEventContext(TIMESHEETS, {
    findPeriods: createPeriodFinder([knownPeriod({ closed })]),
  });
  let row = {};
  for (const [index, after] of STATES.entries()) {
    const before = STATES[index - 1] ?? null;
    const changeEvents = toEvents(createChange(before, after, { row }), context);
    row = { ...changeEvents.row };
    expect(await stage.collect(changeEvents.texts.map((text) => createMessage(text)))).toEqual({
      failed: [],
    });
  }
  return (await stage.waiting('payroll')).map(({ line }) => line);
}
