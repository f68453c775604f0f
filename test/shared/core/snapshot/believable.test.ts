import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CLOCK_TOLERANCE_MS } from '#shared/core/clock-tolerance.ts';
import { believeHead, believeState } from '#shared/core/snapshot/believable.ts';
import { createHead, type Head } from '#shared/core/snapshot/head.ts';
import { type ConnectionState, EMPTY_STATE } from '#shared/core/snapshot/state.ts';
import { KEY } from '#test/shared/core/slices.ts';
import { DATE, NOW } from '#test/support/builders.ts';
import { holds } from '../properties.ts';

const HOUR_MS = 3_600_000;
const AHEAD = NOW + CLOCK_TOLERANCE_MS + 1;

function stateAt(at: number): ConnectionState {
  return {
    ...EMPTY_STATE,
    ...{ clock: at, lookedAt: { a: at }, remindedUntil: at, smallPages: { size: 200, since: at } },
    failing: { a: { since: at, attempts: 1, nextAt: at, code: 'source_failed' } },
    unreachable: { polls: 3, since: at, code: 'source_failed' },
    troubles: [{ kind: 'feed_late', feed: 'timesheets', subject: 'feed', about: [], since: at }],
  };
}

function headAt(at: number): Head {
  const closing = { id: '3_7', startDate: DATE, finishDate: DATE, closed: DATE, after: null, by: at };
  return {
    ...createHead(KEY),
    ...{
      changedAt: at,
      doubt: { since: at, after: null, records: 9, losses: [{ from: 0, digest: 'f', at }] },
    },
    ...{ bad: { since: at, count: 1, ids: ['a'], cause: 'date' }, unlisted: { ids: ['b'], askedAt: at } },
    pending: [closing],
  };
}

test('what is not ahead of now by more than clocks differ is believed', () => {
  holds(
    fc.property(fc.integer({ min: 0, max: AHEAD - 1 }), (at) => {
      expect(believeState(stateAt(at), NOW)).toEqual(stateAt(at));
      expect(believeHead(headAt(at), NOW)).toEqual(headAt(at));
    }),
  );
  expect(believeState(EMPTY_STATE, NOW)).toEqual(EMPTY_STATE);
  expect(believeHead(createHead(KEY), NOW)).toEqual(createHead(KEY));
});

test('what is ahead is as if absent; what would be told anew begins now; the own clock never goes back', () => {
  expect(believeState(stateAt(AHEAD), NOW)).toEqual({
    ...EMPTY_STATE,
    clock: AHEAD,
    troubles: [{ ...stateAt(NOW).troubles[0] }],
  });
  expect(believeHead(headAt(AHEAD), NOW)).toEqual({
    ...createHead(KEY),
    ...{ bad: headAt(NOW).bad, unlisted: { ids: ['b'], askedAt: 0 }, pending: [] },
  });
});

test('a wait may end later, by the longest there is', () => {
  const waits = (nextAt: number) => ({
    ...EMPTY_STATE,
    failing: { a: { since: NOW, attempts: 1, nextAt, code: 'source_failed' as const } },
  });
  const isKept = (nextAt: number) => 'a' in believeState(waits(nextAt), NOW).failing;
  expect([AHEAD, AHEAD + HOUR_MS - 1, AHEAD + HOUR_MS].map(isKept)).toEqual([true, true, false]);
});

test('a doubt of which one look is ahead is none', () => {
  const { doubt } = headAt(NOW);
  const losses = [{ from: 0, digest: 'f', at: AHEAD }];
  expect(believeHead({ ...headAt(NOW), doubt: doubt && { ...doubt, losses } }, NOW).doubt).toBeNull();
});
