import { describe, expect, test } from 'vitest';
import { PROCESSING_FINISHED } from '#shared/alerts/alert.ts';
import { INSERT_FENCE } from '#shared/core/commit/insert-fence.ts';
import { createHead, type SliceHead } from '#shared/core/snapshot/snapshot.ts';
import { computeProcessingFinishedId } from '#shared/processing/processing.ts';
import { type CollectStage, createMessage, only } from '#test/shared/alerts/flow/collect-stage.ts';
import { buildEvents, history, STAMP } from '#test/shared/core/events/sample-events.ts';
import {
  createDateHead,
  createStage,
  END,
  OFFICE,
  PAYROLL,
  PERIOD,
  processed,
  WEEK,
  week,
} from '#test/shared/flow/poll/sample-week.ts';
import { createChange, DAY_MS, hint, NOW as SEEN, timesheet } from '#test/support/builders.ts';
import { crashAtEveryCall, crashable } from '#test/support/crashable.ts';

describe('when the last timesheet of a period that is over is processed', () => {
  test('every channel with a rule gets it once, in its words', async () => {
    const stage = createStage({
      channels: [PAYROLL, OFFICE],
      rules: [
        { types: [PROCESSING_FINISHED], channels: ['payroll'], words: 'Well done: {sentence}' },
        { types: [PROCESSING_FINISHED], urgent: true, channels: ['office'] },
      ],
    });

    await stage.collect([createMessage(processed())]);
    await stage.collect([createMessage(processed())]);

    const [forOffice] = await stage.waiting('office');
    expect(await stage.waiting('office')).toEqual([
      {
        id: computeProcessingFinishedId('main', PERIOD.id, 1),
        type: 'workforce.processing.finished',
        connection: 'main',
        timeZone: 'Pacific/Auckland',
        at: SEEN,
        line: 'Pay period Weekly 2-8 Mar: all 2 timesheets are processed.',
        heading: 'Pay period Weekly 2-8 Mar is processed completely',
        strong: ['Weekly 2-8 Mar'],
        urgent: true,
        subject: PERIOD.id,
        reverses: null,
        department: null,
      },
    ]);
    expect(await stage.waiting('payroll')).toMatchObject([
      { line: `Well done: ${forOffice?.line}`, urgent: false },
    ]);
    expect(stage.lines.map(({ added }) => added)).toEqual([2, 0]);
  });

  test('the events themselves go to channels with a rule for them', async () => {
    const stage = createStage({ rules: [{ types: ['workforce.timesheet.processed'] }] });

    await stage.collect([createMessage(processed())]);

    expect(await stage.waiting('payroll')).toMatchObject([{ type: 'workforce.timesheet.processed' }]);
  });

  test('each period that covers the date is checked', async () => {
    const stage = createStage();
    stage.periods = [PERIOD, hint({ id: '4_7', startDate: '2026-03-05', finishDate: '2026-03-06' })];

    await stage.collect([createMessage(processed())]);

    expect((await stage.waiting('payroll')).map(({ subject }) => subject).toSorted()).toEqual(['3_7', '4_7']);
  });

  test('of periods with the same dates it is said which is meant, and that the others are counted too', async () => {
    const stage = createStage();
    const later = hint({ id: '5_7', startDate: '2026-03-09', finishDate: '2026-03-15' });
    stage.periods = [PERIOD, hint({ id: '4_7', calendar: 'Casuals' }), later];

    await stage.collect([createMessage(processed())]);

    const note = '(counts all timesheets of these dates, other calendars included)';
    expect(await linesOf(stage)).toEqual([
      `Pay period Casuals 2-8 Mar: all 2 timesheets are processed ${note}.`,
      `Pay period Weekly 2-8 Mar: all 2 timesheets are processed ${note}.`,
    ]);
  });

  test('of a period without a calendar only the dates are said', async () => {
    const stage = createStage();
    stage.periods = [{ ...PERIOD, calendar: '' }];

    await stage.collect([createMessage(processed())]);

    expect(await linesOf(stage)).toEqual(['Pay period 2-8 Mar: all 2 timesheets are processed.']);
  });

  test('removing the last one that was not processed does as well', async () => {
    const stage = createStage();

    await stage.collect([createMessage(only(buildEvents(createChange(timesheet(), null))))]);

    expect(await stage.waiting('payroll')).toHaveLength(1);
  });
});

describe('when a timesheet that is not processed moves to a date of another period', () => {
  const moved = only(history(timesheet(), timesheet({ date: '2026-03-10' })));
  const NEXT = hint({ id: '5_7', startDate: '2026-03-09', finishDate: '2026-03-15' });
  const NEXT_WEEK = ['09', '10', '11', '12', '13', '14', '15'].map((day) => `2026-03-${day}`);

  test('the one that it leaves may be finished by that', async () => {
    const stage = createStage();
    stage.periods = [PERIOD, NEXT];
    stage.heads = [
      ...week(),
      ...NEXT_WEEK.map((date) => createDateHead(date, date === '2026-03-10' ? [null] : [])),
    ];

    await stage.collect([createMessage(moved)]);

    expect(await stage.waiting('payroll')).toMatchObject([
      { id: computeProcessingFinishedId('main', PERIOD.id, 1) },
    ]);
  });

  test('the one that it comes to no longer is', async () => {
    const stage = createStage();
    stage.periods = [PERIOD, NEXT];
    stage.now = END + 7 * DAY_MS;
    stage.heads = [...week(), ...NEXT_WEEK.map((date) => createDateHead(date, [STAMP]))];
    await stage.collect([createMessage(processed('2026-03-10'))]);
    expect(await stage.alertStore.loadProcessing('main', NEXT.id)).toMatchObject({
      finished: true,
      times: 1,
    });

    stage.heads = [
      ...week(),
      ...NEXT_WEEK.map((date) => createDateHead(date, date === '2026-03-10' ? [STAMP, null] : [STAMP])),
    ];
    await stage.collect([createMessage(moved)]);

    expect(await stage.alertStore.loadProcessing('main', NEXT.id)).toMatchObject({
      finished: false,
      times: 1,
    });
  });

  test('a change that leaves it on its date is not checked', async () => {
    const stage = createStage();
    const changed = only(history(timesheet(), timesheet({ hoursToPay: 8 })));
    const untouched = () => Promise.reject(new Error('looked at'));
    const store = { loadFeedState: untouched, loadHeads: untouched };
    const alertStore = { ...stage.ports.alertStore, loadProcessing: untouched, add: untouched };

    const result = await stage.collect([createMessage(changed)], { ...stage.ports, store, alertStore });

    expect(changed.type).toBe('workforce.timesheet.changed');
    expect(result).toEqual({ failed: [] });
  });
});

describe('a period is not finished', () => {
  test.each<[string, (heads: SliceHead[]) => SliceHead[]]>([
    [
      'while a timesheet on its dates is not processed',
      (heads) => [...heads.slice(0, 6), createDateHead('2026-03-08', [null])],
    ],
    ['while one of its dates was never seen', (heads) => heads.slice(1)],
    [
      'while one of its dates was never seen whole',
      ([first, ...heads]) => [{ ...headOf(first), baselinedAt: null }, ...heads],
    ],
    ['when nothing stands on its dates', () => WEEK.map((date) => createDateHead(date, []))],
  ])('%s', async (_name, change) => {
    const stage = createStage();
    stage.heads = change(week());

    await stage.collect([createMessage(processed())]);

    expect(await stage.waiting('payroll')).toEqual([]);
    expect(await stage.alertStore.loadProcessing('main', PERIOD.id)).toBeNull();
  });

  test('by what stands on other dates', async () => {
    const stage = createStage();
    stage.heads = [
      createDateHead('2026-03-01', [null]),
      ...week(),
      createDateHead('2026-03-09', [null]),
      createHead(INSERT_FENCE, '0'),
    ];

    await stage.collect([createMessage(processed())]);

    expect(await stage.waiting('payroll')).toHaveLength(1);
  });

  test('when no rule matches, and then nothing is read', async () => {
    for (const rules of [
      [{ types: ['workforce.timesheet.processed'] }],
      [{ types: [PROCESSING_FINISHED], when: { timeOfDay: { from: '02:00', to: '03:00' } } }],
    ]) {
      const stage = createStage({ rules });
      const store = {
        loadFeedState: () => Promise.reject(new Error('looked at')),
        loadHeads: () => Promise.reject(new Error('looked at')),
      };

      const result = await stage.collect([createMessage(processed())], { ...stage.ports, store });

      expect(result).toEqual({ failed: [] });
      expect(await stage.alertStore.loadProcessing('main', PERIOD.id)).toBeNull();
    }
  });

  test('when it is of absurd length', async () => {
    const stage = createStage();
    stage.periods = [hint({ startDate: '0001-01-01', finishDate: '9999-12-31' })];

    await stage.collect([createMessage(processed())]);

    expect(await stage.waiting('payroll')).toEqual([]);
  });
});

test('a period that was finished, is not and is again, is reported again', async () => {
  const stage = createStage();
  const stamped = timesheet({ processed: STAMP });
  const [reverted, again] = history(stamped, timesheet(), stamped);

  await stage.collect([createMessage(processed())]);
  stage.heads = [...week().slice(0, 6), createDateHead('2026-03-08', [null])];
  await stage.collect([createMessage(reverted ?? {})]);
  expect(await stage.alertStore.loadProcessing('main', PERIOD.id)).toEqual({
    revision: 2,
    finished: false,
    times: 1,
  });
  stage.heads = week();
  await stage.collect([createMessage(again ?? {})]);

  expect((await stage.waiting('payroll')).map(({ id }) => id).toSorted()).toEqual(
    [1, 2].map((times) => computeProcessingFinishedId('main', PERIOD.id, times)).toSorted(),
  );
});

test('of two that conclude the same at once one is heard', async () => {
  const stage = createStage();

  const results = await Promise.all([1, 2, 3].map(() => stage.collect([createMessage(processed())])));

  expect(results).toEqual([{ failed: [] }, { failed: [] }, { failed: [] }]);
  expect(await stage.waiting('payroll')).toHaveLength(1);
  expect(await stage.alertStore.loadProcessing('main', PERIOD.id)).toEqual({
    revision: 1,
    finished: true,
    times: 1,
  });
});

test('a note that others write all the time is tried again later', async () => {
  const stage = createStage();
  stage.alertStore.saveProcessing = async () => 'conflict';
  const message = createMessage(processed());

  expect(await stage.collect([message])).toEqual({ failed: [message.id] });
  expect(stage.lines).toMatchObject([{ reason: 'processing_contended' }]);
});

test('a function may die at any call: it is reported once', async () => {
  const crashes = await crashAtEveryCall(async (plan) => {
    const stage = createStage({ channels: [PAYROLL, OFFICE] });
    const messages = [createMessage(processed())];
    const { alertStore, store } = stage.ports;
    await stage.collect(messages, {
      ...stage.ports,
      alertStore: crashable(alertStore, plan),
      store: crashable(store, plan),
    });
    expect(await stage.collect(messages)).toEqual({ failed: [] });

    for (const channel of ['payroll', 'office']) expect(await stage.waiting(channel)).toHaveLength(1);
    expect(await stage.alertStore.loadProcessing('main', PERIOD.id)).toEqual({
      revision: 1,
      finished: true,
      times: 1,
    });
    return plan.crashed;
  });
  // The feed's state, the note, the heads, two alerts, the note.
  expect(crashes).toBe(14);
});

/** What payroll is to be told, in the order of the alphabet. */
async function linesOf(stage: CollectStage): Promise<string[]> {
  return (await stage.waiting('payroll')).map(({ line }) => line).toSorted();
}

function headOf(head: SliceHead | undefined): SliceHead {
  if (head === undefined) throw new Error('no head');
  return head;
}
