import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Company, createCompany } from '#local/source/company/company.ts';
import { payPeriodSchema, timesheetSchema } from '#local/source/schemas.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, MORNING } from './support.ts';

const SETTINGS = { seed: 7, size: 30, timeZone: 'Pacific/Auckland', startsAt: MORNING };
const KINDS = [
  ['create', 'change', 'remove'],
  [
    'approve',
    'revoke-approval',
    'approve-payroll',
    'revoke-payroll-approval',
    'process',
    'revert-processing',
  ],
  ['clock-in', 'correct-clock-in', 'remove-clock-in', 'clock-out', 'correct-clock-out', 'remove-clock-out'],
  ['create-pay-period', 'change-pay-period', 'close-pay-period', 'reopen-pay-period', 'remove-pay-period'],
].flat();

describe('a simulated company', () => {
  it('is the same whatever the steps to an instant', () => {
    const small = { ...SETTINGS, size: 12 };
    const end = MORNING + 9 * DAY_MS;
    const whole = stateOf(lived(small, [end]));
    fc.assert(
      fc.property(fc.array(fc.integer({ min: MORNING - DAY_MS, max: end }), { maxLength: 12 }), (steps) => {
        expect(stateOf(lived(small, [...steps, end])) === whole).toBe(true);
      }),
      { numRuns: 6 },
    );
  });

  it('differs for another seed and is the same for the same seed', () => {
    const one = stateOf(createCompany(SETTINGS));
    expect(stateOf(createCompany({ ...SETTINGS }))).toBe(one);
    expect(stateOf(createCompany({ ...SETTINGS, seed: 8 }))).not.toBe(one);
  });

  it.each(['Pacific/Auckland', 'America/New_York', 'UTC'])(
    'holds all 20 kinds of change within three days of any start (%s)',
    (timeZone) => {
      for (const hours of [0, 6, 16, 24 * 24 + 19]) {
        const startsAt = MORNING + hours * HOUR_MS;
        const company = createCompany({ ...SETTINGS, timeZone, startsAt });
        company.advanceTo(startsAt + 3 * DAY_MS);
        const missing = KINDS.filter((kind) => !(kind in company.countChanges(startsAt)));
        expect({ hours, missing }).toEqual({ hours, missing: [] });
      }
    },
  );

  it('is busy on its first morning: arrivals, approvals, a pay run that is closed, opened and corrected', () => {
    const company = createCompany(SETTINGS);
    company.advanceTo(MORNING + 3 * HOUR_MS);
    const early = company.countChanges(MORNING);
    expect(early).toMatchObject({ 'close-pay-period': 1, create: expect.any(Number) });
    expect(early['clock-in']).toBeGreaterThan(5);
    expect(early.approve).toBeGreaterThan(5);
    expect(early['approve-payroll']).toBeGreaterThan(50);
    expect(early.process).toBeGreaterThan(50);
    const closed = company.history.find(({ at, change }) => at >= MORNING && change === 'close-pay-period');
    expect(new Date(closed?.at ?? 0).toISOString()).toBe('2026-03-04T21:30:00.000Z');
    company.advanceTo(MORNING + 4 * HOUR_MS + MINUTE_MS);
    expect(company.countChanges(MORNING)).toMatchObject({
      'reopen-pay-period': 1,
      'revert-processing': 2,
      'revoke-payroll-approval': 2,
      'close-pay-period': 2,
    });
  });

  it('makes various changes at any hour of the week', () => {
    const company = createCompany(SETTINGS);
    for (let hour = 0; hour < 168; hour += 5) {
      company.advanceTo(MORNING + hour * HOUR_MS);
      const timesheets = company.timesheets();
      for (const member of ['approvedHours', 'clockIn', 'clockOut', 'shift', 'department', 'role'] as const) {
        const withIt = timesheets.filter((timesheet) => timesheet[member] !== null).length;
        expect(withIt, member).toBeGreaterThan(0);
        expect(withIt, member).toBeLessThan(timesheets.length);
      }
      const open = company.payPeriods().filter(({ closed }) => closed === null);
      expect(open.length).toBeGreaterThan(1);
      expect(open.length).toBeLessThan(company.payPeriods().length);
    }
  });

  it('has rosters from weeks ago to about two weeks ahead on any day', () => {
    const company = createCompany(SETTINGS);
    for (let day = 0; day < 15; day += 1) {
      company.advanceTo(MORNING + day * DAY_MS);
      const dates = company.timesheets().map(({ date }) => date);
      const ahead = (Date.parse(dates.at(-1) ?? '') - Date.parse(company.today())) / DAY_MS;
      expect(ahead).toBeGreaterThanOrEqual(11);
      expect(ahead).toBeLessThanOrEqual(21);
      expect(dates[0]?.slice(0, 7)).toBe('2026-01');
    }
  });

  it('has overnight shifts, leave, casual jobs and work without a department', () => {
    const timesheets = createCompany(SETTINGS).timesheets();
    const overnight = timesheets.filter((timesheet) => timesheet.overnight);
    expect(overnight.length).toBeGreaterThan(10);
    expect(overnight.every(({ startTime, finishTime }) => startTime < finishTime)).toBe(true);
    expect(
      timesheets.filter(({ includesLeave }) => includesLeave).every(({ clockIn }) => clockIn === null),
    ).toBe(true);
    expect(timesheets.some(({ includesLeave }) => includesLeave)).toBe(true);
    const casual = timesheets.filter(({ casualJob }) => casualJob);
    expect(casual.length).toBeGreaterThan(10);
    expect(casual.every(({ contractedHoursId, shift }) => contractedHoursId === '' && shift === null)).toBe(
      true,
    );
    expect(casual.some(({ department, role }) => department === null && role === null)).toBe(true);
  });

  it('keeps the order of steps: nothing is processed that was not approved', () => {
    const company = createCompany(SETTINGS);
    company.advanceTo(MORNING + 20 * DAY_MS);
    const facts = company
      .timesheets()
      .map(({ approvedHours, approvedPayroll, processed, clockIn, clockOut }) => [
        processed === null || approvedPayroll !== null,
        approvedPayroll === null || approvedHours !== null,
        clockOut === null || clockIn !== null,
      ]);
    // A few timesheets may be in the middle of a reversal.
    expect(facts.filter((fact) => fact.includes(false)).length).toBeLessThan(3);
  });

  it('counts the totals of a pay period from its timesheets', () => {
    const company = createCompany(SETTINGS);
    const period = company.payPeriods().find(({ closed }) => closed === null);
    const inside = company.timesheets({ from: period?.startDate ?? '', to: period?.finishDate });
    expect(period).toMatchObject({
      numberTimesheets: inside.length,
      numberEmployees: new Set(inside.map(({ employeeId }) => employeeId)).size,
    });
    expect(period?.hours).toBeCloseTo(inside.reduce((sum, { hoursToPay }) => sum + hoursToPay, 0));
    const [victim] = inside;
    company.apply({ change: 'remove', id: victim?.id ?? '' });
    expect(company.payPeriod(period?.id ?? '')?.numberTimesheets).toBe(inside.length - 1);
  });

  it('keeps its times of day on days of daylight saving changes', () => {
    const company = createCompany({
      seed: 1,
      size: 30,
      timeZone: 'Europe/Paris',
      startsAt: Date.parse('2026-03-27T06:00:00Z'),
    });
    const starts = company
      .timesheets({ from: '2026-03-24', to: '2026-04-02' })
      .filter(({ shift }) => shift?.name === 'Early')
      .map(({ startTime }) => startTime.slice(11, 16));
    expect(new Set(starts)).toEqual(new Set(['05:00', '04:00']));
    const changed = new Set(company.history.flatMap(({ change, id }) => (change === 'change' ? [id] : [])));
    const nights = company
      .timesheets({ from: '2026-03-28', to: '2026-03-28' })
      .filter(({ overnight, id }) => overnight && !changed.has(id));
    expect(nights.length).toBeGreaterThan(0);
    // An hour of this night does not exist.
    for (const { details } of nights) expect(details.reduce((sum, { hours }) => sum + hours, 0)).toBe(7);
  });

  it('grows with its size and keeps every record in the shape of the specification', () => {
    const company = createCompany({ ...SETTINGS, size: 120 });
    expect(company.staff).toHaveLength(120);
    expect(company.departments().length).toBeGreaterThan(4);
    const timesheets = company.timesheets();
    expect(timesheets.length).toBeGreaterThan(5000);
    for (const timesheet of timesheets.slice(0, 2000)) timesheetSchema.parse(timesheet);
    for (const period of company.payPeriods()) payPeriodSchema.parse(period);
    expect(new Set(timesheets.map(({ id }) => id)).size).toBe(timesheets.length);
  });

  it.each([1, 2, 5])('works with %i employees', (size) => {
    const company = createCompany({ ...SETTINGS, size });
    company.advanceTo(MORNING + 8 * DAY_MS);
    expect(company.staff).toHaveLength(size);
    expect(company.timesheets().length).toBeGreaterThan(0);
  });
});

function lived(settings: typeof SETTINGS, steps: readonly number[]): Company {
  const company = createCompany(settings);
  for (const step of steps) company.advanceTo(step);
  return company;
}

function stateOf(company: Company): string {
  const { history } = company;
  return JSON.stringify([company.now(), history, company.timesheets(), company.payPeriods()]);
}
