import { expect, test } from 'vitest';
import { createPeriodReader } from '#shared/people/flow/load-periods.ts';
import { EPOCH, payPeriod, textOf } from '#test/support/builders.ts';
import { createMemoryStore } from '#test/support/memory-store.ts';
import { seedStore } from '#test/support/seeded-store.ts';

test('the calendar and dates of the stored pay periods that are asked for', async () => {
  const store = createMemoryStore();
  const rows = ['1_7', '2_7'].map((id) => {
    return { id, epoch: EPOCH, sequence: 0, sent: {}, text: textOf(payPeriod({ id })) };
  });
  await seedStore(store, { slices: [{ feed: 'pay-periods', rows }] });
  const { calendar, startDate, finishDate } = payPeriod();
  expect([...(await createPeriodReader(store).load('main', ['2_7', '3_7']))]).toEqual([
    ['2_7', { calendar, startDate, finishDate }],
  ]);
  expect((await createPeriodReader(store).load('other', ['2_7'])).size).toBe(0);
});
