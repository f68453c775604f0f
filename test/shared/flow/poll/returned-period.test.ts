import { expect, test } from 'vitest';
import { MINUTE_MS, payPeriod, type SampleRecord, timesheet } from '#test/support/builders.ts';
import { PollHarness } from '#test/support/poll-harness.ts';

const FEED = { feed: 'pay-periods' } as const;
const CLOSED = { closed: '2026-03-05T00:00:00.000Z' };

test('a pay period that is removed and returns as closed as before has its closing told once', async () => {
  const { harness, show } = await closedPeriod();
  await show(null);
  expect(harness.news()).toContain('pay_period.removed 3_7');
  await show(CLOSED);
  expect(harness.published[0]?.data.current).toMatchObject(CLOSED);
  expect(harness.news()).toEqual(['pay_period.created 3_7']);
  await show({ closed: null });
  expect(harness.news()).toEqual(['pay_period.reopened 3_7']);
  await show({ closed: '2026-03-05T01:00:00.000Z' });
  expect(stages(harness)).toEqual(['closed_again 2']);
});

test('one that returns with another closing has that told, as one after the first', async () => {
  const { harness, show } = await closedPeriod();
  await show(null);
  harness.news();
  await show({ closed: '2026-03-05T01:00:00.000Z' });
  expect(stages(harness)).toEqual(['closed_again 2']);
  expect(harness.news()).toContain('pay_period.closed 3_7');
});

async function closedPeriod() {
  const harness = new PollHarness();
  const show = async (values: Partial<SampleRecord> | null) => {
    const others = [payPeriod({ id: '2_7', startDate: '2026-02-23', finishDate: '2026-03-01' })];
    harness.payPeriods = () => (values === null ? others : [...others, payPeriod(values)]);
    harness.now += 5 * MINUTE_MS;
    await harness.poll(FEED);
    // A closing is told once its dates were read after it was seen.
    await harness.poll({ scope: 'window' });
    await harness.poll(FEED);
  };
  harness.put(timesheet());
  await harness.poll();
  await show({ closed: null });
  harness.news();
  await show(CLOSED);
  expect(stages(harness)).toEqual(['closed 1']);
  return { harness, show };
}

function stages({ published }: PollHarness): string[] {
  return published.flatMap(({ type, data }) => {
    const { stage, closings } = (data.statement ?? {}) as { stage?: string; closings?: number };
    return type.endsWith('.statement') ? [`${stage} ${closings}`] : [];
  });
}
