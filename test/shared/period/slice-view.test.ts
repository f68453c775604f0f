import { describe, expect, test } from 'vitest';
import type { SliceHead } from '#shared/core/snapshot/snapshot.ts';
import { holdsOf, type SliceMemory, viewSlice } from '#shared/period/period-account.ts';
import { DATE, EARLIER, NEXT_DATE, NOW, SECOND_MS, slice, viewOf } from '#test/support/builders.ts';

const HEAD = slice().head;
const LATER = EARLIER + SECOND_MS;
const FIELD = 'approvedHours';
const UNREAD = [{ kind: 'unread' }];

describe('a date was looked at', () => {
  const coverageOf = (values: object) => ({ [DATE]: { at: LATER, revision: HEAD.revision, ...values } });
  const lookedAt = (head: Partial<SliceHead>, memory: Partial<SliceMemory> = {}) =>
    view({ head: { ...HEAD, ...head }, memory }).lookedAt;

  test('when the last complete scan began, whether it is in the head or in the state of the feed', () => {
    expect(lookedAt({})).toBe(EARLIER);
    expect(lookedAt({}, { coverage: coverageOf({}) })).toBe(LATER);
    expect(lookedAt({ observedAt: null }, { coverage: coverageOf({}) })).toBe(LATER);
    expect(lookedAt({ observedAt: NOW }, { coverage: coverageOf({}) })).toBe(NOW);
    expect(lookedAt({}, { coverage: { [NEXT_DATE]: { at: LATER, revision: HEAD.revision } } })).toBe(EARLIER);
  });

  test('by a scan that could not read all of it, too', () => {
    const coverage = coverageOf({ unseen: { '1_7': null } });
    expect(lookedAt({}, { coverage })).toBe(LATER);
    expect(lookedAt({ observedAt: null }, { coverage })).toBe(LATER);
    expect(lookedAt({ observedAt: NOW }, { coverage })).toBe(NOW);
  });

  test('not by a scan before another commit', () => {
    const coverage = coverageOf({ revision: HEAD.revision - 1, unseen: { '1_7': null } });
    expect(lookedAt({}, { coverage })).toBe(EARLIER);
    expect([...view({ memory: { coverage } }).unseen]).toEqual([]);
  });

  test.each<[string, SliceHead | undefined]>([
    ['that is not stored', undefined],
    ['to which records only moved', { ...HEAD, baselinedAt: null }],
    ['that was not looked at since its baseline', { ...HEAD, observedAt: null }],
  ])('never, and is unread: one %s', (_, head) => {
    expect(view({ head })).toEqual({ slice: DATE, lookedAt: null, doubts: UNREAD, unseen: new Set() });
  });

  test('never, also where the state of the feed remembers a scan of what is not stored', () => {
    const memory = { coverage: coverageOf({ unseen: { '1_7': null } }) };
    expect(view({ head: undefined, memory })).toMatchObject({ lookedAt: null, doubts: UNREAD });
    expect(view({ head: undefined, memory }).unseen.size).toBe(0);
  });

  test('and what could not be read is named', () => {
    const memory = { coverage: coverageOf({ unseen: { '1_7': null, '2_7': EARLIER } }) };
    expect([...view({ memory }).unseen]).toEqual(['1_7', '2_7']);
    expect([...view({ memory: { coverage: coverageOf({}) } }).unseen]).toEqual([]);
  });
});

describe('a date is in doubt', () => {
  const massChange = { [`${DATE} ${FIELD}`]: { field: FIELD, since: EARLIER, records: 20, published: 0 } };
  const losses = { kind: 'held', what: 'losses', since: EARLIER } as const;
  const removals = { kind: 'held', what: 'removals', since: LATER } as const;
  const doubtsOf = (memory: Partial<SliceMemory>, head: Partial<SliceHead> = {}) =>
    view({ memory, head: { ...HEAD, ...head } }).doubts;

  test('while losses or removals are held', () => {
    expect(doubtsOf({})).toEqual([]);
    expect(doubtsOf({ massChange })).toEqual([losses]);
    expect(doubtsOf({ shrunk: { [DATE]: { since: LATER, missing: 12 } } })).toEqual([removals]);
    expect(
      doubtsOf({ massChange, shrunk: { [DATE]: { since: LATER, missing: 12 } } }, { baselinedAt: null }),
    ).toEqual([...UNREAD, losses, removals]);
  });

  test('not while those of another date are', () => {
    const other = {
      massChange: { [`${NEXT_DATE} ${FIELD}`]: { field: FIELD, since: EARLIER, records: 20, published: 0 } },
      shrunk: { [NEXT_DATE]: { since: LATER, missing: 12 } },
    };
    expect(doubtsOf(other)).toEqual([]);
  });

  test('while a record that moved to it is held where it was', () => {
    const from = (movedTo: string[]) => ({
      [`${NEXT_DATE} ${FIELD}`]: { field: FIELD, since: EARLIER, records: 20, published: 0, movedTo },
    });
    expect(doubtsOf({ massChange: from([DATE]) })).toEqual([losses]);
    expect(doubtsOf({ massChange: from(['2026-03-09']) })).toEqual([]);
  });

  test('not by its name: a member that every object has is no hold', () => {
    expect(viewSlice('constructor', { ...HEAD, slice: 'constructor' }, memoryOf()).doubts).toEqual([]);
  });

  test('and holds are those of all dates', () => {
    const views = [
      viewOf(DATE, { doubts: [losses, { kind: 'moving' }] }),
      viewOf(NEXT_DATE),
      viewOf('2026-03-07', { doubts: [{ kind: 'untold' }, removals] }),
    ];
    expect(holdsOf(views)).toEqual([losses, removals]);
  });
});

function memoryOf(memory: Partial<SliceMemory> = {}): SliceMemory {
  return { coverage: {}, massChange: {}, shrunk: {}, ...memory };
}

function view(known: { readonly head?: SliceHead | undefined; readonly memory?: Partial<SliceMemory> }) {
  const head = 'head' in known ? known.head : HEAD;
  return viewSlice(DATE, head, memoryOf(known.memory));
}
