import { describe, expect, test } from 'vitest';
import { PROCESSING_FINISHED } from '#shared/alerts/alert.ts';
import { computeProcessingFinishedId } from '#shared/processing/processing.ts';
import { createMessage, only } from '#test/shared/alerts/flow/collect-stage.ts';
import { history } from '#test/shared/core/events/sample-events.ts';
import {
  createDateHead,
  createStage,
  END,
  OFFICE,
  PAYROLL,
  PERIOD,
  processed,
  week,
} from '#test/shared/flow/poll/sample-week.ts';
import { DAY_MS, hint, MINUTE_MS, payPeriod, NOW as SEEN } from '#test/support/builders.ts';

describe('a period that is not over', () => {
  test('is not finished until midnight after its last day, in the zone of its connection', async () => {
    const stage = createStage();
    stage.now = END - MINUTE_MS;
    await stage.collect([createMessage(processed())]);
    expect(await stage.waiting('payroll')).toEqual([]);

    stage.now = END;
    await stage.collect([createMessage(processed())]);
    expect(await stage.waiting('payroll')).toHaveLength(1);
  });

  test('is reported once when it is over and anything is processed, on whatever date', async () => {
    const stage = createStage();
    stage.now = SEEN;
    await stage.collect([createMessage(processed())]);
    expect(await stage.alertStore.loadProcessing('main', PERIOD.id)).toEqual({
      revision: 1,
      finished: false,
      times: 0,
    });

    stage.now = END + DAY_MS;
    for (const _ of [1, 2]) await stage.collect([createMessage(processed('2026-03-09'))]);

    expect((await stage.waiting('payroll')).map(({ id }) => id)).toEqual([
      computeProcessingFinishedId('main', PERIOD.id, 1),
    ]);
  });

  test('is not reported by what is processed later, when something was added meanwhile', async () => {
    const stage = createStage();
    stage.now = SEEN;
    await stage.collect([createMessage(processed())]);

    stage.now = END;
    stage.heads = [...week().slice(0, 6), createDateHead('2026-03-08', [null])];
    await stage.collect([createMessage(processed('2026-03-09'))]);

    expect(await stage.waiting('payroll')).toEqual([]);
  });

  test.each([
    ['that never was all processed', hint(), END],
    ['that closed', hint({ closed: true }), END],
    ['that ended long ago', hint(), END + 36 * DAY_MS],
  ])('and one %s is not checked for what is on other dates', async (_name, period, now) => {
    const stage = createStage();
    stage.periods = [period];
    stage.now = now;

    await stage.collect([createMessage(processed('2026-03-09'))]);

    expect(await stage.waiting('payroll')).toEqual([]);
    expect(await stage.alertStore.loadProcessing('main', PERIOD.id)).toBeNull();
  });

  test('is over when it is closed', async () => {
    const stage = createStage();
    stage.now = SEEN;
    stage.periods = [hint({ closed: true })];

    await stage.collect([createMessage(processed())]);

    expect(await stage.waiting('payroll')).toHaveLength(1);
  });
});

describe('when a period closes of which all was processed before', () => {
  test('that is reported, even before the period is known to be closed', async () => {
    for (const periods of [[], [PERIOD]]) {
      const stage = createStage();
      stage.now = SEEN;
      stage.periods = periods;
      await stage.collect([createMessage(processed())]);

      await stage.collect([createMessage(closed())]);

      expect(await stage.waiting('payroll')).toMatchObject([
        {
          id: computeProcessingFinishedId('main', PERIOD.id, 1),
          type: PROCESSING_FINISHED,
          line: 'Pay period Weekly 2-8 Mar: all 2 timesheets are processed.',
        },
      ]);
    }
  });

  test('it is not reported to channels that the closing itself informs, then or later', async () => {
    const stage = createStage({
      channels: [PAYROLL, OFFICE],
      rules: [
        { types: [PROCESSING_FINISHED] },
        { types: ['workforce.pay_period.closed'], channels: ['payroll'] },
      ],
    });
    stage.now = SEEN;

    await stage.collect([createMessage(closed({ unprocessed: 0 }))]);
    stage.periods = [hint({ closed: true })];
    await stage.collect([createMessage(processed())]);

    const told = async (channel: string) => (await stage.waiting(channel)).map(({ type }) => type);
    expect(await told('payroll')).toEqual(['workforce.pay_period.closed']);
    expect(await told('office')).toEqual([PROCESSING_FINISHED]);
    expect(await stage.alertStore.loadProcessing('main', PERIOD.id)).toMatchObject({
      finished: true,
      times: 1,
    });
  });

  test.each([
    ['has no numbers', null],
    ['does not know all dates', { complete: false, unprocessed: 0 }],
    ['does not know all its members', { members: 'partly', membersUnknown: 3, unprocessed: 0 }],
    ['counted an older look', { unprocessed: 1 }],
  ])('it is reported besides a closing that %s', async (_name, manifest) => {
    const stage = createStage({ rules: [{ types: [PROCESSING_FINISHED, 'workforce.pay_period.closed'] }] });
    stage.now = SEEN;

    await stage.collect([createMessage(closed(manifest))]);

    expect((await stage.waiting('payroll')).map(({ type }) => type).toSorted()).toEqual([
      'workforce.pay_period.closed',
      PROCESSING_FINISHED,
    ]);
  });

  test('and not when something is left, until that is processed', async () => {
    const stage = createStage();
    stage.now = SEEN;
    stage.heads = [...week().slice(0, 6), createDateHead('2026-03-08', [null])];
    await stage.collect([createMessage(closed())]);
    expect(await stage.waiting('payroll')).toEqual([]);

    stage.periods = [hint({ closed: true })];
    stage.heads = week();
    await stage.collect([createMessage(processed())]);
    expect(await stage.waiting('payroll')).toHaveLength(1);
  });
});

test('a period that was finished, was opened again and processed again before its end, is reported again when it is over', async () => {
  const stage = createStage();
  stage.now = SEEN;
  await stage.collect([createMessage(closed())]);
  // Open again: nobody concludes anything of the opening itself.
  await stage.collect([createMessage(processed())]);
  expect(await stage.alertStore.loadProcessing('main', PERIOD.id)).toMatchObject({
    finished: false,
    times: 1,
  });

  stage.now = END;
  await stage.collect([createMessage(processed('2026-03-09'))]);

  expect(await stage.waiting('payroll')).toHaveLength(2);
  expect(await stage.alertStore.loadProcessing('main', PERIOD.id)).toMatchObject({
    finished: true,
    times: 2,
  });
});

/** The closing of the period: with such numbers, or without any. */
function closed(manifest: object | null = null) {
  const event = only(history(payPeriod(), payPeriod({ closed: '2026-03-05' })));
  if (manifest === null) return event;
  const closeManifest = {
    ...{ complete: true, missing: null, asOf: '2026-03-05T01:00:00.000Z', timesheets: 2, employees: 1 },
    ...{ approved: 2, unapproved: 0, processed: 2, hoursToPay: 15, sharesDatesWith: [], leftovers: [] },
    ...manifest,
  };
  return { ...event, data: { ...event.data, closeManifest } };
}
