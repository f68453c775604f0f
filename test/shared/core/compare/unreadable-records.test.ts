import { describe, expect, test } from 'vitest';
import { updateUnreadableRecords } from '#shared/core/compare/source-form.ts';
import { EMPTY_FEED_STATE, type FeedState } from '#shared/core/snapshot/feed-state.ts';
import { DAY_MS, MINUTE_MS, NOW } from '#test/support/builders.ts';

interface Poll {
  readonly bad?: readonly string[];
  readonly read?: readonly string[];
  readonly now?: number;
  readonly answers?: boolean;
}

describe('a bad record', () => {
  test('is remembered until it is read again: since when, when it was met last, in which member, and whether people know', () => {
    const polls = run([{ bad: ['1_7'] }, {}, { bad: ['1_7'] }, { read: ['1_7'] }]);
    const met = (badAt: number, told: boolean) => ({ '1_7': { since: NOW, badAt, cause: 'date', told } });
    expect(polls).toEqual([met(NOW, false), met(NOW, false), met(NOW + 2 * MINUTE_MS, true), {}]);
  });

  test('is not read again when another copy of it is bad', () => {
    expect(run([{ bad: ['1_7'] }, { bad: ['1_7'], read: ['1_7'] }])[1]).toHaveProperty('1_7');
  });

  test('is forgotten once no poll met it for a day, while the source answers', () => {
    const polls = run([
      { bad: ['1_7'] },
      { now: NOW + DAY_MS },
      { now: NOW + DAY_MS + 1, answers: false },
      { now: NOW + DAY_MS + 1 },
    ]);
    expect(polls.map((each) => Object.keys(each).length)).toEqual([1, 1, 1, 0]);
  });

  test('is the same trouble when it is met again after days', () => {
    const polls = run([{ bad: ['1_7'] }, { bad: ['1_7'], now: NOW + 2 * DAY_MS }]);
    expect(polls[1]?.['1_7']).toMatchObject({ since: NOW, badAt: NOW + 2 * DAY_MS });
  });

  test('is one of at most 200: of more, the first', () => {
    const ids = (from: number) => Array.from({ length: 150 }, (_, n) => `${from + n}_7`);
    const [, many = {}] = run([{ bad: ids(0) }, { bad: ids(1_000) }]);
    expect(Object.keys(many)).toHaveLength(200);
    expect([many['0_7'], many['1000_7'], many['1149_7']].map((each) => each !== undefined)).toEqual([
      true,
      true,
      false,
    ]);
  });

  test('without an id is one with all others that have none', () => {
    const polls = run([{ bad: ['#id'] }, { bad: ['#id'], read: ['2_7'] }]);
    expect(polls[1]).toEqual({
      '#unidentified': { since: NOW, badAt: NOW + MINUTE_MS, cause: 'id', told: true },
    });
  });

  test('that is listed twice says so', () => {
    const bad = [{ id: '1_7', issues: ['date'], isListedTwice: true as const }];
    const report = { bad, readAgain: new Set<string>(), sourceAnswered: true, now: NOW };
    expect(updateUnreadableRecords(EMPTY_FEED_STATE, report).unreadable['1_7']?.cause).toBe('listed_twice');
  });
});

function run(polls: readonly Poll[]): FeedState['unreadable'][] {
  let previous: FeedState = EMPTY_FEED_STATE;
  return polls.map(({ bad = [], read = [], now, answers = true }, index) => {
    const state = updateUnreadableRecords(previous, {
      bad: bad.map((id) => ({ id, issues: [id === '#id' ? 'id' : 'date'] })),
      readAgain: new Set(read),
      sourceAnswered: answers,
      now: now ?? NOW + index * MINUTE_MS,
    });
    previous = { ...previous, ...state };
    return state.unreadable;
  });
}
