import { describe, expect, test } from 'vitest';
import type { BadRecord } from '#shared/core/fetch/scan.ts';
import type { PollResult } from '#shared/core/outcome/feed-memory.ts';
import { EMPTY_FEED_STATE, feedStateSchema } from '#shared/core/snapshot/feed-state.ts';
import { DATE, EARLIER, hint, MINUTE_MS, NEXT_DATE, NOW } from '#test/support/builders.ts';
import { AFTER_BASELINE, concluded, isoAt, run, typesOf } from './summarized-polls.ts';

describe('a poll that saw all it planned to see', () => {
  test('leaves its moment, one revision more, and says nothing', () => {
    expect(concluded({}, AFTER_BASELINE)).toEqual({
      operations: [],
      state: {
        ...AFTER_BASELINE,
        revision: 10,
        completedAt: NOW,
        quarantined: { day: '2026-03-05', marks: [] },
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
    expect(typesOf(polls)).toEqual([[], [], ['source.unreachable'], [], []]);
    expect(polls[2]?.operations[0]).toEqual({
      type: 'source.unreachable',
      subject: null,
      data: { failingSince: isoAt(0), failedPolls: 3, reason: 'source_failed' },
    });
  });

  test('is said to be back, once', () => {
    const polls = run([failed, failed, failed, failed, {}, {}]);
    expect(typesOf(polls)).toEqual([[], [], ['source.unreachable'], [], ['source.recovered'], []]);
    expect(polls[4]?.operations[0]?.data).toEqual({ unreachableSince: isoAt(0), failedPolls: 4 });
  });

  test('is counted anew after every answer', () => {
    expect(typesOf(run([failed, failed, {}, failed, failed])).flat()).toEqual([]);
    expect(typesOf(run([failed, failed, {}, failed, failed, failed])).flat()).toEqual(['source.unreachable']);
  });

  test('is neither failing nor back when it was not asked', () => {
    const idle = { sourceAnswered: null };
    expect(typesOf(run([failed, failed, idle, failed]))).toEqual([[], [], [], ['source.unreachable']]);
    expect(typesOf(run([failed, failed, failed, idle, idle, {}])).slice(3)).toEqual([
      [],
      [],
      ['source.recovered'],
    ]);
  });

  test('is said to be back even when not all was seen', () => {
    const polls = run([failed, failed, failed, { complete: false }]);
    expect(typesOf(polls).at(-1)).toEqual(['source.recovered']);
  });
});

describe('a source that answers and is never seen whole', () => {
  const partly = { complete: false };

  test('stalls the feed after so many minutes, once, until it is seen whole', () => {
    const at = (minutes: number, values: Partial<PollResult> = partly) => ({
      ...values,
      now: NOW + minutes * MINUTE_MS,
    });
    const polls = run([at(0, {}), at(30), at(60), at(61), at(90, {}), at(149), at(150)]);
    expect(typesOf(polls)).toEqual([[], [], ['poll.stalled'], [], ['poll.resumed'], [], ['poll.stalled']]);
    expect(polls[4]?.operations[0]?.data).toEqual({ stalledSince: isoAt(60) });
    expect(polls[2]?.operations[0]?.data).toEqual({ completedAt: isoAt(0) });
  });

  test('counts from the first poll when none was ever complete', () => {
    const at = (minutes: number) => ({ ...partly, now: NOW + minutes * MINUTE_MS });
    expect(typesOf(run([at(0), at(59), at(60)], { ...AFTER_BASELINE, completedAt: null }))).toEqual([
      [],
      [],
      ['poll.stalled'],
    ]);
  });

  test('counts from the return of a source that was away: it could not be seen before', () => {
    const at = (minutes: number, values: Partial<PollResult>) => ({
      ...values,
      now: NOW + minutes * MINUTE_MS,
    });
    const polls = run([
      at(0, {}),
      at(10, { complete: false, sourceAnswered: false }),
      at(90, partly),
      at(149, partly),
      at(150, partly),
    ]);
    expect(typesOf(polls)).toEqual([[], [], [], [], ['poll.stalled']]);
  });

  test('is not said to stall while the source does not answer: that is said otherwise', () => {
    const silent = { ...partly, sourceAnswered: false, now: NOW + 90 * MINUTE_MS };
    expect(typesOf(run([silent, { ...silent, sourceAnswered: null }])).flat()).toEqual([]);
  });
});

describe('a bad record', () => {
  const bad = (id: string | null, ...issues: string[]): BadRecord => ({ id, issues });
  const midnight = Date.parse('2026-03-05T11:00:00.000Z');

  test('is reported once a day, whatever is wrong with it', () => {
    const polls = run([
      { bad: [bad('1_7', 'hoursToPay'), bad('1_7', 'date')] },
      { bad: [bad('1_7', 'hoursToPay')] },
      { bad: [bad('1_7', 'date'), bad('2_7', 'date')] },
    ]);
    expect(polls.map(({ operations }) => operations.map(({ subject }) => subject))).toEqual([
      ['1_7'],
      [],
      ['2_7'],
    ]);
    expect(polls[0]?.operations[0]).toEqual({
      type: 'record.quarantined',
      subject: '1_7',
      data: { recordId: '1_7', issues: ['hoursToPay'] },
    });
  });

  test('is reported again on the next day of the connection', () => {
    const record = { bad: [bad('1_7', 'date')] };
    const polls = run([
      { ...record, now: midnight - 2 },
      { ...record, now: midnight - 1 },
      { ...record, now: midnight },
      { ...record, now: midnight + 1 },
    ]);
    expect(polls.map(({ operations }) => operations.length)).toEqual([1, 0, 1, 0]);
  });

  test('without an id is distinguished by what is wrong with it', () => {
    const polls = run([
      { bad: [bad(null, 'id'), bad(null, 'id')] },
      { bad: [bad(null, 'id'), bad(null, 'date')] },
    ]);
    expect(polls.map(({ operations }) => operations.map(({ data }) => data))).toEqual([
      [{ recordId: null, issues: ['id'] }],
      [{ recordId: null, issues: ['date'] }],
    ]);
  });

  test('is one of at most 200 that are reported on a day', () => {
    const many = Array.from({ length: 500 }, (_, n) => bad(`${n}_7`, 'date'));
    const [first, second] = run([{ bad: many }, { bad: [...many, bad('other', 'date')] }]);
    expect(first?.operations).toHaveLength(200);
    expect(second?.operations).toEqual([]);
    expect(second?.state.quarantined.marks).toHaveLength(200);
  });

  test('is not remembered by its id', () => {
    const { state } = concluded({ bad: [bad('CANARY_7', 'date')] });
    expect(JSON.stringify(state.quarantined)).not.toContain('CANARY');
  });
});

describe('a slice that shrank', () => {
  const shrunk = { shrunk: new Map([[DATE, 40]]), committedWhole: new Set([DATE]) };
  const whole = { committedWhole: new Set([DATE]) };

  test('is reported once, and its removals are held since then', () => {
    const polls = run([shrunk, shrunk, shrunk]);
    expect(typesOf(polls)).toEqual([['slice.shrunk'], [], []]);
    expect(polls[0]?.operations[0]).toEqual({
      type: 'slice.shrunk',
      subject: DATE,
      data: { slice: DATE, missing: 40, known: 5 },
    });
    expect(polls[2]?.state.shrunk).toEqual({ [DATE]: { since: NOW } });
  });

  test('has its removals held until a complete scan of it, and no longer', () => {
    const polls = run([shrunk, {}, whole, shrunk]);
    expect(polls.map(({ state }) => Object.keys(state.shrunk))).toEqual([[DATE], [DATE], [], [DATE]]);
    expect(typesOf(polls)).toEqual([['slice.shrunk'], [], ['slice.whole'], ['slice.shrunk']]);
    expect(polls[2]?.operations[0]).toEqual({
      type: 'slice.whole',
      subject: DATE,
      data: { slice: DATE, since: isoAt(0) },
    });
  });

  test('has its removals held for no longer because a clock was ahead', () => {
    const polls = run([shrunk], {
      ...AFTER_BASELINE,
      shrunk: { [DATE]: { since: NOW + 24 * 60 * MINUTE_MS } },
    });
    expect(polls[0]?.state.shrunk).toEqual({ [DATE]: { since: NOW } });
    expect(typesOf(polls)).toEqual([[]]);
  });

  test('is not reported again by a poll that only remembers it, when another one scanned it completely meanwhile', () => {
    const lingering = { ...shrunk, shrunk: new Map([[DATE, 1]]), lingering: new Set([DATE]) };
    const polls = run([shrunk, lingering, whole, lingering]);
    expect(typesOf(polls)).toEqual([['slice.shrunk'], [], ['slice.whole'], []]);
    expect(polls.map(({ state }) => Object.keys(state.shrunk))).toEqual([[DATE], [DATE], [], []]);
  });

  test('is not whole because a poll that began before it shrank saw it whole', () => {
    const polls = run([shrunk, { ...whole, startedAt: NOW - MINUTE_MS }]);
    expect(typesOf(polls)).toEqual([['slice.shrunk'], []]);
    expect(Object.keys(polls[1]?.state.shrunk ?? {})).toEqual([DATE]);
  });

  test('is forgotten when it leaves the window', () => {
    const polls = run([shrunk, { window: [NEXT_DATE] }]);
    expect(polls[1]?.state.shrunk).toEqual({});
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

describe('operations', () => {
  test('are counted in the order in which they are published', () => {
    const result = {
      sourceAnswered: true,
      bad: [{ id: '1_7', issues: ['date'] }],
      shrunk: new Map([[DATE, 40]]),
    };
    const previous = { ...EMPTY_FEED_STATE, sequence: 7, unreachableSince: EARLIER, failedPolls: 9 };
    const { state, operations } = concluded(result, previous);
    expect(operations.map(({ type }) => type)).toEqual([
      'source.recovered',
      'record.quarantined',
      'baseline.completed',
      'slice.shrunk',
    ]);
    expect(state.sequence).toBe(11);
  });
});

function scanOf(
  name: string,
  unseen: Record<string, number | null> = {},
  at = NOW,
): PollResult['completeScans'] {
  return new Map([[name, { at, unseen }]]);
}
