import { expect, test } from 'vitest';
import { readPeriod } from '#console/server/periods/read-period.ts';
import { createPeriodReader } from '#console/server/periods/read-periods.ts';
import { addDays, toIso, toLocalDate } from '#shared/core/dates.ts';
import { NO_NAMES } from '#shared/names/names.ts';
import { payPeriod, timesheet } from '#test/support/builders.ts';
import { PollHarness } from '#test/support/poll-harness.ts';
import { createFakeContext, createFakeLog, NOW } from './fake-log.ts';

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
async function watch(...sheets: readonly object[]) {
  const harness = new PollHarness({ startAt: toIso(NOW - 120_000) });
  harness.payPeriods = () => [payPeriod(PERIOD)];
  harness.put(...sheets.map((values, index) => timesheet({ id: `${index + 1}_7`, date: TODAY, ...values })));
  await harness.poll({ feed: 'pay-periods', scope: 'window' });
  await harness.poll({ scope: 'window' });
  const { store } = harness;
  const stored = await store.loadFeedState({ connection: 'main', feed: 'pay-periods' });
  const known = {
    connection: 'main',
    timeZone: 'UTC',
    names: NO_NAMES,
    payPeriods: stored?.state.payPeriods ?? [],
    states: { timesheets: null, 'pay-periods': stored?.state ?? null },
  };
  return createFakeContext(createFakeLog(), {
    store,
    knowledge: { load: async () => known, loadAll: async () => [known] },
  });
}
