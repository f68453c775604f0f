import { describe, expect, test } from 'vitest';
import { DATE, DAY_MS, payPeriod, type SampleRecord, timesheet } from '#test/support/builders.ts';
import { PollHarness } from '#test/support/poll-harness.ts';

const CLOSED = '2026-03-05T00:00:00.000Z';

describe('a record that the list has twice, in turn', () => {
  test('and differently closed keeps its state: it is told once, and when it is read again', async () => {
    const period = payPeriod();
    const copies = [period, { ...period, closed: CLOSED }];
    const harness = new PollHarness();
    const show = (periods: readonly SampleRecord[]) => {
      harness.payPeriods = () => periods;
    };
    show([period]);
    await harness.poll({ feed: 'pay-periods' });
    harness.news();
    for (let polls = 0; polls < 6; polls += 1) {
      show(copies.reverse());
      await harness.poll({ feed: 'pay-periods' });
    }
    expect(harness.news()).toEqual([`began records_unreadable ${period.id}`]);
    const { payPeriods, coverage } = await harness.state('pay-periods');
    expect(payPeriods).toMatchObject([{ id: period.id, closed: false }]);
    expect(Object.keys(coverage.all?.unseen ?? {})).toEqual([period.id]);
    show([{ ...period, closed: CLOSED }]);
    await harness.poll({ feed: 'pay-periods' });
    const news = harness.news();
    expect(news).toContain(`ended records_unreadable ${period.id}`);
    expect(news.filter((each) => /closed|reopened/.test(each))).toEqual([`pay_period.closed ${period.id}`]);
  });

  test('is not taken for removed, and other records go on', async () => {
    const harness = new PollHarness({ connection: { window: { backDays: 1, forwardDays: 1 } } });
    harness.put(timesheet({ id: '1_7' }), timesheet({ id: '2_7' }));
    await harness.poll();
    harness.news();
    const twice = (records: readonly SampleRecord[]) =>
      records.flatMap((record) => (record.id === '1_7' ? [record, { ...record, hoursToPay: 1 }] : [record]));
    let isReversed = false;
    harness.listed = (records) => (isReversed ? twice(records).toReversed() : twice(records));
    for (let polls = 0; polls < 3; polls += 1) {
      isReversed = !isReversed;
      harness.change({ hoursToPay: polls }, ['2_7']);
      expect((await harness.poll()).outcome).toBe('complete');
    }
    expect(harness.requests.byId).toBe(0);
    expect(harness.published[2]?.data).toMatchObject({ about: ['1_7'], cause: 'listed_twice' });
    expect(harness.news()).toEqual([
      ...['timesheet.changed 2_7', 'timesheet.changed 2_7'],
      ...['began records_unreadable 1_7', 'timesheet.changed 2_7'],
    ]);
    harness.now += DAY_MS;
    await harness.poll();
    expect(harness.news()).toEqual([]);
    harness.listed = (records) => records;
    await harness.poll();
    expect(harness.news()).toEqual(['ended records_unreadable 1_7']);
    expect((await harness.state()).coverage[DATE]?.unseen).toBeUndefined();
  });
});
