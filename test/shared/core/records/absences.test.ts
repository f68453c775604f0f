import { describe, expect, test } from 'vitest';
import { type AbsencePeriod, judgeAbsences, type PlannedClockings } from '#shared/core/records/absences.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const CLOCK = ['7001_7', null, 0, true, false];
const EXPECTED: PlannedClockings = {
  startTime: '2026-03-05T08:00:00.000Z',
  finishTime: '2026-03-05T16:00:00.000Z',
  clockIn: null,
  clockOut: null,
  includesLeave: false,
  settled: [null, null, null],
};
const THRESHOLDS: AbsencePeriod = { since: 0, clockInMs: 15 * MINUTE_MS, clockOutMs: 3 * HOUR_MS };

describe('a clock-in', () => {
  test('is missing from the threshold after the planned start on', () => {
    expect(judge('2026-03-05T08:14:59.999Z').clockInMissing).toBeNull();
    expect(judge('2026-03-05T08:15:00.000Z').clockInMissing).toBe('2026-03-05T08:15:00.000Z');
    expect(judge('2026-03-07T08:15:00.000Z').clockInMissing).toBe('2026-03-05T08:15:00.000Z');
  });

  test.each([
    ['there, even without a time', { clockIn: CLOCK }],
    ['not readable', { clockIn: 'odd' }],
    ['of a day with leave', { includesLeave: true }],
    ['of hours that are approved', { settled: ['2026-03-05T08:05:00.000Z', null, null] }],
    ['of a timesheet that payroll approved', { settled: [null, 'PAYROLL-1', null] }],
    ['of a timesheet that is processed', { settled: [null, null, 'yes'] }],
    ['without a planned start', { startTime: null }],
    ['of a start that is no date-time', { startTime: 'soon' }],
    ['of a placeholder for a start', { startTime: '0000-01-01T00:00:00', finishTime: '0000-01-01T00:00:00' }],
  ])('is not missing when it is %s', (_, values) => {
    expect(judge('2026-03-05T12:00:00.000Z', values).clockInMissing).toBeNull();
  });

  test('is missing although there is a clock-out', () => {
    expect(judge('2026-03-05T12:00:00.000Z', { clockOut: CLOCK }).clockInMissing).not.toBeNull();
  });

  test('is not waited for without a threshold', () => {
    const periods = [{ since: 0, clockOutMs: HOUR_MS }];
    expect(judge('2026-03-05T12:00:00.000Z', {}, { periods }).clockInMissing).toBeNull();
  });
});

describe('a clock-out', () => {
  const CAME = { clockIn: CLOCK };

  test('is missing from the threshold after the planned finish on, for those who clocked in', () => {
    expect(judge('2026-03-05T18:59:59.999Z', CAME).clockOutMissing).toBeNull();
    expect(judge('2026-03-05T19:00:00.000Z', CAME).clockOutMissing).toBe('2026-03-05T19:00:00.000Z');
    expect(judge('2026-03-05T19:00:00.000Z').clockOutMissing).toBeNull();
  });

  test.each([
    ['there', { clockOut: CLOCK }],
    ['of hours that are approved', { settled: ['2026-03-05T18:00:00.000Z', null, null] }],
    ['without a planned finish', { finishTime: null }],
  ])('is not missing when it is %s', (_, values) => {
    expect(judge('2026-03-06T12:00:00.000Z', { ...CAME, ...values }).clockOutMissing).toBeNull();
  });

  test('is waited for on a day with some leave', () => {
    const values = { ...CAME, includesLeave: true };
    expect(judge('2026-03-06T12:00:00.000Z', values).clockOutMissing).not.toBeNull();
  });

  test('of a finish before the start belongs to the next day', () => {
    const night = { ...CAME, startTime: '2026-03-05T22:00:00.000Z', finishTime: '2026-03-05T06:00:00.000Z' };
    expect(judge('2026-03-06T08:59:59.999Z', night).clockOutMissing).toBeNull();
    expect(judge('2026-03-06T09:00:00.000Z', night).clockOutMissing).toBe('2026-03-06T09:00:00.000Z');
  });

  test('of a finish before the start is at the same time by the clocks, when they are changed in that night', () => {
    // New Zealand goes back an hour on 5 April 2026 at 03:00.
    const night = { ...CAME, startTime: '2026-04-04T22:00:00', finishTime: '2026-04-04T06:00:00' };
    const timeZone = 'Pacific/Auckland';
    const judged = judge('2026-04-05T12:00:00.000Z', night, { timeZone });
    expect(judged.clockOutMissing).toBe('2026-04-04T21:00:00.000Z');
  });
});

test.each([
  ['the night in which clocks go forward', '2026-09-27T08:00:00', '2026-09-26T19:15:00.000Z'],
  ['the day before', '2026-09-26T08:00:00', '2026-09-25T20:15:00.000Z'],
])('a start without an offset is in the zone of the connection: %s', (_, startTime, missingSince) => {
  const judged = judge('2026-09-28T00:00:00.000Z', { startTime }, { timeZone: 'Pacific/Auckland' });
  expect(judged.clockInMissing).toBe(missingSince);
});

describe('of several thresholds', () => {
  const OLDER = { since: Date.parse('2026-03-01T00:00:00Z'), clockInMs: 15 * MINUTE_MS };
  const NEWER = { since: Date.parse('2026-03-05T08:00:00.000Z'), clockInMs: 60 * MINUTE_MS };
  const OFF = { since: Date.parse('2026-03-05T08:00:00.000Z') };
  const BEFORE = { startTime: '2026-03-05T07:59:59.999Z' };
  const AT = '2026-03-05T08:30:00.000Z';

  test('those in force at the planned time count', () => {
    const periods = [OLDER, NEWER];
    expect(judge(AT, BEFORE, { periods }).clockInMissing).toBe('2026-03-05T08:14:59.999Z');
    expect(judge(AT, {}, { periods }).clockInMissing).toBeNull();
    expect(judge('2026-03-05T09:00:00.000Z', {}, { periods }).clockInMissing).not.toBeNull();
  });

  test('none counts for what was planned before the first or after the last', () => {
    expect(judge(AT, BEFORE, { periods: [NEWER] }).clockInMissing).toBeNull();
    expect(judge(AT, {}, { periods: [OLDER, OFF] }).clockInMissing).toBeNull();
    expect(judge(AT, BEFORE, { periods: [OLDER, OFF] }).clockInMissing).not.toBeNull();
  });
});

interface Rules {
  readonly periods?: readonly AbsencePeriod[];
  readonly timeZone?: string;
}

function judge(
  at: string,
  values: Partial<PlannedClockings> = {},
  { periods = [THRESHOLDS], timeZone = 'UTC' }: Rules = {},
) {
  return judgeAbsences({ ...EXPECTED, ...values }, { periods, timeZone }, Date.parse(at));
}
