import { describe, expect, test } from 'vitest';
import { toEvents } from '#shared/core/events/events.ts';
import { findClosedPeriods } from '#shared/core/plan/pay-period-dates.ts';
import { STAMP } from '#test/shared/core/events/sample-events.ts';
import { CollectStage, createMessage } from '#test/shared/flow/collect-stage.ts';
import {
  clocking,
  createChange,
  createEventContext,
  hint,
  TIMESHEETS,
  timesheet,
} from '#test/support/builders.ts';

/** What payroll is changeEvents, by default, of what is new on dates whose pay period is closed, or still open. */

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
    ['a change', { ...late, hoursToPay: 7 }, [hint({ closed: true })], 'pay period closed (Weekly -1 h).'],
    ['a removal', null, [hint({ closed: true })], 'pay period closed (Weekly -8 h).'],
    ['another change', { ...late, overnight: true }, [hint({ closed: true })], 'pay period closed.'],
    [
      'another date',
      { ...late, hoursToPay: 7, date: '2026-03-06' },
      [hint({ closed: true })],
      'pay period closed.',
    ],
    [
      'a change in one of two periods',
      { ...late, hoursToPay: 7 },
      [hint({ closed: true }), hint({ id: '4_7', calendar: 'Monthly', closed: true })],
      'pay period closed (-1 h).',
    ],
  ] as const)('%s', async (...[, after, periods, words]) => {
    const stage = new CollectStage({ channels: [{ kind: 'slack', name: 'payroll', secretName: 's' }] });
    const context = createEventContext(TIMESHEETS, {
      findClosedPeriods: (date) => findClosedPeriods(periods, date),
    });
    const { texts } = toEvents(createChange(late, after), context);
    await stage.collect(texts.map((text) => createMessage(text)));
    expect((await stage.waiting('payroll'))[0]?.line).toContain(words);
  });
});

async function toldByDefault(closed: boolean): Promise<string[]> {
  const stage = new CollectStage({ channels: [{ kind: 'slack', name: 'payroll', secretName: 's' }] });
  const context = createEventContext(TIMESHEETS, {
    findClosedPeriods: (date) => findClosedPeriods([hint({ closed })], date),
  });
  let row = {};
  for (const [index, after] of STATES.entries()) {
    const before = STATES[index - 1] ?? null;
    const changeEvents = toEvents(createChange(before, after, { row, sequence: index }), context);
    row = { sequence: changeEvents.sequence, sent: changeEvents.row?.sent };
    expect(await stage.collect(changeEvents.texts.map((text) => createMessage(text)))).toEqual({
      failed: [],
    });
  }
  return (await stage.waiting('payroll')).map(({ line }) => line);
}
