import { describe, expect, test } from 'vitest';
import type { DueSlice } from '#shared/core/plan/agenda.ts';
import { measureLag, updateLag } from '#shared/core/plan/lag.ts';
import { MINUTE_MS } from '#test/support/builders.ts';
import { NOON, TODAY } from './agendas.ts';

describe('how late dates are', () => {
  test('is measured by class, the worst first', () => {
    const slices = [
      overdue(TODAY, 'hot', 1),
      overdue('2026-02-20', 'active', 7),
      overdue('2026-02-21', 'active', 9),
      overdue('2026-02-01', 'settled', -3),
    ];
    expect(measureLag(slices, NOON)).toEqual([
      { class: 'hot', dates: [TODAY], lateMs: MINUTE_MS },
      { class: 'active', dates: ['2026-02-21', '2026-02-20'], lateMs: 9 * MINUTE_MS },
    ]);
  });

  test('is reported once when a class is late by several cadences, and once when none is late any more', () => {
    const of = (minutes: number) => measureLag([overdue('2026-02-20', 'active', minutes)], NOON);
    expect(updateLag(null, of(20), NOON).operations).toEqual([]);
    const begun = updateLag(null, of(21), NOON);
    expect(begun.lag.since).toBe(NOON);
    expect(begun.operations).toEqual([
      {
        type: 'feed.lagging',
        subject: null,
        data: {
          since: '2026-03-05T12:00:00.000Z',
          worst: [{ class: 'active', dates: ['2026-02-20'], lateSeconds: 21 * 60 }],
        },
      },
    ]);
    expect(updateLag(NOON, of(90), NOON + 1)).toEqual({
      lag: { since: NOON, worst: of(90) },
      operations: [],
    });
    expect(updateLag(NOON, of(6), NOON + 1).operations).toEqual([]);
    expect(updateLag(NOON, of(5), NOON + 1).operations).toEqual([
      { type: 'feed.caught_up', subject: null, data: { since: '2026-03-05T12:00:00.000Z' } },
    ]);
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
