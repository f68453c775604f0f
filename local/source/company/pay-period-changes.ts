import { addDays } from '#shared/core/dates.ts';
import type { PayPeriod } from '../schemas.ts';
import { roundHours } from './build-timesheet.ts';
import type { ChangeOutcome, CreatePeriodChange, EditPeriodChange, EndPeriodChange } from './changes.ts';
import { listMembers } from './pay-calendars.ts';
import { FORTNIGHTLY, PAYROLL_PROVIDER, WEEKLY } from './premises.ts';
import { nextId, recordHistory, type StoredPayPeriod, todayOf, type World } from './world.ts';

const LAST_DAY_OF_WEEK = 6;

export function createPayPeriod(world: World, change: CreatePeriodChange): ChangeOutcome {
  const startDate = change.startDate ?? findNextStartDate(world);
  const period: StoredPayPeriod = {
    id: nextId(world, change.calendar === FORTNIGHTLY ? 'fortnight' : 'payPeriod'),
    calendar: change.calendar ?? WEEKLY,
    startDate,
    finishDate: change.finishDate ?? addDays(startDate, LAST_DAY_OF_WEEK),
    closed: null,
    payRollCompanyId: change.calendar === undefined ? (world.premises.organisations[0]?.id ?? '') : '',
    payRollProvider: PAYROLL_PROVIDER,
  };
  return done(world, change, period);
}

export function editPayPeriod(
  world: World,
  change: EditPeriodChange,
  period: StoredPayPeriod,
): ChangeOutcome {
  const { change: _kind, id: _id, ...members } = change;
  const given = Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
  if (Object.keys(given).length === 0) given.calendar = `${period.calendar} (renamed)`;
  return done(world, change, { ...period, ...given });
}

/** Closes, reopens or removes a pay period. Refused when that would change nothing. */
export function endPayPeriod(world: World, change: EndPeriodChange, period: StoredPayPeriod): ChangeOutcome {
  switch (change.change) {
    case 'close-pay-period':
      if (period.closed !== null) return { outcome: 'refused', reason: 'the pay period is closed already' };
      return done(world, change, { ...period, closed: todayOf(world) });
    case 'reopen-pay-period':
      if (period.closed === null) return { outcome: 'refused', reason: 'the pay period is not closed' };
      return done(world, change, { ...period, closed: null });
    case 'remove-pay-period':
      world.payPeriods.delete(period.id);
      recordHistory(world, change.change, period.id);
      return { outcome: 'done', record: null };
  }
}

/** The period with the totals of its current timesheets (docs/source-api.md, Pay periods). */
export function addTotals(world: World, period: StoredPayPeriod): PayPeriod {
  const timesheets = listMembers(world, period);
  return {
    ...period,
    hours: roundHours(timesheets.reduce((sum, { hoursToPay }) => sum + hoursToPay, 0)),
    numberEmployees: new Set(timesheets.map(({ employeeId }) => employeeId)).size,
    numberTimesheets: timesheets.length,
  };
}

function findNextStartDate(world: World): string {
  const finishes = [...world.payPeriods.values()].filter(({ calendar }) => calendar === WEEKLY);
  const last = finishes
    .map(({ finishDate }) => finishDate)
    .sort()
    .at(-1);
  return last === undefined ? todayOf(world) : addDays(last, 1);
}

function done(
  world: World,
  { change }: CreatePeriodChange | EditPeriodChange | EndPeriodChange,
  period: StoredPayPeriod,
): ChangeOutcome {
  world.payPeriods.set(period.id, period);
  recordHistory(world, change, period.id);
  return { outcome: 'done', record: addTotals(world, period) };
}
