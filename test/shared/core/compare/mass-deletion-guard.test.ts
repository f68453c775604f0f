import { describe, expect, test } from 'vitest';
import type { KnownRow } from '#shared/core/compare/classify-records.ts';
import { guardAbsences, updateHeldRemovals } from '#shared/core/compare/mass-deletion-guard.ts';
import type { FeedState } from '#shared/core/snapshot/feed-state.ts';
import { DATE, leafRow, MINUTE_MS, NEXT_DATE, NOW, slice, timesheet } from '#test/support/builders.ts';

const VANISHING = { share: 0.5, records: 10, minutes: 30 };

describe('records that are absent', () => {
  test('are asked for when they are few', () => {
    const { shrunk, toConfirm } = guard({ absent: 9, known: 9 });
    expect([shrunk.size, toConfirm.length]).toEqual([0, 9]);
  });

  test('are asked for when they are many, and not more than half of their slice', () => {
    const { shrunk, toConfirm } = guard({ absent: 50, known: 100 });
    expect([shrunk.size, toConfirm.length]).toEqual([0, 50]);
  });

  test.each([
    [10, 19],
    [51, 100],
    [10, 10],
  ])('are held when they are many and more than half: %i of %i', (absent, known) => {
    const { shrunk, toConfirm } = guard({ absent, known });
    expect([...shrunk]).toEqual([[DATE, absent]]);
    expect(toConfirm).toEqual([]);
  });

  test('are counted slice by slice', () => {
    const { shrunk, toConfirm } = guardAbsences(
      [...rows(9, NEXT_DATE), ...rows(12, DATE)],
      headsOf({ [DATE]: 12, [NEXT_DATE]: 9 }),
      { vanishing: VANISHING, shrunk: {}, now: NOW },
    );
    expect([...shrunk]).toEqual([[DATE, 12]]);
    expect(toConfirm.map(({ slice: date }) => date)).toEqual(Array(9).fill(NEXT_DATE));
  });

  test('are looked up once they were held for the configured time', () => {
    const since = NOW - 30 * MINUTE_MS;
    expect(
      guard({ absent: 60, known: 100, held: { [DATE]: { since: since + 1, missing: 60 } } }).toConfirm,
    ).toEqual([]);
    expect(
      guard({ absent: 60, known: 100, held: { [DATE]: { since, missing: 60 } } }).toConfirm,
    ).toHaveLength(60);
  });

  test('stay held until their slice is whole again, also when fewer are missing', () => {
    const held = { [DATE]: { since: NOW - MINUTE_MS, missing: 60 } };
    const { shrunk, toConfirm } = guard({ absent: 1, known: 100, held });
    expect([...shrunk]).toEqual([[DATE, 1]]);
    expect(toConfirm).toEqual([]);
    expect(guard({ absent: 0, known: 100, held }).shrunk.size).toBe(0);
  });

  test('are distinguished from those that are held only because they were before', () => {
    const held = { [DATE]: { since: NOW - MINUTE_MS, missing: 60 } };
    expect([...guard({ absent: 1, known: 100, held }).lingering]).toEqual([DATE]);
    expect([...guard({ absent: 60, known: 100, held }).lingering]).toEqual([]);
    expect([...guard({ absent: 60, known: 100 }).lingering]).toEqual([]);
  });

  test('are judged by the configured share and number', () => {
    const vanishing = { share: 0.9, records: 3, minutes: 0 };
    expect(guard({ absent: 90, known: 100, vanishing }).shrunk.size).toBe(0);
    expect(guard({ absent: 91, known: 100, vanishing }).shrunk.size).toBe(1);
    expect(guard({ absent: 2, known: 2, vanishing }).shrunk.size).toBe(0);
    expect(guard({ absent: 3, known: 3, vanishing }).shrunk.size).toBe(1);
  });
});

describe('records that their list leaves out anyway', () => {
  const unlisted = (count: number, date = DATE) =>
    rows(count, date).map(({ slice: of, row }) => ({
      slice: of,
      row: { ...row, unlisted: { asks: 1, askedAt: NOW } },
    }));
  const guardAll = (absent: readonly KnownRow[], known: number) =>
    guardAbsences(absent, headsOf({ [DATE]: known }), { vanishing: VANISHING, shrunk: {}, now: NOW });

  test('count neither as missing nor as known', () => {
    expect([...guardAll([...unlisted(2), ...rows(10, DATE)], 21).shrunk]).toEqual([[DATE, 10]]);
    expect(guardAll([...unlisted(2), ...rows(10, DATE)], 22).shrunk.size).toBe(0);
    expect(guardAll([...unlisted(2, NEXT_DATE), ...rows(10, DATE)], 21).shrunk.size).toBe(0);
    expect(guardAll(unlisted(21), 21).shrunk.size).toBe(0);
  });
});

test('absences of a slice that is not loaded are held from the smallest number on', () => {
  const absent = rows(10, DATE);
  const rule = { vanishing: { ...VANISHING, share: 1, records: 1 }, shrunk: {}, now: NOW };
  expect([...guardAbsences(absent, new Map(), rule).shrunk]).toEqual([[DATE, 10]]);
  expect(guardAbsences(absent.slice(1, 2), new Map(), rule).shrunk.size).toBe(1);
});

describe('the removals of a slice', () => {
  const since = NOW - MINUTE_MS;
  const HELD = { [DATE]: { since, missing: 11 } };
  const whole = new Set([DATE]);
  const shrunk = new Map([[DATE, 12]]);

  test('are held from the first poll on that misses too many', () => {
    expect(held({ shrunk })).toEqual({ shrunk: { [DATE]: { since: NOW, missing: 12 } } });
    expect(held({ shrunk, committedWhole: whole }, HELD)).toEqual({ shrunk: HELD });
  });

  test('are held beside those of others', () => {
    expect(held({ shrunk: new Map([[NEXT_DATE, 3]]) }, HELD)).toEqual({
      shrunk: { ...HELD, [NEXT_DATE]: { since: NOW, missing: 3 } },
    });
  });

  test('are held no more once nothing is missing', () => {
    expect(held({ committedWhole: whole }, HELD)).toEqual({ shrunk: {} });
    expect(held({ committedWhole: whole, startedAt: since }, HELD)).toEqual({ shrunk: {} });
  });

  test.each<[string, Partial<Poll>]>([
    ['that did not see the slice whole', {}],
    ['that saw another one whole', { committedWhole: new Set([NEXT_DATE]) }],
    ['that began before the hold', { committedWhole: whole, startedAt: since - 1 }],
    ['that still misses some, of a slice that left the window', { shrunk, window: [] }],
  ])('stay held after a poll %s', (_, poll) => {
    expect(held(poll, HELD)).toEqual({ shrunk: HELD });
  });

  test('are held no more when the slice leaves the window', () => {
    expect(held({ window: [NEXT_DATE], committedWhole: whole }, HELD)).toEqual({ shrunk: {} });
  });

  test('are not held for longer by a clock that was ahead', () => {
    expect(held({}, { [DATE]: { since: NOW + MINUTE_MS, missing: 11 } })).toEqual({
      shrunk: { [DATE]: { since: NOW, missing: 11 } },
    });
  });

  test('are not held anew when another poll ended a hold that only lingered', () => {
    const lingering = new Set([DATE]);
    expect(held({ shrunk, lingering })).toEqual({ shrunk: {} });
    expect(held({ shrunk, lingering }, HELD)).toEqual({ shrunk: HELD });
  });
});

type Poll = Parameters<typeof updateHeldRemovals>[1];

function held(poll: Partial<Poll>, shrunk: FeedState['shrunk'] = {}) {
  return updateHeldRemovals(
    { shrunk },
    {
      ...{ shrunk: new Map(), lingering: new Set(), committedWhole: new Set() },
      ...{ now: NOW, startedAt: NOW, window: [DATE, NEXT_DATE] },
      ...poll,
    },
  );
}

interface Absences {
  readonly absent: number;
  readonly known: number;
  readonly held?: FeedState['shrunk'];
  readonly vanishing?: typeof VANISHING;
}

function guard({ absent, known, held = {}, vanishing = VANISHING }: Absences) {
  return guardAbsences(rows(absent, DATE), headsOf({ [DATE]: known }), {
    vanishing,
    shrunk: held,
    now: NOW,
  });
}

function rows(count: number, date: string): KnownRow[] {
  return Array.from({ length: count }, (_, n) => ({
    slice: date,
    row: leafRow(timesheet({ id: `${n}_7`, date })),
  }));
}

function headsOf(counts: Readonly<Record<string, number>>) {
  return new Map(
    Object.entries(counts).map(([name, recordCount]) => [
      name,
      { ...slice({ slice: name }).head, recordCount },
    ]),
  );
}
