import { expect, test } from 'vitest';
import type { FeedName } from '#shared/core/feeds.ts';
import type { LearnedPace } from '#shared/core/snapshot/learned-state.ts';
import { payPeriod, timesheet } from '#test/support/builders.ts';
import { PollHarness } from '#test/support/poll-harness.ts';

const SLOW: LearnedPace = {
  ...{ rate: 0.1, measured: false, climbed: 0, width: 3, isWidthLimited: false, refusalCost: 1 },
  ...{ blockedUntil: 0, at: 0 },
};

/** One credential has one pace: else a feed that is read with a request a minute holds the other one at its lowest. */
test('the pace that a poll begins with is what a poll of either feed learned last', async () => {
  const harness = new PollHarness();
  harness.put(timesheet());
  harness.payPeriods = () => [payPeriod()];
  const pollWith = async (feed: FeedName, climbed: number): Promise<number | null> => {
    harness.pace = { ...SLOW, climbed, at: harness.now };
    harness.resumedPace = null;
    await harness.poll({ feed });
    const resumed = harness.resumedPace as LearnedPace | null;
    return resumed?.climbed ?? null;
  };
  expect(await pollWith('timesheets', 1)).toBeNull();
  expect(await pollWith('pay-periods', 2)).toBe(1);
  expect(await pollWith('timesheets', 3)).toBe(2);
  expect(await pollWith('timesheets', 4)).toBe(3);
  expect(await pollWith('pay-periods', 5)).toBe(4);
});

test('the page size that is too large is what a poll of the same feed found', async () => {
  const harness = new PollHarness();
  harness.put(timesheet());
  harness.payPeriods = () => [payPeriod()];
  const tooLarge = { pageSize: 1_000, at: harness.now };
  harness.pace = { ...SLOW, at: harness.now, tooLarge };
  await harness.poll({ feed: 'timesheets' });
  // The other feed learned later, and began before the state above was saved.
  harness.pace = { ...SLOW, at: harness.now + 1, climbed: 7 };
  await harness.poll({ feed: 'pay-periods' });
  await harness.poll({ feed: 'timesheets' });

  expect(harness.resumedPace).toMatchObject({ climbed: 7, tooLarge });
});
