import { describe, expect, test } from 'vitest';
import { SourceError } from '#shared/core/errors.ts';
import { ABANDONED_WALK, type WalkEnd } from '#shared/core/fetch/pages.ts';
import { beginScan, endScan, takePage } from '#shared/core/fetch/scan.ts';
import { judgeWalk, type WalkResult } from '#shared/core/outcome/judge-walk.ts';
import { buildPart, type PlanPart } from '#shared/core/plan/parts.ts';
import { feedDefinition } from '#shared/core/records/feed-definition.ts';
import { COMPLETE_WALK, DATE, NEXT_DATE, NOW, page } from '#test/support/builders.ts';

const TIME = { startedAt: NOW, now: NOW + 50_000, until: NOW + 100_000 };
const TWO = partOf([DATE, NEXT_DATE]);
const ONE = partOf([DATE]);
const DRIFTED: WalkEnd = { complete: false, problem: 'drifted', error: null, pagesReceived: 20 };
const FAILED: WalkEnd = {
  ...DRIFTED,
  problem: 'source_error',
  error: new SourceError('source_failed', 'the source failed (503)'),
};

describe('a walk', () => {
  test('to the end of its list is complete', () => {
    const { outcome, refetch, fetched } = judgeWalk(TWO, walked(COMPLETE_WALK), TIME);
    expect(outcome).toEqual({
      slices: [DATE, NEXT_DATE],
      hasAnswered: true,
      outcome: 'complete',
    });
    expect([refetch, fetched?.scan.end]).toEqual([null, COMPLETE_WALK]);
  });

  test('over more than fits gives nothing to compare, and its pieces go before everything else', () => {
    const pieces = [ONE, partOf([NEXT_DATE])];
    const { outcome, refetch, fetched } = judgeWalk(TWO, { outcome: 'too_large', pieces }, TIME);
    expect([outcome.outcome, refetch, fetched]).toEqual(['cut', { parts: pieces, place: 'first' }, null]);
  });

  test('that fails is halved, behind everything else, down to the date', () => {
    const halved = judgeWalk(TWO, walked(FAILED), TIME);
    expect(halved.outcome).toMatchObject({ outcome: 'failed', isSplit: true });
    expect(halved.refetch).toMatchObject({
      parts: [{ slices: [DATE] }, { slices: [NEXT_DATE] }],
      place: 'last',
    });
    expect(judgeWalk(ONE, walked(FAILED), TIME)).toMatchObject({
      outcome: { outcome: 'failed', isSplit: false },
      refetch: null,
    });
  });

  test('under which the list moved is repeated at once, in halves', () => {
    const { outcome, refetch } = judgeWalk(TWO, walked(DRIFTED), TIME);
    expect(outcome.outcome).toBe('incomplete');
    expect(refetch).toEqual({
      parts: [DATE, NEXT_DATE].map((date) => ({ ...partOf([date]), expectedRecords: 5, isRepeated: true })),
      place: 'first',
    });
    expect(judgeWalk(ONE, walked(DRIFTED), TIME).refetch?.parts).toEqual([{ ...ONE, isRepeated: true }]);
  });

  test.each([
    ['was repeated before', { part: { ...TWO, isRepeated: true as const } }],
    ['has more than 20 pages', { end: { ...DRIFTED, pagesReceived: 21 } }],
    ['has no time left', { time: { ...TIME, now: TIME.until } }],
    ['got a wrong page', { end: { ...DRIFTED, problem: 'wrong_page' as const } }],
  ])('is not repeated when it %s', (_, { part = TWO, end = DRIFTED, time = TIME }: Repetition) => {
    expect(judgeWalk(part, walked(end), time)).toMatchObject({
      outcome: { outcome: 'incomplete' },
      refetch: null,
    });
  });

  test.each([
    ['of one date, begun with the poll', { part: ONE, startedAt: NOW + 10_000, expected: 'too_slow' }],
    ['of one date, begun later', { part: ONE, startedAt: NOW + 10_001, expected: 'out_of_time' }],
    ['of several dates', { part: TWO, startedAt: NOW, expected: 'out_of_time' }],
    ['of the whole list', { part: { ...ONE, range: null }, startedAt: NOW, expected: 'out_of_time' }],
  ])('%s, that was cut off by time: %o', (_, { part, startedAt, expected }) => {
    const { outcome, refetch } = judgeWalk(part, walked(ABANDONED_WALK, startedAt), TIME);
    expect([outcome.outcome, refetch]).toEqual([expected, null]);
  });

  test('without a page says that nothing came', () => {
    const scan = endScan(beginScan(feedDefinition('timesheets'), [DATE]), FAILED);
    const walk = { outcome: 'walked', scan, asOf: new Map(), startedAt: NOW } as const;
    expect(judgeWalk(ONE, walk, TIME).outcome.hasAnswered).toBe(false);
  });
});

interface Repetition {
  readonly part?: PlanPart;
  readonly end?: WalkEnd;
  readonly time?: typeof TIME;
}

function partOf(slices: readonly string[]): PlanPart {
  return buildPart(slices, { isHot: false, expectedRecords: 10 });
}

function walked(end: WalkEnd, startedAt = NOW): WalkResult {
  const scan = beginScan(feedDefinition('timesheets'), [DATE, NEXT_DATE]);
  takePage(scan, page([]));
  return { outcome: 'walked', scan: endScan(scan, end), asOf: new Map(), startedAt };
}
