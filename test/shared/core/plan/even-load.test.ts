import { describe, expect, test } from 'vitest';
import { addDays } from '#shared/core/dates.ts';
import type { DueSlice } from '#shared/core/plan/agenda.ts';
import { bringForward } from '#shared/core/plan/even-load.ts';
import { MINUTE_MS } from '#test/support/builders.ts';
import { dueSlice, NOON } from './agendas.ts';

const CADENCE_MS = 29 * MINUTE_MS;

/** A settled date of ten pages that is due after so many minutes. */
function settled(place: number, minutes: number, values: Partial<DueSlice> = {}): DueSlice {
  const dueAt = NOON + minutes * MINUTE_MS;
  const times = { owedSince: dueAt, dueAt, lateness: 0, cadenceMs: CADENCE_MS };
  return dueSlice(addDays('2026-01-01', place), { class: 'settled', records: 2_000, ...times, ...values });
}

function bringForwardAt(now: number, early: readonly DueSlice[], due: readonly DueSlice[] = []): string[] {
  return bringForward({ due, early }, { now, pageSize: 200 }).map(({ slice }) => slice);
}

const TOGETHER = Array.from({ length: 40 }, (_, place) => settled(place, 20));

describe('dates that fall due together', () => {
  test('are read before, as many in each poll as keep all of them in time', () => {
    expect(bringForwardAt(NOON, TOGETHER)).toEqual(['2026-01-01', '2026-01-02']);
    expect(bringForwardAt(NOON + 10 * MINUTE_MS, TOGETHER)).toHaveLength(4);
  });

  test('come evenly from then on, each after nearly its whole cadence', () => {
    const readAt = new Map(TOGETHER.map(({ slice }) => [slice, NOON]));
    const reads: { readonly minute: number; readonly afterMs: number }[] = [];
    for (let minute = 1; minute <= 240; minute += 1) {
      const now = NOON + minute * MINUTE_MS;
      const dates = [...readAt].map(([slice, at]) => {
        const dueAt = at + CADENCE_MS;
        return settled(0, 0, { slice, dueAt, owedSince: dueAt });
      });
      const due = dates.filter(({ dueAt }) => dueAt <= now);
      const early = dates.filter(({ dueAt }) => dueAt > now);
      for (const slice of [...due.map((each) => each.slice), ...bringForwardAt(now, early, due)]) {
        reads.push({ minute, afterMs: now - (readAt.get(slice) ?? 0) });
        readAt.set(slice, now);
      }
    }
    const settledReads = reads.filter(({ minute }) => minute > 60);
    const perMinute = Map.groupBy(settledReads, ({ minute }) => minute);
    expect(Math.max(...[...perMinute.values()].map(({ length }) => length))).toBe(2);
    expect(Math.max(...reads.map(({ afterMs }) => afterMs))).toBeLessThan(CADENCE_MS + MINUTE_MS);
    expect(Math.min(...settledReads.map(({ afterMs }) => afterMs))).toBeGreaterThanOrEqual(
      CADENCE_MS - MINUTE_MS,
    );
  });

  test('are not read before when those that are due now are as many', () => {
    const due = Array.from({ length: 2 }, (_, place) => settled(90 + place, 0));
    expect(bringForwardAt(NOON, TOGETHER, due)).toEqual([]);
  });

  test('wait together while they are few pages: their requests are fewer then', () => {
    const small = TOGETHER.map((each) => ({ ...each, records: 400, expectedRecords: 400 }));
    expect(bringForwardAt(NOON, small)).toEqual([]);
  });

  test('count as a page each also without records, since each is a request', () => {
    const empty = Array.from({ length: 300 }, (_, place) =>
      settled(place, 20, { records: 0, expectedRecords: 0 }),
    );
    expect(bringForwardAt(NOON, empty)).toHaveLength(14);
  });

  test('keep to their own: hot and busy dates, and what was never read, are as they are', () => {
    const others = TOGETHER.flatMap((each) => [
      { ...each, class: 'hot' as const },
      { ...each, class: 'active' as const, cadenceMs: 20_000 },
      { ...each, records: null },
      { ...each, isAlone: true },
    ]);
    expect(bringForwardAt(NOON, others)).toEqual([]);
  });
});
