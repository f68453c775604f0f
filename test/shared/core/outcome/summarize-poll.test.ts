import { describe, expect, test } from 'vitest';
import type { BadRecord } from '#shared/core/fetch/scan.ts';
import type { PollResult } from '#shared/core/outcome/feed-memory.ts';
import { EMPTY_FEED_STATE, feedStateSchema } from '#shared/core/snapshot/feed-state.ts';
import { DATE, EARLIER, hint, MINUTE_MS, NEXT_DATE, NOW } from '#test/support/builders.ts';
import { AFTER_BASELINE, concluded, isoAt, newsOf, run } from './summarized-polls.ts';

describe('a poll that saw all it planned to see', () => {
  test('leaves its moment, one revision more, and says nothing', () => {
    expect(concluded({}, AFTER_BASELINE)).toEqual({
      operations: [],
      state: {
        ...AFTER_BASELINE,
        revision: 10,
        completedAt: NOW,
        loadFrom: DATE,
      },
    });
  });

  test('keeps what is for the next one to know', () => {
    const pulls = { '3_7': { totals: '1/1/1', at: NOW } };
    const { state } = concluded({ payPeriods: [hint()], pulls, loadFrom: '2026-01-01' }, AFTER_BASELINE);
    expect(state).toMatchObject({ payPeriods: [hint()], pulls, loadFrom: '2026-01-01' });
    expect(concluded({ payPeriods: null }, state).state.payPeriods).toEqual(state.payPeriods);
  });

  test('leaves a state that fits its schema, whatever it found', () => {
    const { state } = concluded({
      completeScans: scanOf(DATE, { '1_7': null, '2_7': EARLIER }),
      shrunk: new Map([[DATE, 40]]),
      bad: [{ id: null, issues: ['id'] }],
      payPeriods: [hint()],
      sourceAnswered: false,
    });
    expect(feedStateSchema.parse(JSON.parse(JSON.stringify(state)))).toEqual(state);
  });
});

describe('a source that does not answer', () => {
  const failed = { sourceAnswered: false, complete: false, errorCode: 'source_failed' } as const;

  test('is reported as unreachable after so many polls, once', () => {
    const polls = run([failed, failed, failed, failed, failed]);
    expect(newsOf(polls)).toEqual([[], [], ['began source_unreachable feed'], [], []]);
    expect(polls[2]?.operations[0]?.data).toMatchObject({ since: isoAt(0), cause: 'source_failed' });
  });

  test('is said to be back, once', () => {
    const polls = run([failed, failed, failed, failed, {}, {}]);
    expect(newsOf(polls)).toEqual([
      [],
      [],
      ['began source_unreachable feed'],
      [],
      ['ended source_unreachable feed'],
      [],
    ]);
    expect(polls[4]?.operations[0]?.data).toMatchObject({ since: isoAt(0) });
  });

  test('is counted anew after every answer', () => {
    expect(newsOf(run([failed, failed, {}, failed, failed])).flat()).toEqual([]);
    expect(newsOf(run([failed, failed, {}, failed, failed, failed])).flat()).toEqual([
      'began source_unreachable feed',
    ]);
  });

  test('is neither failing nor back when it was not asked', () => {
    const idle = { sourceAnswered: null };
    expect(newsOf(run([failed, failed, idle, failed]))).toEqual([
      [],
      [],
      [],
      ['began source_unreachable feed'],
    ]);
    expect(newsOf(run([failed, failed, failed, idle, idle, {}])).slice(3)).toEqual([
      [],
      [],
      ['ended source_unreachable feed'],
    ]);
  });

  test('is said to be back even when not all was seen', () => {
    const polls = run([failed, failed, failed, { complete: false }]);
    expect(newsOf(polls).at(-1)).toEqual(['ended source_unreachable feed']);
  });
});

test('a feed was seen last when a poll saw something whole', () => {
  const at = (minutes: number, values: Partial<PollResult>) => ({
    ...values,
    now: NOW + minutes * MINUTE_MS,
  });
  const polls = run([
    at(1, { complete: false }),
    at(2, {}),
    at(3, { sourceAnswered: false, complete: false }),
  ]);
  expect(polls.map(({ state }) => state.completedAt)).toEqual([
    AFTER_BASELINE.completedAt,
    NOW + 2 * MINUTE_MS,
    NOW + 2 * MINUTE_MS,
  ]);
});

describe('a bad record', () => {
  const bad = (id: string | null, ...issues: string[]): BadRecord => ({ id, issues });

  test('is told once a second look finds it bad, whatever is wrong with it, and once it is read', () => {
    const polls = run([
      { bad: [bad('1_7', 'hoursToPay'), bad('1_7', 'date')] },
      { bad: [bad('1_7', 'hoursToPay'), bad('2_7', 'date')] },
      { bad: [bad('1_7', 'date')], readAgain: new Set(['2_7']) },
      { readAgain: new Set(['1_7']) },
    ]);
    expect(newsOf(polls)).toEqual([
      [],
      ['began records_unreadable 1_7'],
      [],
      ['ended records_unreadable 1_7'],
    ]);
    expect(polls[1]?.operations[0]?.data).toMatchObject({
      ...{ about: ['1_7'], count: 1, since: isoAt(0), cause: 'hoursToPay' },
    });
  });

  test('is one of those without an id, which nobody can tell apart', () => {
    const without = { bad: [bad(null, 'id'), bad('7', 'id')] };
    expect(newsOf(run([without, without]))).toEqual([[], ['began records_unreadable #unidentified']]);
  });
});

describe('a slice that shrank', () => {
  const BEGAN = `began dates_doubtful ${DATE}`;
  const ENDED = `ended dates_doubtful ${DATE}`;
  const shrunk = { shrunk: new Map([[DATE, 40]]), committedWhole: new Set([DATE]) };
  const whole = { committedWhole: new Set([DATE]) };

  test('is reported once, and its removals are held since then', () => {
    const polls = run([shrunk, shrunk, shrunk]);
    expect(newsOf(polls)).toEqual([[BEGAN], [], []]);
    expect(polls[0]?.operations[0]?.data).toMatchObject({
      ...{ about: [DATE], count: 40, since: isoAt(0), cause: 'records_missing' },
    });
    expect(polls[2]?.state.shrunk).toEqual({ [DATE]: { since: NOW, missing: 40 } });
  });

  test('has its removals held until a complete scan of it, and no longer', () => {
    const polls = run([shrunk, {}, whole, shrunk]);
    expect(polls.map(({ state }) => Object.keys(state.shrunk))).toEqual([[DATE], [DATE], [], [DATE]]);
    expect(newsOf(polls)).toEqual([[BEGAN], [], [ENDED], [BEGAN]]);
    expect(polls[2]?.operations[0]?.data).toMatchObject({ about: [DATE], since: isoAt(0) });
  });

  test('has its removals held for no longer because a clock was ahead', () => {
    const polls = run([shrunk], {
      ...AFTER_BASELINE,
      shrunk: { [DATE]: { since: NOW + 24 * 60 * MINUTE_MS, missing: 40 } },
    });
    expect(polls[0]?.state.shrunk).toEqual({ [DATE]: { since: NOW, missing: 40 } });
    expect(newsOf(polls)).toEqual([[]]);
  });

  test('is not reported again by a poll that only remembers it, when another one scanned it completely meanwhile', () => {
    const lingering = { ...shrunk, shrunk: new Map([[DATE, 1]]), lingering: new Set([DATE]) };
    const polls = run([shrunk, lingering, whole, lingering]);
    expect(newsOf(polls)).toEqual([[BEGAN], [], [ENDED], []]);
    expect(polls.map(({ state }) => Object.keys(state.shrunk))).toEqual([[DATE], [DATE], [], []]);
  });

  test('is not whole because a poll that began before it shrank saw it whole', () => {
    const polls = run([shrunk, { ...whole, startedAt: NOW - MINUTE_MS }]);
    expect(newsOf(polls)).toEqual([[BEGAN], []]);
    expect(Object.keys(polls[1]?.state.shrunk ?? {})).toEqual([DATE]);
  });

  test('is in doubt no more when it leaves the window', () => {
    const polls = run([shrunk, { window: [NEXT_DATE] }]);
    expect(polls[1]?.state.shrunk).toEqual({});
    expect(newsOf(polls)).toEqual([[BEGAN], [ENDED]]);
  });
});

describe('the coverage', () => {
  test('has the start of the scan, the revision it found, and the records that could not be read', () => {
    const { state } = concluded({ completeScans: scanOf(DATE, { '1_7': EARLIER }) });
    expect(state.coverage).toEqual({ [DATE]: { at: NOW, revision: 4, unseen: { '1_7': EARLIER } } });
    expect(concluded({ completeScans: scanOf(DATE, {}) }, state).state.coverage).toEqual({
      [DATE]: { at: NOW, revision: 4 },
    });
  });

  test('stays for slices that were not scanned, and goes with those that left the window', () => {
    const { state } = concluded({ completeScans: new Map([...scanOf(DATE), ...scanOf(NEXT_DATE)]) });
    const next = concluded({ window: [NEXT_DATE, '2026-03-07'] }, state);
    expect(next.state.coverage).toEqual({ [NEXT_DATE]: { at: NOW, revision: 4 } });
  });

  test('takes no scan with more than 50 unreadable records, nor one of a slice without a head', () => {
    const unseen = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`${n}_7`, null]));
    const { state } = concluded({ completeScans: scanOf(DATE, unseen(50)) });
    expect(Object.keys(state.coverage[DATE]?.unseen ?? {})).toHaveLength(50);
    const later = concluded({ completeScans: scanOf(DATE, unseen(51), NOW + 1) }, state);
    expect(later.state.coverage).toEqual(state.coverage);
    expect(concluded({ completeScans: scanOf('2026-03-09') }).state.coverage).toEqual({});
  });
});

test('what ended is told first, then the baseline, then what began', () => {
  const result = { sourceAnswered: true, shrunk: new Map([[DATE, 40]]) };
  const previous = { ...EMPTY_FEED_STATE, sequence: 7, unreachableSince: EARLIER, failedPolls: 9 };
  expect(newsOf([concluded(result, previous)])).toEqual([
    ['ended source_unreachable feed', 'baseline.completed', `began dates_doubtful ${DATE}`],
  ]);
});

function scanOf(
  name: string,
  unseen: Record<string, number | null> = {},
  at = NOW,
): PollResult['completeScans'] {
  return new Map([[name, { at, unseen }]]);
}
