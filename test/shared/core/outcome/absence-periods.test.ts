import { describe, expect, test } from 'vitest';
import {
  type AbsenceSetting,
  readAbsenceRules,
  updateAbsencePeriods,
} from '#shared/core/outcome/absence-periods.ts';
import type { AbsencePeriod } from '#shared/core/records/absences.ts';
import { EMPTY_FEED_STATE } from '#shared/core/snapshot/feed-state.ts';
import { recordNewestEpoch } from '#shared/core/snapshot/recognize-table.ts';

const MINUTE_MS = 60_000;
const NOW = 1_000_000_000;
const IN_FORCE_AT = NOW + 15 * MINUTE_MS;
const QUARTER: AbsenceSetting = { clockInMinutes: 15 };
const BOTH: AbsenceSetting = { clockInMinutes: 15, clockOutHours: 2.5 };
const KNOWN: AbsencePeriod = { since: NOW - 1, clockInMs: 15 * MINUTE_MS };

describe('thresholds', () => {
  test('come into force a quarter of an hour after the first poll that has them', () => {
    expect(update([], BOTH)).toEqual([
      { since: IN_FORCE_AT, clockInMs: 15 * MINUTE_MS, clockOutMs: 150 * MINUTE_MS },
    ]);
  });

  test('stay as long as the setting does', () => {
    expect(update([KNOWN], QUARTER)).toEqual([KNOWN]);
  });

  test('of before stay in force until then', () => {
    expect(update([KNOWN], { clockInMinutes: 20 })).toEqual([
      KNOWN,
      { since: IN_FORCE_AT, clockInMs: 20 * MINUTE_MS },
    ]);
  });

  test('end a quarter of an hour after the option was switched off', () => {
    expect(update([KNOWN], undefined)).toEqual([KNOWN, { since: IN_FORCE_AT }]);
  });

  test('that never came into force leave no trace', () => {
    const pending = { since: NOW + 1, clockInMs: 20 * MINUTE_MS };
    expect(update([KNOWN, pending], { clockInMinutes: 20 })).toEqual([KNOWN, pending]);
    expect(update([KNOWN, pending], QUARTER)).toEqual([KNOWN]);
    expect(update([pending], undefined)).toBeUndefined();
    expect(update([pending], QUARTER)).toEqual([{ since: IN_FORCE_AT, clockInMs: 15 * MINUTE_MS }]);
  });

  test('do not come into force earlier, nor end those in force, when a clock is behind that of an earlier poll', () => {
    const DAY_MS = 24 * 60 * MINUTE_MS;
    expect(update([KNOWN], { clockInMinutes: 20 }, { newestEpoch: NOW - 1, now: NOW - DAY_MS })).toEqual([
      KNOWN,
      { since: IN_FORCE_AT, clockInMs: 20 * MINUTE_MS },
    ]);
  });

  test('of the clocking out alone are thresholds too', () => {
    expect(update([KNOWN], BOTH)).toEqual([
      KNOWN,
      { since: IN_FORCE_AT, clockInMs: 15 * MINUTE_MS, clockOutMs: 150 * MINUTE_MS },
    ]);
  });

  test('are those of the last period, however many there were', () => {
    const before = { since: NOW - 2, clockInMs: 20 * MINUTE_MS };
    const pending = { since: NOW + 1, clockInMs: 30 * MINUTE_MS };
    expect(update([before, KNOWN, pending], { clockInMinutes: 30 })).toEqual([before, KNOWN, pending]);
    expect(update([before, KNOWN, { ...pending, since: NOW }], QUARTER)).toHaveLength(4);
  });

  test('are bounded in number; the oldest go first', () => {
    const many = Array.from({ length: 50 }, (_, at) => ({ since: at, clockInMs: at + 1 }));
    expect(update(many, QUARTER)).toHaveLength(50);
    expect(update(many, QUARTER)?.[0]).toEqual(many[1]);
  });
});

test('a connection that never had the option has neither periods nor rules', () => {
  expect(update([], undefined)).toBeUndefined();
  expect(readAbsenceRules(EMPTY_FEED_STATE, 'UTC')).toBeNull();
  expect(readAbsenceRules({ ...EMPTY_FEED_STATE, absences: [] }, 'UTC')).toBeNull();
});

function update(
  periods: readonly AbsencePeriod[],
  setting: AbsenceSetting | undefined,
  { now = NOW, newestEpoch = 0 } = {},
) {
  const absences = periods.length === 0 ? {} : { absences: [...periods] };
  const state = recordNewestEpoch({ ...EMPTY_FEED_STATE, newestEpoch, ...absences }, now);
  return updateAbsencePeriods(state, setting, state.newestEpoch);
}
