import { describe, expect, test } from 'vitest';
import { type PollResult, summarizePoll } from '#shared/core/outcome/feed-memory.ts';
import { PollFindings } from '#shared/core/outcome/poll-findings.ts';
import { WHOLE_LIST } from '#shared/core/records/feed-definition.ts';
import { EMPTY_FEED_STATE, type FeedState } from '#shared/core/snapshot/feed-state.ts';
import { hint, MINUTE_MS, NOW, slice } from '#test/support/builders.ts';

/** Two polls of one feed overlap: the one that ends last need not be the one that began last. */

describe('the pay periods that a feed knows', () => {
  const known = [hint({ id: '1_7' })];
  const seen = [hint({ id: '2_7' })];

  test.each<[string, { knownAt?: number; now?: number; startedAt?: number }, 'known' | 'seen']>([
    ['a list that was requested later', { knownAt: NOW - 1 }, 'seen'],
    ['a list that was requested at the same instant', { knownAt: NOW }, 'seen'],
    ['a list that was requested earlier', { knownAt: NOW + 1, now: NOW + MINUTE_MS }, 'known'],
    ['a list requested earlier than one that ends as it does', { knownAt: NOW + 5, now: NOW + 5 }, 'known'],
    ['any list where the known one is dated ahead of the clock', { knownAt: NOW + 6, now: NOW + 5 }, 'seen'],
    ['the first list', {}, 'seen'],
  ])('are those of %s', (_, { knownAt, now = NOW }, expected) => {
    const before = { payPeriods: known, ...(knownAt === undefined ? {} : { payPeriodsAt: knownAt }) };
    const { payPeriods, payPeriodsAt } = conclude(before, { payPeriods: seen, startedAt: NOW, now });
    expect(payPeriods.map(({ id }) => id)).toEqual([expected === 'seen' ? '2_7' : '1_7']);
    expect(payPeriodsAt).toBe(expected === 'seen' ? NOW : knownAt);
  });

  test.each<[string, { known: number; own: number; changes?: number; knownAt: number }, 'known' | 'seen']>([
    ['an earlier list that brought a change', { known: 4, own: 5, changes: 1, knownAt: NOW + 1 }, 'seen'],
    ['an earlier list that brought none', { known: 4, own: 5, knownAt: NOW + 1 }, 'known'],
    ['an earlier list after a change', { known: 5, own: 5, changes: 1, knownAt: NOW + 1 }, 'known'],
    ['a later list that does not know of a change', { known: 5, own: 4, knownAt: NOW - 1 }, 'known'],
  ])('are those of %s', (_, { known: revision, own, changes = 0, knownAt }, expected) => {
    const before = {
      ...{ payPeriods: known, payPeriodsAt: knownAt },
      coverage: { [WHOLE_LIST]: { at: knownAt, revision } },
    };
    const { payPeriods } = conclude(before, {
      ...{ payPeriods: seen, now: NOW + MINUTE_MS, changesOn: new Map([[WHOLE_LIST, changes]]) },
      heads: new Map([[WHOLE_LIST, { ...slice().head, slice: WHOLE_LIST, revision: own }]]),
    });
    expect(payPeriods.map(({ id }) => id)).toEqual([expected === 'seen' ? '2_7' : '1_7']);
  });

  test('are as an earlier list showed them, where the later one left them out', () => {
    const look = { requestedAt: NOW, receivedAt: NOW };
    const shown = { ...hint({ id: '1_7', closed: false }), look };
    const left = { ...hint({ id: '1_7', closed: true }), seenAt: NOW - MINUTE_MS };
    const before = { payPeriods: [left], payPeriodsAt: NOW + 1 };
    const state = conclude(before, { payPeriods: [shown], startedAt: NOW, now: NOW + MINUTE_MS });
    expect(state).toMatchObject({ payPeriods: [{ closed: false, seenAt: NOW }], payPeriodsAt: NOW + 1 });
    const later = { ...before, payPeriods: [{ ...left, seenAt: NOW + 1 }] };
    const kept = conclude(later, { payPeriods: [shown], startedAt: NOW, now: NOW + MINUTE_MS });
    expect(kept.payPeriods).toEqual(later.payPeriods);
    // What the earlier one had only read from its rows it did not see.
    const { look: _, ...stored } = shown;
    const unseen = conclude(before, { payPeriods: [stored], startedAt: NOW, now: NOW + MINUTE_MS });
    expect(unseen.payPeriods).toEqual(before.payPeriods);
  });

  test('are as a list showed them that was not read to its end, unless they were seen later', () => {
    const look = { requestedAt: NOW, receivedAt: NOW };
    const stored = [hint({ id: '1_7', closed: true }), hint({ id: '2_7', closed: true })];
    const shown = ['1_7', '3_7'].map((id) => ({
      ...hint({ id, closed: false }),
      look,
      isClosingHeld: false,
    }));
    const before = { payPeriods: stored, payPeriodsAt: NOW - MINUTE_MS };
    const state = conclude(before, { payPeriods: null, shownPeriods: shown });
    expect(state.payPeriods.map(({ id, closed, seenAt }) => [id, closed, seenAt])).toEqual([
      ['1_7', false, NOW],
      ['2_7', true, undefined],
      ['3_7', false, NOW],
    ]);
    expect(state.payPeriodsAt).toBe(NOW - MINUTE_MS);
    const later = { payPeriods: stored, payPeriodsAt: NOW + 1 };
    const kept = conclude(later, { payPeriods: null, shownPeriods: shown, now: NOW + MINUTE_MS });
    expect(kept.payPeriods).toEqual(stored);
    const first = conclude({ payPeriods: [] }, { payPeriods: null, shownPeriods: shown });
    expect(first.payPeriods).toEqual([]);
  });

  test('closed between the list that showed them open and the one that shows them closed', () => {
    const before = { payPeriods: [hint({ id: '1_7', closed: false })], payPeriodsAt: NOW - MINUTE_MS };
    const look = { requestedAt: NOW, receivedAt: NOW };
    const { payPeriods } = conclude(before, { payPeriods: [{ ...hint({ id: '1_7', closed: true }), look }] });
    expect(payPeriods).toMatchObject([{ closedBetween: { after: NOW - MINUTE_MS, by: NOW } }]);
  });

  test('stay, with what is said of their list, when a poll saw none', () => {
    const before = { payPeriods: known, payPeriodsAt: NOW - 1, periodsLeftOut: true } as const;
    expect(conclude(before, { payPeriods: null })).toMatchObject(before);
  });
});

describe('the moment up to which a feed reminded of deadlines', () => {
  test.each<[string, { before?: number; told: number | null; after: number }]>([
    ['advances', { before: NOW - MINUTE_MS, told: NOW, after: NOW }],
    ['does not fall behind what another poll told', { before: NOW, told: NOW - MINUTE_MS, after: NOW }],
    ['stays when no moment was looked at', { before: NOW - MINUTE_MS, told: null, after: NOW - MINUTE_MS }],
    ['begins with the first one', { told: NOW, after: NOW }],
    ['may be as far ahead as clocks differ', { before: NOW + MINUTE_MS, told: NOW, after: NOW + MINUTE_MS }],
    ['falls back from where a wrong clock set it', { before: NOW + MINUTE_MS + 1, told: NOW, after: NOW }],
  ])('%s', (_, { before, told, after }) => {
    const state = conclude(before === undefined ? {} : { remindedUntil: before }, { remindedUntil: told });
    expect(state.remindedUntil).toBe(after);
  });
});

function conclude(before: Partial<FeedState>, values: Partial<PollResult>): FeedState {
  const result: PollResult = {
    ...new PollFindings(),
    ...{ startedAt: NOW, failingFrom: NOW, now: NOW, window: [], heads: new Map() },
    ...{ pulls: {}, pages: undefined, sourceAnswered: true, complete: true, held: {} },
    loadFrom: '2026-03-05',
    ...values,
  };
  const settings = { unreachableAfterPolls: 3, timeZone: 'UTC' };
  return summarizePoll({ ...EMPTY_FEED_STATE, ...before }, result, settings);
}
