import { describe, expect, test } from 'vitest';
import type { PlannedSlice } from '#shared/core/plan/plan.ts';
import { createHead, type Head } from '#shared/core/snapshot/head.ts';
import { type ConnectionState, EMPTY_STATE } from '#shared/core/snapshot/state.ts';
import { findTroubles, tellTroubles, type Watched } from '#shared/core/trouble/find-troubles.ts';
import { DATE, MINUTE_MS, NEXT_DATE, NOW } from '#test/support/builders.ts';

const ago = (minutes: number) => NOW - minutes * MINUTE_MS;

function slice(values: Partial<PlannedSlice> = {}): PlannedSlice {
  return {
    ...{
      feed: 'timesheets',
      slice: DATE,
      cadence: 'hot',
      dueAt: NOW,
      lateness: 0,
      isNew: false,
      isFailing: false,
    },
    ...values,
  };
}

interface Situation {
  readonly state?: Partial<ConnectionState>;
  readonly head?: Partial<Head>;
  readonly slices?: readonly PlannedSlice[];
  readonly refused?: Watched['refused'];
}

function find({ state = {}, head = {}, slices = [slice()], refused = [] }: Situation) {
  const heads = [{ ...createHead({ feed: 'timesheets', slice: DATE }), ...head }];
  return findTroubles({ now: NOW, state: { ...EMPTY_STATE, ...state }, heads, slices, refused });
}

const failing = (minutes: number, attempts: number, code: 'source_failed' | 'drifted' = 'source_failed') => ({
  state: { failing: { [`timesheets#${DATE}`]: { since: ago(minutes), attempts, nextAt: NOW, code } } },
});
const unreachable = (polls: number) => ({
  state: {
    unreachable: { polls, since: ago(polls), code: 'source_unreachable' },
  } as Partial<ConnectionState>,
});
const doubtful = (minutes: number) => ({
  head: {
    doubt: { since: ago(minutes), after: null, records: 40, losses: [{ from: 0, digest: 'f', at: NOW }] },
  },
});

test.each<[string, Situation, string | null]>([
  ['all is well', {}, null],
  ['two polls in a row that could read nothing', unreachable(2), null],
  ['three', unreachable(3), 'source_unreachable source: source_unreachable'],
  [
    'a slice that fails for five minutes, three times',
    failing(5, 3),
    `dates_unreadable ${DATE}: source_failed`,
  ],
  ['twice', failing(5, 2), null],
  ['not for so long', failing(4.9, 9), null],
  ['a list that moves for half an hour', failing(30, 90, 'drifted'), `dates_unreadable ${DATE}: drifted`],
  ['not for so long', failing(29, 90, 'drifted'), null],
  [
    'records that cannot be read',
    { head: { bad: { since: ago(0), count: 1, ids: ['1_7'], cause: 'hoursToPay' } } },
    `records_unreadable ${DATE}: hoursToPay`,
  ],
  ['a doubt on a date that has left the window', { ...doubtful(10), slices: [] }, null],
  ['a doubt that lasts ten minutes', doubtful(10), `dates_doubtful ${DATE}: would_lose_most`],
  ['a shorter one', doubtful(9), null],
  ['a slice that is long overdue', { slices: [slice({ dueAt: ago(6.1) })] }, 'feed_late feed: overdue'],
  ['one that is a little late', { slices: [slice({ dueAt: ago(6) })] }, null],
  [
    'events that SNS refuses',
    { refused: [{ feed: 'timesheets', topic: 'timesheets', ids: ['a', 'b'] }] },
    'publish_failed timesheets: refused',
  ],
])('%s: %j is %s', (_, situation, expected) => {
  const found = find(situation).map(({ kind, subject, cause }) => `${kind} ${subject}: ${cause}`);
  expect(found).toEqual(expected === null ? [] : [expected]);
});

test('a trouble says what it concerns, how many, and since when', () => {
  const [bad] = find({ head: { bad: { since: ago(3), count: 70, ids: ['1_7', '2_7'], cause: 'date' } } });
  expect(bad).toMatchObject({ about: ['1_7', '2_7'], count: 70, since: ago(3) });
  const slices = [slice({ dueAt: ago(9) }), slice({ slice: NEXT_DATE, dueAt: ago(8) })];
  const [late, ...others] = find({ slices });
  expect([late, others]).toMatchObject([{ about: [DATE, NEXT_DATE], count: 2, since: ago(9) }, []]);
  expect(find({ ...doubtful(10) })[0]).toMatchObject({ count: 40, about: [DATE] });
});

describe('a trouble is told', () => {
  const troubles = find({ ...unreachable(3), ...doubtful(12) });
  const say = (news: ReturnType<typeof tellTroubles>) =>
    news.told.map(({ operation: { type, subject } }) => `${type} ${subject}`);

  test('once when it begins, and once when it ends', () => {
    const began = tellTroubles(troubles, []);
    expect(say(began)).toEqual(['trouble.began source', `trouble.began ${DATE}`]);
    expect(began.open).toMatchObject([
      { kind: 'source_unreachable' },
      { kind: 'dates_doubtful', since: ago(12) },
    ]);
    expect(tellTroubles(troubles, began.open)).toEqual({ told: [], open: began.open });
    const ended = tellTroubles(troubles.slice(0, 1), began.open);
    expect([say(ended), ended.open.length]).toEqual([[`trouble.ended ${DATE}`], 1]);
    expect(ended.told[0]?.operation.data).toMatchObject({ kind: 'dates_doubtful', about: [DATE] });
  });

  test('for each kind, feed and subject; an end comes before a beginning', () => {
    const { open } = tellTroubles(troubles, []);
    const others = troubles.map((each) => ({ ...each, feed: 'employees' as const }));
    expect(say(tellTroubles(others, open)).map((each) => each.slice(8, 13))).toEqual([
      'ended',
      'ended',
      'began',
      'began',
    ]);
  });

  test('with fifty texts at most', () => {
    const [late] = find({
      slices: Array.from({ length: 60 }, (_, place) => slice({ slice: `${place}`, dueAt: ago(9) })),
    });
    const { told, open } = tellTroubles(late === undefined ? [] : [late], []);
    expect(told[0]?.operation.data).toMatchObject({ count: 60, about: { length: 50 } });
    expect(open[0]?.about).toHaveLength(50);
  });
});
