import { describe, expect, test } from 'vitest';
import { PROCESSING_FINISHED } from '#shared/core/alerts/alert.ts';
import { processingFinishedId } from '#shared/core/alerts/processing.ts';
import { ARRIVALS } from '#shared/core/commit/insert-fence.ts';
import { emptyHead, type SliceHead } from '#shared/core/snapshot/snapshot.ts';
import { eventsOf, history, STAMP } from '#test/shared/core/events/told-events.ts';
import { type CollectStage, messageOf, only } from '#test/shared/flow/collecting.ts';
import {
  dateOf,
  END,
  OFFICE,
  PAYROLL,
  PERIOD,
  processed,
  stageOf,
  WEEK,
  week,
} from '#test/shared/flow/poll/a-week.ts';
import { changeOf, DAY_MS, hint, NOW as SEEN, timesheet } from '#test/support/builders.ts';
import { atEveryCall, mortal } from '#test/support/mortal.ts';

describe('when the last timesheet of a period that is over is processed', () => {
  test('every channel that wants to know is told once, in its words', async () => {
    const stage = stageOf({
      channels: [PAYROLL, OFFICE],
      rules: [
        { types: [PROCESSING_FINISHED], channels: ['payroll'], words: 'Well done: {sentence}' },
        { types: [PROCESSING_FINISHED], urgent: true, channels: ['office'] },
      ],
    });

    await stage.collect([messageOf(processed())]);
    await stage.collect([messageOf(processed())]);

    const [forOffice] = await stage.waiting('office');
    expect(await stage.waiting('office')).toEqual([
      {
        id: processingFinishedId('main', PERIOD.id, 1),
        type: 'workforce.processing.finished',
        connection: 'main',
        timeZone: 'Pacific/Auckland',
        at: SEEN,
        line: 'Pay period Weekly 2-8 Mar: all 2 timesheets are processed.',
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

  test('the events themselves are told to who wants those', async () => {
    const stage = stageOf({ rules: [{ types: ['workforce.timesheet.processed'] }] });

    await stage.collect([messageOf(processed())]);

    expect(await stage.waiting('payroll')).toMatchObject([{ type: 'workforce.timesheet.processed' }]);
  });

  test('each period that covers the date is looked at', async () => {
    const stage = stageOf();
    stage.periods = [PERIOD, hint({ id: '4_7', startDate: '2026-03-05', finishDate: '2026-03-06' })];

    await stage.collect([messageOf(processed())]);

    expect((await stage.waiting('payroll')).map(({ subject }) => subject).toSorted()).toEqual(['3_7', '4_7']);
  });

  test('of periods with the same dates it is said which is meant, and that the others are counted too', async () => {
    const stage = stageOf();
    const later = hint({ id: '5_7', startDate: '2026-03-09', finishDate: '2026-03-15' });
    stage.periods = [PERIOD, hint({ id: '4_7', calendar: 'Casuals' }), later];

    await stage.collect([messageOf(processed())]);

    const note = '(counts all timesheets of these dates, other calendars included)';
    expect(await linesOf(stage)).toEqual([
      `Pay period Casuals 2-8 Mar: all 2 timesheets are processed ${note}.`,
      `Pay period Weekly 2-8 Mar: all 2 timesheets are processed ${note}.`,
    ]);
  });

  test('of a period that an older version noted only the dates are said', async () => {
    const stage = stageOf();
    const { calendar: _, ...noted } = PERIOD;
    stage.periods = [noted];

    await stage.collect([messageOf(processed())]);

    expect(await linesOf(stage)).toEqual(['Pay period 2-8 Mar: all 2 timesheets are processed.']);
  });

  test('removing the last one that was not processed does as well', async () => {
    const stage = stageOf();

    await stage.collect([messageOf(only(eventsOf(changeOf(timesheet(), null))))]);

    expect(await stage.waiting('payroll')).toHaveLength(1);
  });
});

describe('when a timesheet that is not processed moves to a date of another period', () => {
  const moved = only(history(timesheet(), timesheet({ date: '2026-03-10' })));
  const NEXT = hint({ id: '5_7', startDate: '2026-03-09', finishDate: '2026-03-15' });
  const NEXT_WEEK = ['09', '10', '11', '12', '13', '14', '15'].map((day) => `2026-03-${day}`);

  test('the one that it leaves may be finished by that', async () => {
    const stage = stageOf();
    stage.periods = [PERIOD, NEXT];
    stage.heads = [...week(), ...NEXT_WEEK.map((date) => dateOf(date, date === '2026-03-10' ? [null] : []))];

    await stage.collect([messageOf(moved)]);

    expect(await stage.waiting('payroll')).toMatchObject([
      { id: processingFinishedId('main', PERIOD.id, 1) },
    ]);
  });

  test('the one that it comes to no longer is', async () => {
    const stage = stageOf();
    stage.periods = [PERIOD, NEXT];
    stage.now = END + 7 * DAY_MS;
    stage.heads = [...week(), ...NEXT_WEEK.map((date) => dateOf(date, [STAMP]))];
    await stage.collect([messageOf(processed('2026-03-10'))]);
    expect(await stage.book.loadProcessing('main', NEXT.id)).toMatchObject({ finished: true, times: 1 });

    stage.heads = [
      ...week(),
      ...NEXT_WEEK.map((date) => dateOf(date, date === '2026-03-10' ? [STAMP, null] : [STAMP])),
    ];
    await stage.collect([messageOf(moved)]);

    expect(await stage.book.loadProcessing('main', NEXT.id)).toMatchObject({ finished: false, times: 1 });
  });

  test('a change that leaves it on its date is not looked at', async () => {
    const stage = stageOf();
    const changed = only(history(timesheet(), timesheet({ hoursToPay: 8 })));
    const untouched = () => Promise.reject(new Error('looked at'));
    const store = { loadFeedState: untouched, loadHeads: untouched };
    const book = { ...stage.ports.book, loadProcessing: untouched, add: untouched };

    const result = await stage.collect([messageOf(changed)], { ...stage.ports, store, book });

    expect(changed.type).toBe('workforce.timesheet.changed');
    expect(result).toEqual({ failed: [] });
  });
});

describe('a period is not finished', () => {
  test.each<[string, (heads: SliceHead[]) => SliceHead[]]>([
    [
      'while a timesheet on its dates is not processed',
      (heads) => [...heads.slice(0, 6), dateOf('2026-03-08', [null])],
    ],
    ['while one of its dates was never seen', (heads) => heads.slice(1)],
    [
      'while one of its dates was never seen whole',
      ([first, ...heads]) => [{ ...headOf(first), baselinedAt: null }, ...heads],
    ],
    ['when nothing stands on its dates', () => WEEK.map((date) => dateOf(date, []))],
  ])('%s', async (_name, change) => {
    const stage = stageOf();
    stage.heads = change(week());

    await stage.collect([messageOf(processed())]);

    expect(await stage.waiting('payroll')).toEqual([]);
    expect(await stage.book.loadProcessing('main', PERIOD.id)).toBeNull();
  });

  test('by what stands on other dates', async () => {
    const stage = stageOf();
    stage.heads = [
      dateOf('2026-03-01', [null]),
      ...week(),
      dateOf('2026-03-09', [null]),
      emptyHead(ARRIVALS, '0'),
    ];

    await stage.collect([messageOf(processed())]);

    expect(await stage.waiting('payroll')).toHaveLength(1);
  });

  test('when nobody wants to know, and then nothing is looked at', async () => {
    for (const rules of [
      [{ types: ['workforce.timesheet.processed'] }],
      [{ types: [PROCESSING_FINISHED], when: { timeOfDay: { from: '02:00', to: '03:00' } } }],
    ]) {
      const stage = stageOf({ rules });
      const store = {
        loadFeedState: () => Promise.reject(new Error('looked at')),
        loadHeads: () => Promise.reject(new Error('looked at')),
      };

      const result = await stage.collect([messageOf(processed())], { ...stage.ports, store });

      expect(result).toEqual({ failed: [] });
      expect(await stage.book.loadProcessing('main', PERIOD.id)).toBeNull();
    }
  });

  test('when it is of absurd length', async () => {
    const stage = stageOf();
    stage.periods = [hint({ startDate: '0001-01-01', finishDate: '9999-12-31' })];

    await stage.collect([messageOf(processed())]);

    expect(await stage.waiting('payroll')).toEqual([]);
  });
});

test('a period that was finished, is not and is again, is told again', async () => {
  const stage = stageOf();
  const stamped = timesheet({ processed: STAMP });
  const [reverted, again] = history(stamped, timesheet(), stamped);

  await stage.collect([messageOf(processed())]);
  stage.heads = [...week().slice(0, 6), dateOf('2026-03-08', [null])];
  await stage.collect([messageOf(reverted ?? {})]);
  expect(await stage.book.loadProcessing('main', PERIOD.id)).toEqual({
    revision: 2,
    finished: false,
    times: 1,
  });
  stage.heads = week();
  await stage.collect([messageOf(again ?? {})]);

  expect((await stage.waiting('payroll')).map(({ id }) => id).toSorted()).toEqual(
    [1, 2].map((times) => processingFinishedId('main', PERIOD.id, times)).toSorted(),
  );
});

test('of two that conclude the same at once one is heard', async () => {
  const stage = stageOf();

  const results = await Promise.all([1, 2, 3].map(() => stage.collect([messageOf(processed())])));

  expect(results).toEqual([{ failed: [] }, { failed: [] }, { failed: [] }]);
  expect(await stage.waiting('payroll')).toHaveLength(1);
  expect(await stage.book.loadProcessing('main', PERIOD.id)).toEqual({
    revision: 1,
    finished: true,
    times: 1,
  });
});

test('a note that others write all the time is tried again later', async () => {
  const stage = stageOf();
  stage.book.saveProcessing = async () => 'conflict';
  const message = messageOf(processed());

  expect(await stage.collect([message])).toEqual({ failed: [message.id] });
  expect(stage.lines).toMatchObject([{ reason: 'processing_contended' }]);
});

test('a function may die at any call: it is told once', async () => {
  const deaths = await atEveryCall(async (life) => {
    const stage = stageOf({ channels: [PAYROLL, OFFICE] });
    const messages = [messageOf(processed())];
    const { book, store } = stage.ports;
    await stage.collect(messages, { ...stage.ports, book: mortal(book, life), store: mortal(store, life) });
    expect(await stage.collect(messages)).toEqual({ failed: [] });

    for (const channel of ['payroll', 'office']) expect(await stage.waiting(channel)).toHaveLength(1);
    expect(await stage.book.loadProcessing('main', PERIOD.id)).toEqual({
      revision: 1,
      finished: true,
      times: 1,
    });
    return life.dead;
  });
  // The feed's state, the note, the heads, two alerts, the note.
  expect(deaths).toBe(12);
});

/** What payroll is to be told, in the order of the alphabet. */
async function linesOf(stage: CollectStage): Promise<string[]> {
  return (await stage.waiting('payroll')).map(({ line }) => line).toSorted();
}

function headOf(head: SliceHead | undefined): SliceHead {
  if (head === undefined) throw new Error('no head');
  return head;
}
