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
    expect(guard({ absent: 60, known: 100, held: { [DATE]: { since: since + 1 } } }).toConfirm).toEqual([]);
    expect(guard({ absent: 60, known: 100, held: { [DATE]: { since } } }).toConfirm).toHaveLength(60);
  });

  test('stay held until their slice is whole again, also when fewer are missing', () => {
    const held = { [DATE]: { since: NOW - MINUTE_MS } };
    const { shrunk, toConfirm } = guard({ absent: 1, known: 100, held });
    expect([...shrunk]).toEqual([[DATE, 1]]);
    expect(toConfirm).toEqual([]);
    expect(guard({ absent: 0, known: 100, held }).shrunk.size).toBe(0);
  });

  test('are distinguished from those that are held only because they were before', () => {
    const held = { [DATE]: { since: NOW - MINUTE_MS } };
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

test('records that their list leaves out anyway count neither as missing nor as known', () => {
  const { head } = slice({ slice: DATE });
  const heads = new Map([[DATE, { ...head, recordCount: 21, unlistedCount: 2 }]]);
  const absent = rows(12, DATE).map((known, n) =>
    n < 2 ? { ...known, row: { ...known.row, unlisted: { asks: 1, askedAt: NOW } } } : known,
  );
  const { shrunk } = guardAbsences(absent, heads, { vanishing: VANISHING, shrunk: {}, now: NOW });
  const poll = { shrunk, committedWhole: new Set<string>(), heads, now: NOW, window: [DATE] };
  expect(updateHeldRemovals({ shrunk: {} }, poll).operations).toEqual([
    { type: 'slice.shrunk', subject: DATE, data: { slice: DATE, missing: 10, known: 19 } },
  ]);
});

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
