import { expect, test } from 'vitest';
import { readPeriod } from '#console/server/periods/read-period.ts';
import { createPeriodReader } from '#console/server/periods/read-periods.ts';
import { addDays, toLocalDate } from '#shared/core/dates.ts';
import { payPeriod, timesheet } from '#test/support/builders.ts';
import { NOW } from './fake-log.ts';
import { watchTimesheets } from './watched-timesheets.ts';

const TODAY = toLocalDate(NOW, 'UTC');
const PERIOD = { startDate: addDays(TODAY, -3), finishDate: addDays(TODAY, 3) };
const STAMP = `${TODAY}T00:00:00.000Z`;

test('what is left over is not approved or not processed, each timesheet once', async () => {
  const context = await watch(
    { approvedHours: STAMP, processed: STAMP },
    { approvedHours: STAMP },
    { processed: STAMP },
    {},
  );
  const { periods } = await createPeriodReader(context)();
  expect(periods).toMatchObject([{ id: '3_7', timesheets: 4, approved: 2, processed: 2, leftOver: 3 }]);
  const { row, people } = await readPeriod({ id: '3_7', connection: 'main' }, context);
  expect(row).toEqual(periods[0]);
  expect(people.map(({ timesheets }) => timesheets)).toEqual([3]);
});

/** What the console reads from, once timesheets of the period with these values were seen. */
function watch(...sheets: readonly object[]) {
  return watchTimesheets({
    payPeriods: [payPeriod(PERIOD)],
    timesheets: sheets.map((values, index) => timesheet({ id: `${index + 1}_7`, date: TODAY, ...values })),
  });
}
