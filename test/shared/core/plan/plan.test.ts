import { describe, expect, test } from 'vitest';
import { addDays, listDates } from '#shared/core/dates.ts';
import type { FeedName } from '#shared/core/feeds.ts';
import { CADENCE_MS, type Cadence, findCadence } from '#shared/core/plan/cadence.ts';
import {
  chooseRequest,
  findFollowUp,
  findOverdue,
  type PlanInput,
  planSlices,
} from '#shared/core/plan/plan.ts';
import { createHead, type Head, nameSlice, type PendingClosing } from '#shared/core/snapshot/head.ts';
import type { FailingSlice } from '#shared/core/snapshot/state.ts';
import { MINUTE_MS, NOW, SECOND_MS, DATE as TODAY } from '#test/support/builders.ts';

const WINDOW = { from: addDays(TODAY, -9), to: addDays(TODAY, 9) };
const DATES = listDates(WINDOW);
const day = (days: number) => addDays(TODAY, days);

/** Of a date by its distance from today, or of a list. */
function keyOf(name: string) {
  return /\d/.test(name)
    ? ({ feed: 'timesheets', slice: day(Number(name)) } as const)
    : { feed: name as FeedName, slice: 'all' };
}

/**
 * What is known of some slices: `-5 never; 0 2min 300 busy` is a date that was never read, and one that was looked at two
 * minutes ago, has 300 records, and just changed. Besides `failing` and `doubtful`. All others were looked at now, empty.
 */
function plan(situation: string, values: Partial<PlanInput> = {}): PlanInput {
  const heads = new Map<string, Head>();
  const lists = ['pay-periods#all', 'employees#all', 'departments#all'];
  const lookedAt = Object.fromEntries(
    [...DATES.map((date) => `timesheets#${date}`), ...lists].map((name) => [name, NOW]),
  );
  const failing: Record<string, FailingSlice> = {};
  for (const each of situation.split('; ')) {
    const [slice = '', age = 'never', ...words] = each.split(' ');
    const key = keyOf(slice);
    const name = nameSlice(key);
    const count = Number(words.find((word) => /^\d+$/.test(word)) ?? 0);
    if (age === 'never') delete lookedAt[name];
    else lookedAt[name] = NOW - Number.parseFloat(age) * MINUTE_MS;
    heads.set(name, {
      ...createHead(key),
      buckets: [{ from: 0, count, digest: '' }],
      changedAt: words.includes('busy') ? NOW : null,
      doubt: words.includes('doubtful') ? { since: NOW, after: null, records: 9, losses: [] } : null,
    });
    if (words.includes('failing'))
      failing[name] = { since: NOW, attempts: 1, nextAt: NOW, code: 'source_failed' };
  }
  return {
    ...{ now: NOW, today: TODAY, window: WINDOW, heads, state: { lookedAt, failing } },
    ...{ feeds: ['pay-periods', 'timesheets', 'employees'], pending: [], openDates: [] },
    ...values,
  };
}

/** In milliseconds from now. */
function dueIn(situation: string, values: Partial<PlanInput> = {}): number {
  const name = nameSlice(keyOf(situation.split(' ')[0] ?? ''));
  const found = planSlices(plan(situation, values)).find((each) => nameSlice(each) === name);
  return (found?.dueAt ?? Number.NaN) - NOW;
}

test.each<[string, string, number, Cadence]>([
  ['yesterday', '-1', 60, 'hot'],
  ['today', '0', 60, 'hot'],
  ['tomorrow', '1', 60, 'hot'],
  ['a hot date on which something just changed', '0', 2.9, 'busy'],
  ['one on which that was some minutes ago', '0', 3, 'hot'],
  ['the day before', '-2', 1, 'quiet'],
  ['the first date of an open pay period', '-6', 60, 'open'],
  ['its last date', '-4', 60, 'open'],
  ['a date before it', '-7', 60, 'quiet'],
  ['a date behind it', '-3', 60, 'quiet'],
  ['the list of pay periods', 'pay-periods', 60, 'hot'],
  ['employees', 'employees', 60, 'directory'],
  ['departments', 'departments', 60, 'directory'],
])('the cadence of %s', (...[, name, minutes, cadence]) => {
  const head = { ...createHead(keyOf(name)), changedAt: NOW - minutes * MINUTE_MS };
  const openDates = [{ from: day(-6), to: day(-4) }];
  expect(findCadence(head, head, { now: NOW, today: TODAY, openDates })).toBe(cadence);
});

test('cadences are those of the documents', () => {
  const minutes = Object.entries(CADENCE_MS).map(([name, ms]) => [name, ms / MINUTE_MS]);
  expect(Object.fromEntries(minutes)).toEqual({ busy: 1 / 3, hot: 1, open: 5, directory: 20, quiet: 30 });
});

describe('a slice is due', () => {
  test.each<[string, string, number]>([
    ['a minute after its look, schedules being unpunctual', '0 0min', 45],
    ['twenty seconds after it, while it is busy', '0 0min busy', 15],
    ['twenty minutes after it, a directory', 'employees 0min', 19.75 * 60],
    ['a cadence ago, when it was never read', '-5 never', -30 * 60],
    ['when its wait is over, one that failed', '-5 never failing', 0],
    ['a minute after a look that was doubtful', 'employees 0min doubtful', 45],
  ])('%s', (_, situation, seconds) => {
    expect(dueIn(situation)).toBe(seconds * SECOND_MS);
  });

  test('over a fifth of its cadence, so that dates do not all come at once', () => {
    const dues = [-9, -8, -7, -6, -5, -4, -3, -2].map((days) => dueIn(`${days} 0min`) / MINUTE_MS);
    expect(new Set(dues).size).toBe(dues.length);
    expect(Math.min(...dues)).toBeGreaterThanOrEqual(23.75);
    expect(Math.max(...dues)).toBeLessThanOrEqual(29.75);
  });

  describe('at once, while a closing waits,', () => {
    const closing = (from: number, by: number): Partial<PlanInput> => {
      const dates = { startDate: day(from), finishDate: day(-4), closed: TODAY };
      const pending: PendingClosing = { id: '3_7', ...dates, after: null, by };
      return { pending: [pending] };
    };
    const ago = (minutes: number) => NOW - minutes * MINUTE_MS;

    test.each<[string, string, Partial<PlanInput>, boolean]>([
      ['a date of its period that was not read since', '-4 2min', closing(-6, ago(2) + 1), true],
      ['its first one, too', '-6 2min', closing(-6, ago(2) + 1), true],
      ['not one that was', '-4 2min', closing(-6, ago(2)), false],
      ['not one behind it', '-3 2min', closing(-6, ago(2) + 1), false],
      ['nor one before it', '-7 2min', closing(-6, ago(2) + 1), false],
      ['the list, once all of its dates were', 'pay-periods 0.3min', closing(-6, ago(0)), true],
      ['not while one was not', 'pay-periods 0.3min; -6 2min', closing(-6, ago(1)), false],
      ['nor the last one', 'pay-periods 0.3min; -4 2min', closing(-6, ago(1)), false],
      ['also when others were not', 'pay-periods 0.3min; -7 2min; -3 2min', closing(-6, ago(1)), true],
      ['not a list that was read after them', 'pay-periods 0min', closing(-6, ago(1)), false],
      ['not where none of its dates is watched', 'pay-periods 0.3min', closing(0, ago(1)), false],
      ['no other list', 'employees 0.3min', closing(-6, ago(0)), false],
    ])('%s', (_, situation, values, isDue) => {
      expect(dueIn(situation, values) <= 0).toBe(isDue);
    });
  });

  test('at once, whatever was not looked at since an instant that is asked for', () => {
    expect(dueIn('-5 2min', { freshSince: NOW - MINUTE_MS })).toBeLessThan(0);
    expect(dueIn('-5 2min', { freshSince: NOW - 2 * MINUTE_MS })).toBeGreaterThan(0);
  });
});

describe('what is read next is', () => {
  /** Dates by their distance from today, a list by its name, or nothing. */
  function choose(input: PlanInput): string {
    const request = chooseRequest(planSlices(input), input, 200);
    const place = (date: string) => DATES.indexOf(date) - DATES.indexOf(TODAY);
    if (request === null) return 'nothing';
    if (request.range === null) return request.feed;
    expect(request.feed).toBe('timesheets');
    return `${place(request.range.from)} to ${place(request.range.to)}`;
  }

  test.each<[string, string, string]>([
    ['nothing, when nothing is due', '0 0min', 'nothing'],
    ['the most overdue date, by its cadence', '-5 50min 300; 0 2min 300', '0 to 0'],
    ['which may be a quiet one', '-5 90min 300; 0 2min 300', '-5 to -5'],
    ['or a list', 'pay-periods 3min; employees 30min; 0 2min 300', 'pay-periods'],
    ['with neighbours that fit on its page', '0 1.2min 60; 1 1min 60; -1 1min 60', '-1 to 1'],
    ['not with more than fit', '0 2min 60; 1 1min 60; -1 1min 61', '0 to 1'],
    ['nor with one that was just read', '0 2min 60; 1 0min 60', '0 to 0'],
    ['a large date alone', '0 1min 300; 1 0.9min 0', '0 to 0'],
    ['one that failed alone', '-5 90min failing; -4 20min', '-5 to -5'],
    ['up to the edge of what is watched', '9 90min 60', '9 to 9'],
    ['one that fails and was never read, by its wait alone', '-5 never failing 300; 0 1.5min 300', '0 to 0'],
    ['and not with a neighbour that failed', '-5 90min failing; -4 99min; -3 29min', '-4 to -3'],
  ])('%s', (_, situation, expected) => {
    expect(choose(plan(situation))).toBe(expected);
  });

  test('what was never read, today first: as one that is a cadence late, and in every other minute before all', () => {
    const next = (situation: string, minutes: number) =>
      choose(plan(situation, { now: NOW + minutes * MINUTE_MS }));
    for (const minutes of [0, 1]) expect(next('-5 never 300; 1 never 300; 2 never', minutes)).toBe('1 to 1');
    expect(next('-5 never 300; 0 1.5min 300', 0)).toBe('-5 to -5');
    expect([0, 1, 2, 3].map((minutes) => next('-5 never 300; 0 60min 300', minutes))).toEqual([
      '-5 to -5',
      '0 to 0',
      '-5 to -5',
      '0 to 0',
    ]);
  });
});

test.each<[string, string, number | null]>([
  ['twenty seconds after a look at a busy date', '0 0min busy', 15],
  ['for the earliest of them', '0 0min busy; 1 0.1min busy', 9],
  ['soon, when it is due', '0 5min busy', 1],
  ['not for quiet ones', '0 1min; -5 never', null],
  ['not for one that fails', '0 1min busy failing', null],
  ['not so late that the next schedule comes first', '0 -0.7min busy', null],
])('between two schedules another poll is wanted %s', (_, situation, seconds) => {
  const at = findFollowUp(planSlices(plan(situation)), NOW + SECOND_MS, NOW + 50 * SECOND_MS);
  expect(at === null ? null : (at - NOW) / SECOND_MS).toBe(seconds);
});

test.each<[string, string, boolean]>([
  ['a cadence and some minutes late', '0 7min', true],
  ['less late', '0 6min', false],
  ['a quiet one that is as late', '-5 66min', true],
  ['a quiet one that is less late', '-5 50min', false],
  ['never read', '0 never', false],
  ['failing, which is told otherwise', '0 90min failing', false],
])('a slice is overdue or not: %s', (_, situation, isOverdue) => {
  expect(findOverdue(planSlices(plan(situation)), NOW)).toHaveLength(isOverdue ? 1 : 0);
});
