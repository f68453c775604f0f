import { beginLife } from '../life/days.ts';
import type { Department, Employee, PayPeriod, Timesheet } from '../schemas.ts';
import type { Dates, Version } from '../world/records.ts';
import { type Totals, World } from '../world/world.ts';
import { Agenda } from './agenda.ts';
import { applyChange } from './apply-change.ts';
import { type Chance, createChance } from './chance.ts';
import type { ChangeKind, ChangeOutcome, CompanyChange } from './changes.ts';
import { createLocalCalendar, type LocalCalendar } from './local-calendar.ts';
import { buildWorkplaces, FORTNIGHTLY, WEEKLY, type Workplace } from './premises.ts';
import { hireStaff, type Member } from './staff.ts';

export interface CompanySettings {
  /** An integer; another seed gives another company. */
  readonly seed: number;
  /** Number of employees, at least 1. */
  readonly size: number;
  /** IANA name. */
  readonly timeZone: string;
  /** Start of the simulation (ms since 1970). The company has eight weeks of history by then. */
  readonly startsAt: number;
  /** With 2, one department is paid every two weeks and the others weekly; default 1. */
  readonly calendars?: 1 | 2 | undefined;
}

/** A pay period without its totals, which are computed from the timesheets on reading. */
export type StoredPayPeriod = Omit<PayPeriod, keyof Totals>;

type CompanyRows = {
  readonly timesheets: Timesheet;
  readonly 'pay-periods': StoredPayPeriod;
  readonly employees: Employee;
  readonly departments: Department;
};

/** A version of a record of a feed, and the change that made it. */
interface Entry<Feed extends PayFeed> extends Version<CompanyRows[Feed]> {
  readonly feed: Feed;
  readonly change: ChangeKind;
  readonly id: string;
}

type PayFeed = 'timesheets' | 'pay-periods';
export type HistoryEntry = Entry<'timesheets'> | Entry<'pay-periods'>;

const FIRST_IDS = {
  timesheet: 100_001,
  detail: 2_000_001,
  clock: 500_001,
  payPeriod: 9001,
  fortnight: 9501,
  payroll: 1,
};

/** With two calendars this department, by its place, is paid every two weeks. */
const FORTNIGHTLY_PLACE = 3;

/** A simulated company. Its state at an instant follows from its settings and the changes that are made by hand. */
export class Company {
  readonly settings: CompanySettings;
  readonly world: World<CompanyRows>;
  readonly calendar: LocalCalendar;
  readonly chance: Chance;
  readonly workplaces: readonly Workplace[];
  /** Those who are hired in the beginning. */
  readonly staff: readonly Member[];
  /** Every change so far in order, including the eight weeks before `startsAt`. */
  readonly history: HistoryEntry[] = [];
  readonly #staffById: ReadonlyMap<string, Member>;
  readonly #agenda = new Agenda();
  readonly #lastIds = { ...FIRST_IDS };
  #now = Number.NEGATIVE_INFINITY;

  constructor(settings: CompanySettings) {
    this.settings = settings;
    this.calendar = createLocalCalendar(settings.timeZone);
    this.chance = createChance(settings.seed);
    this.workplaces = buildWorkplaces(settings.size);
    this.staff = hireStaff(this.workplaces, settings.size);
    this.#staffById = new Map(this.staff.map((member) => [member.employee.id, member]));
    this.world = new World(
      ({ sheet, period }) =>
        settings.calendars !== 2 || period.calendar === this.calendarOf(sheet.employeeId),
    );
    const { employees, departments } = this.world.records;
    for (const { employee } of this.staff) employees.add(employee.id, { at: this.#now, record: employee });
    for (const { department } of this.workplaces)
      departments.add(department.id, { at: this.#now, record: department });
  }

  /** The simulated instant, in milliseconds since 1970. */
  now(): number {
    return this.#now;
  }

  /** The current date in the company's time zone. */
  today(): string {
    return this.calendar.dateOf(this.#now);
  }

  /** Simulates up to an instant (ms since 1970); an earlier one changes nothing. The size of the steps does not matter. */
  advanceTo(instant: number): void {
    for (let task = this.#agenda.takeDue(instant); task !== undefined; task = this.#agenda.takeDue(instant)) {
      this.#now = Math.max(this.#now, task.at);
      task.act();
    }
    this.#now = Math.max(this.#now, instant);
  }

  /** Plans something at an instant (ms since 1970). */
  schedule(at: number, act: () => void): void {
    this.#agenda.add(at, act);
  }

  /** Plans something some minutes after local midnight of a date. */
  scheduleAt([date, minutes]: readonly [string, number], act: () => void): void {
    this.schedule(this.calendar.at(date, minutes), act);
  }

  /** Plans something some seconds from now. */
  scheduleIn(seconds: number, act: () => void): void {
    this.schedule(this.#now + seconds * 1000, act);
  }

  /** Applies a change at the current instant. Nothing changes unless the outcome is `done`. */
  apply(change: CompanyChange): ChangeOutcome {
    return applyChange(this, change);
  }

  /** Keeps the new state of a record, `null` when it is gone. */
  record<Feed extends PayFeed>(feed: Feed, state: Pick<Entry<Feed>, 'change' | 'id' | 'record'>): void {
    const entry: Entry<Feed> = { at: this.#now, feed, ...state };
    this.history.push(entry as HistoryEntry);
    this.world.records[feed].add(entry.id, entry);
  }

  /** The next id of a kind, `<digits>_<digits>`. */
  nextId(kind: keyof typeof FIRST_IDS): string {
    const number = this.#lastIds[kind];
    this.#lastIds[kind] = number + 1;
    return `${number}_1`;
  }

  memberOf(employeeId: string): Member | undefined {
    return this.#staffById.get(employeeId);
  }

  timesheet(id: string): Timesheet | undefined {
    return this.world.records.timesheets.get(id)?.latest ?? undefined;
  }

  /** By date, and on a date the newest first. */
  timesheets(dates: Dates = { from: '' }): Timesheet[] {
    return this.world.records.timesheets.between(dates);
  }

  payPeriods(): PayPeriod[] {
    return this.world.records['pay-periods'].list().map((period) => this.#addTotals(period));
  }

  payPeriod(id: string): PayPeriod | undefined {
    const period = this.world.records['pay-periods'].get(id)?.latest ?? null;
    return period === null ? undefined : this.#addTotals(period);
  }

  /** The pay period with these members. */
  findPeriod(wanted: Partial<StoredPayPeriod>): StoredPayPeriod | undefined {
    return this.world.records['pay-periods']
      .list()
      .find((period) =>
        Object.entries(wanted).every(([name, value]) => period[name as keyof StoredPayPeriod] === value),
      );
  }

  /** By date, and on a date the newest first. */
  members({ id }: Pick<PayPeriod, 'id'>): Timesheet[] {
    return this.world.members(id);
  }

  employees(): Employee[] {
    return this.world.records.employees.list();
  }

  departments(): Department[] {
    return this.world.records.departments.list();
  }

  /** Changes by kind since an instant. */
  countChanges(since = Number.NEGATIVE_INFINITY): Partial<Record<ChangeKind, number>> {
    const counts: Partial<Record<ChangeKind, number>> = {};
    for (const { at, change } of this.history) if (at >= since) counts[change] = (counts[change] ?? 0) + 1;
    return counts;
  }

  /** Totals are of its current timesheets (docs/source-api.md, Pay periods). */
  #addTotals(period: StoredPayPeriod): PayPeriod {
    return { ...period, ...this.world.totals(period.id) };
  }

  /** Name of the calendar by which an employee is paid, in a company with two. */
  calendarOf(employeeId: string): string {
    const department = this.memberOf(employeeId)?.workplace.department;
    return department?.id === this.workplaces[FORTNIGHTLY_PLACE]?.department.id ? FORTNIGHTLY : WEEKLY;
  }
}

/** Creates a company and simulates it up to `startsAt`. */
export function createCompany(settings: CompanySettings): Company {
  const company = new Company(settings);
  beginLife(company);
  company.advanceTo(settings.startsAt);
  return company;
}
