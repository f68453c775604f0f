import { expect, test } from 'vitest';
import { clocking, DATE, timesheet } from '#test/support/builders.ts';
import { PollHarness } from '#test/support/poll-harness.ts';

test('the first poll stores a baseline and tells that alone; the next one tells what changed', async () => {
  const harness = new PollHarness();
  harness.put(timesheet({ id: '1_7' }));
  expect(await harness.poll()).toMatchObject({ outcome: 'complete', baselined: ['timesheets'] });
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
