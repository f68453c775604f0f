import { describe, expect, test } from 'vitest';
import type { DueSlice } from '#shared/core/plan/agenda.ts';
import { measureLag, updateLag } from '#shared/core/plan/lag.ts';
import { MINUTE_MS } from '#test/support/builders.ts';
import { NOON, TODAY } from './agendas.ts';

/** A poll that took no time. */
const AT_NOON = { startedAt: NOON, now: NOON };

describe('how late dates are', () => {
  test('is measured by class, the worst first', () => {
    const slices = [
      overdue(TODAY, 'hot', 1),
      overdue('2026-02-20', 'active', 7),
      overdue('2026-02-21', 'active', 9),
      overdue('2026-02-01', 'settled', -3),
      overdue('2026-02-02', 'settled', 0),
    ];
    expect(measureLag(slices, AT_NOON)).toEqual([
      { class: 'hot', dates: [TODAY], lateMs: MINUTE_MS },
      { class: 'active', dates: ['2026-02-21', '2026-02-20'], lateMs: 9 * MINUTE_MS },
    ]);
  });

  test('names ten dates of a class at most, the worst', () => {
    const many = Array.from({ length: 12 }, (_, n) => overdue(`2026-02-${10 + n}`, 'active', n + 1));
    const [active] = measureLag(many, AT_NOON);
    expect(active?.dates).toHaveLength(10);
    expect([active?.dates[0], active?.dates.at(-1)]).toEqual(['2026-02-21', '2026-02-12']);
  });

  test('leaves out what fell due while the poll ran, however long it took', () => {
    const slices = [overdue(TODAY, 'hot', 10), overdue('2026-02-20', 'active', 21)];
    const poll = { startedAt: NOON - 15 * MINUTE_MS, now: NOON };
    expect(measureLag(slices, poll)).toEqual([
      { class: 'active', dates: ['2026-02-20'], lateMs: 21 * MINUTE_MS },
    ]);
  });

  test.each([
    ['hot', 5],
    ['active', 20],
    ['settled', 58],
  ] as const)('is too much beyond some cadences of its class: %s dates %i minutes', (dateClass, minutes) => {
    const of = (lateBy: number) => measureLag([overdue('2026-02-20', dateClass, lateBy)], AT_NOON);
    expect(updateLag(null, of(minutes), NOON).since).toBeNull();
    expect(updateLag(null, of(minutes + 1), NOON).since).toBe(NOON);
  });

  test('is over when no class is late by more than a cadence any more', () => {
    const worst = measureLag([overdue(TODAY, 'hot', 1), overdue('2026-02-20', 'active', 6)], AT_NOON);
    expect(updateLag(NOON, worst, NOON + 1).since).toBe(NOON);
    expect(updateLag(NOON, [], NOON + 1).since).toBeNull();
  });

  test('lasts from when a class is late by several cadences until none is late any more', () => {
    const of = (minutes: number) => measureLag([overdue('2026-02-20', 'active', minutes)], AT_NOON);
    expect(updateLag(null, of(20), NOON)).toEqual({ since: null, worst: of(20) });
    expect(updateLag(null, of(21), NOON)).toEqual({ since: NOON, worst: of(21) });
    expect(updateLag(NOON, of(6), NOON + 1).since).toBe(NOON);
    expect(updateLag(NOON, of(5), NOON + 1).since).toBeNull();
  });
});

function overdue(slice: string, dateClass: DueSlice['class'], minutes: number): DueSlice {
  const owedSince = NOON - minutes * MINUTE_MS;
  return {
    slice,
    class: dateClass,
    owedSince,
    dueAt: owedSince,
    cadenceMs: 1,
    lateness: 0,
    records: 1,
    isAlone: false,
    expectedRecords: 1,
  };
}
