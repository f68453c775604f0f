import { beginLife } from '../life/days.ts';
import type { EmployeeDailyStatus, PayPeriod, Timesheet } from '../schemas.ts';
import { applyChange } from './apply-change.ts';
import type { ChangeKind, ChangeOutcome, CompanyChange } from './changes.ts';
import { listMembers } from './pay-calendars.ts';
import { addTotals } from './pay-period-changes.ts';
import type { Premises } from './premises.ts';
import type { Member } from './staff.ts';
import type { Dates } from './timesheet-store.ts';
import { type CompanySettings, createWorld, type HistoryEntry, todayOf, type World } from './world.ts';

const UNAVAILABLE_SHARE = 0.1;

/** A simulated company. Its state at an instant follows from its settings and the manual changes. */
export interface Company {
  readonly settings: CompanySettings;
  readonly premises: Premises;
  readonly staff: readonly Member[];
  /** Every change so far in order, including the eight weeks before `startsAt`. */
  readonly history: readonly HistoryEntry[];
  /** The simulated instant, in milliseconds since 1970. */
  now(): number;
  /** The current date in the company's time zone. */
  today(): string;
  /** Simulates up to an instant (ms since 1970); an earlier one changes nothing. The size of the steps does not matter. */
  advanceTo(instant: number): void;
  /** Applies a manual change at the current instant. */
  apply(change: CompanyChange): ChangeOutcome;
  timesheet(id: string): Timesheet | undefined;
  /** By date, and on a date the newest first. */
  timesheets(dates?: Dates): Timesheet[];
  payPeriods(): PayPeriod[];
  payPeriod(id: string): PayPeriod | undefined;
  /** By date, and on a date the newest first. */
  members(period: PayPeriod): Timesheet[];
  /** docs/source-api.md, Employees. */
  dailyStatus(employeeId: string, date: string): EmployeeDailyStatus;
  /** Changes by kind since an instant. */
  countChanges(since?: number): Partial<Record<ChangeKind, number>>;
}

/** Creates a company and simulates it up to `startsAt`. */
export function createCompany(settings: CompanySettings): Company {
  const world = createWorld(settings);
  beginLife(world);
  advance(world, settings.startsAt);
  return {
    settings,
    premises: world.premises,
    staff: world.staff,
    history: world.history,
    now: () => world.now,
    today: () => todayOf(world),
    advanceTo: (instant) => advance(world, instant),
    apply: (change) => applyChange(world, change),
    timesheet: (id) => world.timesheets.get(id),
    timesheets: (dates) => (dates === undefined ? world.timesheets.all() : world.timesheets.between(dates)),
    payPeriods: () => [...world.payPeriods.values()].map((period) => addTotals(world, period)),
    payPeriod(id) {
      const period = world.payPeriods.get(id);
      return period === undefined ? undefined : addTotals(world, period);
    },
    members: (period) => listMembers(world, period),
    dailyStatus: (employeeId, date) => ({ status: computeStatus(world, employeeId, date) }),
    countChanges: (since = Number.NEGATIVE_INFINITY) => countChanges(world, since),
  };
}

function advance(world: World, instant: number): void {
  for (;;) {
    const item = world.agenda.takeDue(instant);
    if (item === undefined) break;
    world.now = Math.max(world.now, item.at);
    item.task();
  }
  world.now = Math.max(world.now, instant);
}

function computeStatus(world: World, employeeId: string, date: string): EmployeeDailyStatus['status'] {
  const timesheets = world.timesheets
    .between({ from: date, to: date })
    .filter((timesheet) => timesheet.employeeId === employeeId);
  if (timesheets.some(({ includesLeave }) => includesLeave)) return 'OnLeave';
  if (timesheets.length > 0) return 'Working';
  const draw = world.chance.fraction(`unavailable/${employeeId}/${date}`);
  return draw < UNAVAILABLE_SHARE ? 'Unavailable' : 'Available';
}

function countChanges(world: World, since: number): Partial<Record<ChangeKind, number>> {
  const counts: Partial<Record<ChangeKind, number>> = {};
  for (const { at, change } of world.history) {
    if (at >= since) counts[change] = (counts[change] ?? 0) + 1;
  }
  return counts;
}
