import { describe, expect, test } from 'vitest';
import { fingerprintBad, summarizeQuarantine } from '#shared/core/compare/source-form.ts';
import { EMPTY_FEED_STATE, type FeedState } from '#shared/core/snapshot/feed-state.ts';

const NOW = Date.parse('2026-03-05T01:00:00.000Z');
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

interface Poll {
  readonly bad?: readonly string[];
  readonly read?: readonly string[];
  readonly now?: number;
}

describe('the fingerprint of a bad record', () => {
  test('is that of its id, or of its issues when it has none', () => {
    expect(fingerprintBad('1_7', ['date'])).toBe(fingerprintBad('1_7', ['hoursToPay']));
    expect(fingerprintBad('1_7', ['date'])).not.toBe(fingerprintBad('2_7', ['date']));
    expect(fingerprintBad(null, ['date'])).not.toBe(fingerprintBad(null, ['hoursToPay']));
    expect(fingerprintBad(null, ['date'])).toBe(fingerprintBad(null, ['date']));
  });

  test('is short and says nothing', () => {
    expect(fingerprintBad('CANARY', ['date'])).toMatch(/^[0-9a-f]{12}$/);
  });
});

describe('a bad record that was reported', () => {
  test('is reported to be read again once, since when it was not', () => {
    const polls = run([{ bad: ['1_7'] }, { bad: ['1_7'] }, { read: ['1_7'] }, { read: ['1_7'] }]);
    expect(polls.map(({ news }) => news)).toEqual([
      ['record.quarantined 1_7'],
      [],
      ['record.readable 1_7'],
      [],
    ]);
    expect(polls[2]?.operations[0]?.data).toEqual({ recordId: '1_7', since: '2026-03-05T01:00:00.000Z' });
    expect(polls[3]?.state.awaited).toEqual({});
  });

  test('and stays bad for days is since the first of them', () => {
    const polls = run([
      { bad: ['1_7'] },
      { bad: ['1_7'], now: NOW + 2 * DAY_MS },
      { read: ['1_7'], now: NOW + 3 * DAY_MS },
    ]);
    expect(polls[2]?.operations[0]?.data).toMatchObject({ since: '2026-03-05T01:00:00.000Z' });
  });

  test('is not read again when another copy of it is bad', () => {
    const polls = run([{ bad: ['1_7'] }, { bad: ['1_7'], read: ['1_7'] }]);
    expect(polls[1]?.news).toEqual([]);
  });

  test('and comes and goes is reported once a day, both ways', () => {
    const turns = Array.from({ length: 6 }, (_, n) => (n % 2 === 0 ? { bad: ['1_7'] } : { read: ['1_7'] }));
    const next = turns.map((turn) => ({ ...turn, now: NOW + DAY_MS }));
    expect(run([...turns, ...next]).flatMap(({ news }) => news)).toEqual([
      ...['record.quarantined 1_7', 'record.readable 1_7'],
      ...['record.quarantined 1_7', 'record.readable 1_7'],
    ]);
  });

  test('is forgotten 40 days after it was bad last, and one of at most 200', () => {
    const late = run([
      { bad: ['1_7'] },
      { now: NOW + 40 * DAY_MS },
      { now: NOW + 40 * DAY_MS + 1 },
      { read: ['1_7'], now: NOW + 41 * DAY_MS },
    ]);
    expect(late.map(({ state }) => Object.keys(state.awaited ?? {}))).toEqual([['1_7'], ['1_7'], [], []]);
    expect(late[3]?.news).toEqual([]);
    const ids = (from: number) => Array.from({ length: 150 }, (_, n) => `${from + n}_7`);
    const many = run([{ bad: ids(0) }, { bad: ids(1_000), now: NOW + DAY_MS }]);
    expect(Object.keys(many[1]?.state.awaited ?? {})).toHaveLength(200);
    expect(many[1]?.state.awaited).toHaveProperty('1000_7');
  });
});

test('a record that was never reported, or has no id, is not awaited', () => {
  const [first, second] = run([{ bad: ['#id'] }, { read: ['2_7'] }]);
  expect(first?.news).toEqual(['record.quarantined #id']);
  expect(first?.state.awaited).toEqual({});
  expect(second?.news).toEqual([]);
});

function run(polls: readonly Poll[]) {
  let previous: FeedState = EMPTY_FEED_STATE;
  return polls.map(({ bad = [], read = [], now }, index) => {
    const { state, operations } = summarizeQuarantine(
      previous,
      {
        bad: bad.map((id) => ({ id, issues: [id === '#id' ? 'id' : 'date'] })),
        readAgain: new Set(read),
        now: now ?? NOW + index * MINUTE_MS,
      },
      'UTC',
    );
    previous = { ...previous, ...state };
    return { state, operations, news: operations.map(({ type, subject }) => `${type} ${subject}`) };
  });
}
