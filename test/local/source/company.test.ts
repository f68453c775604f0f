import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Company, createCompany } from '#local/source/company/company.ts';
import { payPeriodSchema, timesheetSchema } from '#local/source/schemas.ts';
import { countChanges, DAY_MS, HOUR_MS, MORNING } from './support.ts';

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
        const missing = KINDS.filter((kind) => !(kind in countChanges(company, startsAt)));
        expect({ hours, missing }).toEqual({ hours, missing: [] });
      }
    },
  );

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

  it.each([1, 5])('works with %i employees', (size) => {
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
