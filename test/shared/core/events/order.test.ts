import { expect, test } from 'vitest';
import { compareIds } from '#shared/core/events/compare-ids.ts';
import { compareEpochs, comparePositions } from '#shared/core/events/event-order.ts';

test.each<[string | null, string | null, number]>([
  ['1_7', '1_7', 0],
  [null, null, 0],
  ['1_7', '2_7', -1],
  ['2_7', '1_7', 1],
  ['10_7', '9_7', -1],
  [null, '1_7', -1],
  ['1_7', null, 1],
])('ids are in the order of their characters, what has none first: %s and %s', (left, right, expected) => {
  expect(compareIds(left, right)).toBe(expected);
});

const [EARLY, LATE] = ['2026-03-05T01:00:00.000Z', '2026-03-05T01:00:00.001Z'];

test.each<[string | undefined, string | undefined, number]>([
  [undefined, undefined, 0],
  [EARLY, EARLY, 0],
  [EARLY, LATE, -1],
  [LATE, EARLY, 1],
  [undefined, EARLY, -1],
  [EARLY, undefined, 1],
])('epochs are in the order of time, none before all: %s and %s', (left, right, expected) => {
  expect(compareEpochs(left, right)).toBe(expected);
  expect(Math.sign(comparePositions({ epoch: left, sequence: 5 }, { epoch: right, sequence: 5 }))).toBe(
    expected,
  );
});

test('events of one epoch are in the order of their sequences, others in that of their epochs', () => {
  expect(comparePositions({ epoch: EARLY, sequence: 2 }, { epoch: EARLY, sequence: 5 })).toBe(-3);
  expect(comparePositions({ sequence: 5 }, { sequence: 2 })).toBe(3);
  expect(comparePositions({ epoch: EARLY, sequence: 9 }, { epoch: LATE, sequence: 1 })).toBe(-1);
});
