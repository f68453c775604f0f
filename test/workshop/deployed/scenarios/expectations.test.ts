import { describe, expect, test } from 'vitest';
import { expectNoGaps, expectSame } from '#workshop/deployed/scenarios/expectations.ts';

describe('the events of a record', () => {
  test('have a gap when a sequence is missing in its epoch', () => {
    expect(() => expectNoGaps([1, 2, 4].map(buildEvent), 'events')).toThrow('a gap in the events of');
    expect(() => expectNoGaps([2].map(buildEvent), 'events')).toThrow('a gap in the events of');
  });

  test('have none in any order, and when one came twice', () => {
    expect(() => expectNoGaps([2, 1, 3, 2].map(buildEvent), 'events')).not.toThrow();
  });

  test('may have a snapshot at 0 before them, or alone, as after a restore', () => {
    expect(() => expectNoGaps([0].map(buildEvent), 'events')).not.toThrow();
    expect(() => expectNoGaps([0, 1].map(buildEvent), 'events')).not.toThrow();
    expect(() => expectNoGaps([0, 2].map(buildEvent), 'events')).toThrow('a gap in the events of');
  });
});

describe('two lists', () => {
  test('are the same in any order, and differ by one text', () => {
    expect(() => expectSame(['a', 'b', 'a'], ['b', 'a'], 'texts')).not.toThrow();
    expect(() => expectSame(['a'], ['b', 'a'], 'texts')).toThrow('1 missing, 0 too many');
    expect(() => expectSame(['a', 'b'], ['a'], 'texts')).toThrow('0 missing, 1 too many');
  });
});

function buildEvent(sequence: number): string {
  const source = '/connections/main/timesheets';
  return JSON.stringify({ source, subject: '1001_1', epoch: '2026-11-17T01:00:00.001Z', sequence });
}
