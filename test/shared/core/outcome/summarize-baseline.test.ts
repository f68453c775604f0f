import { describe, expect, test } from 'vitest';
import { EMPTY_FEED_STATE } from '#shared/core/snapshot/feed-state.ts';
import { DATE, NEXT_DATE, slice } from '#test/support/builders.ts';
import { headsOf, isoAt, newsOf, run } from './summarized-polls.ts';

describe('the baseline', () => {
  const unseen = slice({ slice: NEXT_DATE, head: { baselinedAt: null } }).head;

  test('is completed, once, when every slice of the window was seen whole', () => {
    const partly = { heads: new Map([[DATE, slice().head]]) };
    const polls = run([partly, { heads: headsOf([unseen]) }, {}, {}, partly], EMPTY_FEED_STATE);
    expect(newsOf(polls)).toEqual([[], [], ['baseline.completed'], [], []]);
    expect(polls[2]?.operations[0]).toEqual({
      type: 'baseline.completed',
      subject: null,
      data: {
        from: DATE,
        to: NEXT_DATE,
        records: 7,
        startedAt: isoAt(0),
        completedAt: isoAt(2),
      },
    });
    expect(polls[4]?.state.baseline).toEqual(polls[2]?.state.baseline);
  });

  test('is of the window as it is when it is completed', () => {
    const later = ['2026-03-06', '2026-03-07'];
    const polls = run(
      [
        { heads: new Map() },
        { window: later, heads: headsOf(later.map((name) => slice({ slice: name }).head)) },
      ],
      EMPTY_FEED_STATE,
    );
    expect(polls[1]?.state.baseline).toMatchObject({ from: '2026-03-06', to: '2026-03-07' });
  });

  test('is completed by an empty company too', () => {
    const polls = run(
      [{ heads: headsOf([slice().head, slice({ slice: NEXT_DATE }).head]) }],
      EMPTY_FEED_STATE,
    );
    expect(polls[0]?.operations[0]?.data.records).toBe(0);
  });
});
