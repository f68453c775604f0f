import { describe, expect, test } from 'vitest';
import { findTellableStates, pickPublished } from '#shared/core/events/tellable-absences.ts';
import { feedDefinition, type State } from '#shared/core/records/feed-definition.ts';

const definition = feedDefinition('timesheets');
const MISSING = '2026-03-05T08:15:00.000Z';
const LATER = '2026-03-05T09:15:00.000Z';
const SEEN = Date.parse('2026-03-05T08:15:30.000Z');
const DAY_MS = 86_400_000;

describe('a missing clock-in', () => {
  test('that was not published is new, whatever the row holds', () => {
    for (const stored of [{}, { clockInMissing: null }, { clockInMissing: MISSING }])
      expect(tellable(stored, { clockInMissing: MISSING })).toEqual([
        { clockInMissing: null },
        { clockInMissing: MISSING },
      ]);
  });

  test('that was published is not new, also when another version dropped it from the row', () => {
    for (const stored of [{}, { clockInMissing: null }, { clockInMissing: MISSING }])
      expect(tellable(stored, { clockInMissing: LATER }, { clockInMissing: 3 })).toEqual([
        { clockInMissing: LATER },
        { clockInMissing: LATER },
      ]);
  });

  test('that was published is taken back, also when another version dropped it from the row', () => {
    const back = (stored: State) => tellable(stored, {}, { clockInMissing: 3 });
    expect(back({ clockInMissing: MISSING })).toEqual([
      { clockInMissing: MISSING },
      { clockInMissing: null },
    ]);
    expect(back({})).toEqual([{ clockInMissing: '2026-03-05T08:15:30.000Z' }, { clockInMissing: null }]);
  });

  test('that was never published is not taken back', () => {
    expect(tellable({ clockInMissing: MISSING }, {})).toEqual([{}, {}]);
  });

  test('is published for a day', () => {
    const seenFor = (late: number) =>
      findTellableStates(
        definition,
        { before: {}, after: { clockInMissing: MISSING } },
        { before: null, seenAt: Date.parse(MISSING) + late },
      ).after;
    expect(seenFor(DAY_MS)).toEqual({ clockInMissing: MISSING });
    expect(seenFor(DAY_MS + 1)).toEqual({});
  });
});

test('states without missing clockings stay as they are', () => {
  const state = { hoursToPay: 8, clockIn: null };
  expect(tellable(state, state)).toEqual([state, state]);
});

test('a removed record ends what is missing, of which somebody was told', () => {
  const states = { before: { hoursToPay: 8, clockInMissing: MISSING }, after: null };
  const remove = (sent: Record<string, number>) =>
    findTellableStates(definition, states, { before: { row: { sent } }, seenAt: SEEN });
  expect(remove({ clockInMissing: 3 })).toEqual(states);
  expect(remove({})).toEqual({ before: { hoursToPay: 8 }, after: null });
});

function tellable(before: State, after: State, sent: Record<string, number> = {}) {
  const found = findTellableStates(
    definition,
    { before, after },
    { before: { row: { sent } }, seenAt: SEEN },
  );
  return [found.before, found.after];
}

describe('a snapshot', () => {
  test.each([
    ['of which nobody was told', {}, undefined],
    ['that was published', { clockInMissing: 3 }, MISSING],
    ['that was published before a restore', { clockInMissing: 0 }, MISSING],
  ])('says what is missing %s: %o', (_, sent, told) => {
    const { clockInMissing, ...rest } = pickPublished(
      definition,
      { id: '1_7', clockInMissing: MISSING },
      { sent },
    );
    expect([clockInMissing, rest]).toEqual([told, { id: '1_7' }]);
  });
});
