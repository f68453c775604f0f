import { expect, test } from 'vitest';
import { clocking, DATE, timesheet } from '#test/support/builders.ts';
import { PollHarness } from '#test/support/poll-harness.ts';

test('the first poll stores a baseline and tells that alone; the next one tells what changed', async () => {
  const harness = new PollHarness();
  harness.put(timesheet({ id: '1_7' }));
  expect(await harness.poll()).toMatchObject({ outcome: 'complete', baselined: ['timesheets'] });
  expect(harness.published).toMatchObject([{ data: { records: 1 } }]);
  expect(harness.news()).toEqual(['baseline.completed']);
  harness.change({ approvedHours: '2026-03-05T01:00:30Z', clockIn: clocking() });
  harness.put(timesheet({ id: '2_7', date: DATE }));
  await harness.poll();
  expect(harness.news().sort()).toEqual([
    'timesheet.approved 1_7',
    'timesheet.clocked_in 1_7',
    'timesheet.created 2_7',
  ]);
  await harness.poll();
  expect(harness.news()).toEqual([]);
});

test('dates that were never read share a request only as far as they fit on a page', async () => {
  const ranges = async (timesheets: number) => {
    const harness = new PollHarness({ connection: { requests: { pageSize: 400 } } });
    for (let n = 0; n < timesheets; n += 1)
      harness.put(timesheet({ id: `${n}_7`, date: harness.day(n % 3 === 0 ? 1 : 0) }));
    await harness.poll();
    return harness.asked.map(({ range }) => `${range?.from.slice(-2)}-${range?.to.slice(-2)}`);
  };
  expect(await ranges(390)).toEqual(['04-06']);
  expect(await ranges(420)).toEqual(['04-06', '04-04', '05-05', '06-06']);
});
