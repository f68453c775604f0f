import { expect, test } from 'vitest';
import { readPerson } from '#console/server/people/read-person.ts';
import { addDays, toLocalDate } from '#shared/core/dates.ts';
import { payPeriod, timesheet } from '#test/support/builders.ts';
import { createFakeContext, createFakeLog, NOW } from './fake-log.ts';
import { watchTimesheets } from './watched-timesheets.ts';

/** What its page shows is in pages.test.ts. */

test('the dates are this pay period and the last, of each calendar', async () => {
  const today = toLocalDate(NOW, 'UTC');
  const period = (id: string, from: number) =>
    payPeriod({ id, startDate: addDays(today, from), finishDate: addDays(today, from + 6) });
  const context = await watchTimesheets({
    payPeriods: [period('1_7', -17), period('2_7', -10), period('3_7', -3), period('4_7', 4)],
    timesheets: [
      timesheet({ id: '1_7', employeeId: '2001_7', date: addDays(today, -10) }),
      timesheet({ id: '2_7', employeeId: '2001_7', date: addDays(today, 3) }),
      timesheet({ id: '3_7', employeeId: '2001_7', date: addDays(today, -11) }),
      timesheet({ id: '4_7', employeeId: '2002_7', date: today }),
    ],
  });
  const answer = await readPerson({ id: '2001_7', connection: 'main' }, context);
  expect(answer).toMatchObject({ from: addDays(today, -10), to: addDays(today, 3), name: null });
  expect(answer.timesheets.map(({ id }) => id)).toEqual(['2_7', '1_7']);
});

test('without pay periods and timesheets there are dates and nothing else', async () => {
  const answer = await readPerson({ id: 'nobody', connection: 'main' }, createFakeContext(createFakeLog()));
  expect(answer).toMatchObject({
    from: '2026-11-06',
    to: '2026-11-27',
    since: '2026-10-30T00:00:00.000Z',
    timesheets: [],
    changes: [],
  });
});
