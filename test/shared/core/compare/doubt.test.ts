import { describe, expect, test } from 'vitest';
import type { Difference } from '#shared/core/compare/compare.ts';
import { GUARDS, judge, settleDoubt, type Verdict } from '#shared/core/compare/doubt.ts';
import type { Look } from '#shared/core/look/look.ts';
import type { SourceRecord } from '#shared/core/records/fields.ts';
import type { Doubt, Head } from '#shared/core/snapshot/head.ts';
import { differ, headOf, listIds, lookAt, rowsOf, sheets, TIMESHEET } from '#test/shared/core/slices.ts';
import { NOW, storedRow, timesheet } from '#test/support/builders.ts';

const MINUTE_MS = 60_000;
const APPROVED = { approvedHours: '2026-03-05T00:30:00.000Z' };
const BAD = { hoursToPay: 'x' };
const IDS = listIds(20);

interface Seen {
  /** Of 20, or so many, approved records: how many of the first ones go, and what the next ones become. */
  readonly of?: number;
  readonly gone?: number;
  readonly become?: SourceRecord;
  readonly count?: number;
  readonly head?: Partial<Head>;
  readonly look?: Partial<Look>;
  readonly movedIn?: Difference['movedIn'];
}

function see({ of = 20, gone = 0, become = {}, count = 0, head = {}, look = {}, movedIn = [] }: Seen) {
  const ids = listIds(of);
  const rows = rowsOf(sheets(ids, APPROVED));
  const known = headOf(rows, 4, head);
  const records = [
    ...sheets(ids.slice(gone, gone + count), { ...APPROVED, ...become }),
    ...sheets(ids.slice(gone + count), APPROVED),
  ];
  const seen = lookAt(records, look);
  const found = differ(seen, known, rows);
  const differences = found.map((each, place) => (place === 0 ? { ...each, movedIn } : each));
  const verdict = judge(
    {
      ...{ look: seen, head: known, definition: TIMESHEET, guards: GUARDS },
      lookedAt: seen.startedAt - MINUTE_MS,
    },
    differences,
  );
  return { differences, verdict, bounds: known.buckets.map(({ from }) => from) };
}

const isDoubted = ({ doubt }: Verdict) => doubt !== null;

describe('a look is doubtful', () => {
  test.each<[string, Seen, boolean]>([
    ['when more than half of its records are gone', { gone: 11 }, true],
    ['not when half are', { gone: 10 }, false],
    ['not when so few are', { of: 9, gone: 9 }, false],
    ['when ten of ten are', { of: 10, gone: 10 }, true],
    ['when more than half of a fact are gone', { become: { approvedHours: null }, count: 11 }, true],
    ['not when half of them are', { become: { approvedHours: null }, count: 10 }, false],
    ['when more than half cannot be read', { become: BAD, count: 11 }, true],
    [
      'by what half a look shows, too',
      { become: { approvedHours: null }, count: 11, look: { problem: 'drifted' } },
      true,
    ],
    ['not when half cannot be', { become: BAD, count: 10 }, false],
    ['not when facts are gained', { become: { processed: '2026-03-05' }, count: 20 }, false],
    ['not when facts have another stamp', { become: { approvedHours: '2026-03-05' }, count: 20 }, false],
    ['not when anything else changes', { become: { hoursToPay: 8 }, count: 20 }, false],
  ])('%s', (_, seen, expected) => {
    const { verdict, differences } = see(seen);
    expect(isDoubted(verdict)).toBe(expected);
    expect(verdict.held.size).toBe(expected ? differences.length : 0);
    if (expected) expect(verdict.doubt?.records).toBe((seen.gone ?? 0) + (seen.count ?? 0));
  });

  test('by what records lose that came from another date, too', () => {
    const movedIn = IDS.slice(0, 11).map((id) => {
      const before = timesheet({ id: `moved${id}`, ...APPROVED });
      return { row: storedRow(before), text: storedRow(timesheet({ id: before.id })).text ?? '' };
    });
    const new1 = { gone: 0, become: { hoursToPay: 8 }, count: 1, of: 10 };
    expect(isDoubted(see({ ...new1, movedIn }).verdict)).toBe(true);
    expect(isDoubted(see({ ...new1, movedIn: movedIn.slice(0, 9) }).verdict)).toBe(false);
  });

  test.each([
    [10, false],
    [11, true],
  ])('by one fact alone: %d who lose one, and the others another, are a mass or not', (count, expected) => {
    const rows = rowsOf(sheets(IDS, { ...APPROVED, approvedPayroll: 'P-1' }));
    const records = IDS.map((id, place) =>
      timesheet({ id, ...(place < count ? APPROVED : { approvedPayroll: 'P-1' }) }),
    );
    const [look, head] = [lookAt(records), headOf(rows)];
    const doubted = { look, head, definition: TIMESHEET, guards: GUARDS, lookedAt: null };
    expect(isDoubted(judge(doubted, differ(look, head, rows)))).toBe(expected);
  });
});

describe('the second look', () => {
  const first = see({ gone: 15 }).verdict.doubt as Doubt;
  const later = (ms: number) => ({ startedAt: NOW + ms, at: NOW + ms });
  const again = (seen: Seen, ms = MINUTE_MS, doubt: Doubt | null = first) =>
    see({ ...seen, head: { doubt }, look: { ...later(ms), ...seen.look } });

  test('notes when it began, how many it concerns, and of each bucket what would be lost', () => {
    expect([first.since, first.after, first.records]).toEqual([NOW, NOW - MINUTE_MS, 15]);
    expect(first.losses.map(({ at }) => at)).toEqual(first.losses.map(() => NOW));
    // Two buckets have four of these.
    const lost = [{ gone: 16 }, { become: { approvedHours: null }, count: 16 }, { become: BAD, count: 16 }];
    const digests = lost.flatMap((each) => see(each).verdict.doubt?.losses.map(({ digest }) => digest) ?? []);
    expect(new Set(digests).size).toBe(3 * first.losses.length);
  });

  test('is believed a minute later, and noted until all is committed', () => {
    const early = again({ gone: 15 }, MINUTE_MS - 1);
    expect([early.verdict.held.size, early.verdict.doubt]).toEqual([early.differences.length, first]);
    expect(again({ gone: 15 }).verdict).toEqual({ held: new Set(), doubt: first });
  });

  test('that loses nothing ends it', () => {
    expect(again({}).verdict).toEqual({ held: new Set(), doubt: null });
    const { verdict, differences } = again({ become: { hoursToPay: 8 }, count: 20 });
    expect([differences.length, verdict]).toEqual([4, { held: new Set(), doubt: null }]);
  });

  test('that loses something else waits for a third one, by the bucket', () => {
    const { verdict } = again({ gone: 16 });
    const changed = verdict.doubt?.losses.filter(({ at }) => at > NOW) ?? [];
    expect([verdict.held.size, changed.length]).toEqual([1, 1]);
    expect([verdict.doubt?.since, verdict.doubt?.records]).toEqual([NOW, 15]);
    const third = again({ gone: 16 }, 2 * MINUTE_MS, verdict.doubt);
    expect(third.verdict.held.size).toBe(0);
  });

  test('that is not complete neither confirms nor denies', () => {
    const half = again({ look: { problem: 'drifted' } });
    expect(half.verdict).toEqual({ held: new Set(), doubt: first });
    const losing = again({ become: { approvedHours: null }, count: 3, look: { problem: 'no_time' } });
    expect(losing.verdict.doubt).toBe(first);
    expect([...losing.verdict.held]).toEqual(losing.differences.map(({ index }) => index));
  });
});

test('a note ends when all of its buckets are committed', () => {
  const loss = (from: number) => ({ from, digest: 'f'.repeat(12), at: NOW });
  const doubt = { since: NOW, after: null, records: 20, losses: [loss(0), loss(7)] };
  expect(settleDoubt(doubt, new Set([7]))).toEqual({ ...doubt, losses: [loss(0)] });
  expect(settleDoubt(doubt, new Set([0, 7, 9]))).toBeNull();
  expect(settleDoubt(doubt, new Set())).toEqual(doubt);
  expect(settleDoubt(null, new Set([0]))).toBeNull();
});
