import { describe, expect, test } from 'vitest';
import {
  type AbsenceRules,
  findDueInstants,
  judgeMissing,
  type Missing,
  readPlan,
  showMissing,
} from '#shared/core/records/absences.ts';
import type { State } from '#shared/core/records/fields.ts';

const HOUR_MS = 3_600_000;
const CLOCK = { id: '7001_7', localTime: null, variance: 0, kiosk: true, beacon: false };
const CAME = { clockIn: CLOCK };
const EXPECTED: State = {
  startTime: '2026-03-05T08:00:00.000Z',
  finishTime: '2026-03-05T16:00:00.000Z',
  ...{ clockIn: null, clockOut: null, includesLeave: false },
  ...{ approvedHours: null, approvedPayroll: null, processed: null },
};
const RULES: AbsenceRules = { clockInMs: 15 * 60_000, clockOutMs: 3 * HOUR_MS, timeZone: 'UTC' };
const IN = '2026-03-05T08:15:00.000Z';
const OUT = '2026-03-05T19:00:00.000Z';

/** From when on something is missing: `in` or `out` with the instant; empty for nothing. */
function due(values: State, rules: Partial<AbsenceRules> = {}): string {
  const { clockIn, clockOut } = findDueInstants({ ...EXPECTED, ...values }, { ...RULES, ...rules });
  const say = (name: string, at: number | undefined) =>
    at === undefined ? [] : [`${name} ${new Date(at).toISOString()}`];
  return [...say('in', clockIn), ...say('out', clockOut)].join(', ');
}

describe('a clocking is missing from when on', () => {
  test.each<[string, State, string]>([
    ['a clock-in, so long after the planned start', {}, `in ${IN}`],
    ['also beside a clock-out', { clockOut: CLOCK }, `in ${IN}`],
    ['a clock-out, so long after the planned finish, of who clocked in', CAME, `out ${OUT}`],
    ['also on a day with some leave', { ...CAME, includesLeave: true }, `out ${OUT}`],
    ['none is while both are there', { ...CAME, clockOut: CLOCK }, ''],
    ['no clock-in on a day with leave', { includesLeave: true }, ''],
    ['nothing of hours that are approved', { approvedHours: '2026-03-05T08:05:00.000Z' }, ''],
    ['nothing that payroll approved', { ...CAME, approvedPayroll: 'PAY-1' }, ''],
    ['nothing that is processed', { processed: '2026-03-05' }, ''],
    ['no clock-in without a planned start', { startTime: null }, ''],
    ['none of a start that is no date-time', { startTime: 'soon' }, ''],
    ['no clock-out without a planned finish', { ...CAME, finishTime: null }, ''],
    [
      'of a finish before the start, on the next day',
      { ...CAME, startTime: '2026-03-05T22:00:00.000Z', finishTime: '2026-03-05T06:00:00.000Z' },
      'out 2026-03-06T09:00:00.000Z',
    ],
  ])('%s', (_, values, expected) => {
    expect(due(values)).toBe(expected);
  });

  test('without a threshold it is not waited for', () => {
    expect(due({}, { clockInMs: undefined })).toBe('');
    expect(due(CAME, { clockOutMs: undefined })).toBe('');
  });

  test('the night in which clocks are changed has its finish at the same time by the clocks', () => {
    // New Zealand goes back an hour on 5 April 2026 at 03:00.
    const night = { startTime: '2026-04-04T22:00:00', finishTime: '2026-04-04T06:00:00' };
    const { start, finish } = readPlan(night, 'Pacific/Auckland');
    expect(((finish ?? 0) - (start ?? 0)) / HOUR_MS).toBe(9);
  });
});

describe('what is told as missing', () => {
  const at = (time: string) => Date.parse(time);
  const judge = (now: string, told: Missing = {}, values: State = {}) =>
    judgeMissing({ ...EXPECTED, ...values }, told, { rules: RULES, at: at(now) });

  test.each<[string, string, Missing, State, Missing]>([
    ['nothing before its time', '2026-03-05T08:14:59.999Z', {}, {}, {}],
    ['it is from its time on', IN, {}, {}, { clockIn: at(IN) }],
    ['new for a day', '2026-03-06T08:15:00.000Z', {}, {}, { clockIn: at(IN) }],
    ['not new after it', '2026-03-06T08:15:00.001Z', {}, {}, {}],
    ['what was told stays as it was told', '2026-03-09T00:00:00.000Z', { clockIn: 7 }, {}, { clockIn: 7 }],
    [
      'a plan that is put off begins the wait anew',
      '2026-03-05T08:20:00.000Z',
      { clockIn: 7 },
      { startTime: '2026-03-05T09:00:00.000Z' },
      {},
    ],
    ['it ends when nobody waits any more', IN, { clockIn: 7 }, { includesLeave: true }, {}],
    ['one ends and another begins', OUT, { clockIn: 7 }, CAME, { clockOut: at(OUT) }],
  ])('%s', (...[, now, told, values, expected]) => {
    expect(judge(now, told, values)).toEqual(expected);
  });

  test('stands in the state of an event', () => {
    expect(showMissing({})).toEqual({});
    expect(showMissing({ clockIn: at(IN), clockOut: at(OUT) })).toEqual({
      ...{ clockInMissing: IN, clockOutMissing: OUT },
    });
  });
});
