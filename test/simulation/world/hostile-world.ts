import type { RawRecord, TrackedRecord } from '#local/source/world/records.ts';
import { World } from '#local/source/world/world.ts';
import { addDays, toLocalDate } from '#shared/core/dates.ts';
import type { FeedName } from '#shared/core/feeds.ts';
import type { Random } from '../random.ts';
import type { Settings } from '../settings.ts';
import { Books } from './books.ts';
import { LIVES } from './lives.ts';
import { COMPANY_STEPS, type Company, nextPayrollStep, openingPeriods } from './pay-periods.ts';
import {
  CLOCKING_STEPS,
  newTimesheet,
  type Step,
  type StepContext,
  TIMESHEET_STEPS,
} from './timesheet-steps.ts';

/** Chances of steps that create, delete or restore a record; most steps change one. */
const MAKE_SHARE = 0.12;
const DELETE_SHARE = 0.09;
const BRING_BACK_SHARE = 0.08;
/** At a busy source records come and go more often, and one replaces another. */
const BUSY_FACTOR = 2.5;
const REPLACE_SHARE = 0.2;
const BULK_SHARE = 0.04;
/** With rosters, more often. */
const ROSTER_BULK_SHARE = 0.12;
const FLAP_SHARE = 0.08;
/** Of the steps of a company with tidy pay periods. */
const PAYROLL_SHARE = 0.15;
const CALENDAR_CHANGE_SHARE = 0.04;
/** Records that are created with a mistake and corrected a moment later. */
const SLIP_SHARE = 0.3;
const MAX_WITH_ROSTERS = 2_200;
/** For records that replace another one. */
const MAX_REPLACED = 60;

/** The world of the source in the hands of chance: its records change in random steps at given instants. */
export class HostileWorld extends World {
  readonly books: Books;
  /** Changes made so far. */
  changes = 0;
  /** A date may have lost most of its records, or most of a fact, at once. */
  massLosses = 0;
  readonly #random: Random;
  readonly #settings: Settings;
  readonly #agenda: readonly number[];
  #done = 0;

  /** `agenda`: instants of the steps, in order. */
  constructor(random: Random, settings: Settings, agenda: readonly number[]) {
    const books = new Books(settings.company?.calendars === 2);
    super((question) => books.belongs(question, this));
    this.books = books;
    this.#random = random;
    this.#settings = settings;
    this.#agenda = agenda;
    this.#open(settings.startAt - 1);
    this.changes = 0;
  }

  #open(before: number): void {
    const random = this.#random;
    const { company, rosterSize } = this.#settings;
    for (let made = random.chance(0.15) ? 0 : random.between(1, 9); made > 0; made -= 1) {
      this.#make('timesheets', before);
      for (let steps = random.between(0, 3); steps > 0; steps -= 1) this.#change('timesheets', before);
    }
    if (company !== null) this.#openPeriods(company, before);
    else for (let made = random.between(0, 3); made > 0; made -= 1) this.#make('pay-periods', before);
    for (let made = random.between(0, 9); made > 0; made -= 1) this.#make('employees', before);
    for (let made = random.between(0, 4); made > 0; made -= 1) this.#make('departments', before);
    if (rosterSize > 0 && random.chance(0.6)) this.#roster(before);
  }

  /** Makes every step until an instant. */
  advanceTo(now: number): void {
    for (;;) {
      const at = this.#agenda[this.#done];
      if (at === undefined || at > now) return;
      this.#done += 1;
      this.#step(at);
    }
  }

  #step(at: number): void {
    const random = this.#random;
    const { company, busy, feeds } = this.#settings;
    const few = feeds.filter((feed) => feed !== 'timesheets');
    const feed = few.length > 0 && random.chance(0.25) ? random.pick(few) : 'timesheets';
    const often = busy ? BUSY_FACTOR : 1;
    if (company !== null && this.#companyStep(company, at)) return;
    if (random.chance(this.#settings.rosterSize > 0 ? ROSTER_BULK_SHARE : BULK_SHARE)) this.#bulk(at);
    else if (busy && random.chance(REPLACE_SHARE)) this.#replace(at);
    else if (random.chance(MAKE_SHARE * often)) this.#make(feed, at);
    else if (random.chance(DELETE_SHARE * often)) this.#delete(feed, at);
    else if (random.chance(BRING_BACK_SHARE * often)) this.#bringBack(feed, at);
    else if (random.chance(FLAP_SHARE)) this.#flap(feed, at);
    else this.#change(feed, at);
  }

  /** Whether it was one of payroll, or of calendars. */
  #companyStep({ calendars }: Company, at: number): boolean {
    const random = this.#random;
    if (random.chance(PAYROLL_SHARE)) this.#payroll(at);
    else if (calendars === 2 && random.chance(CALENDAR_CHANGE_SHARE)) this.#changeCalendar(at);
    else return false;
    return true;
  }

  #openPeriods(company: Company, at: number): void {
    for (const [calendar, period] of openingPeriods(company, this.#context(at).today)) {
      const id = this.#nextId('pay-periods');
      this.books.calendars.set(id, calendar);
      this.#add('pay-periods', { ...period, id }, at);
    }
  }

  #payroll(at: number): void {
    const record = this.#someone('pay-periods', true);
    const period = record?.latest ?? null;
    if (record === null || period === null) return;
    const next = nextPayrollStep(period, this.members(record.id, at), this.#context(at));
    if (next.period !== null) this.#turn(record, next.period, at);
    for (const sheet of next.timesheets) {
      const member = this.records.timesheets.get(String(sheet.id));
      if (member !== undefined) this.#turn(member, sheet, at);
    }
  }

  #changeCalendar(at: number): void {
    const employeeId = this.#someone('timesheets', true)?.latest?.employeeId;
    if (employeeId === undefined) return;
    const changes = this.books.changes.get(String(employeeId)) ?? [];
    this.books.changes.set(String(employeeId), [...changes, at]);
    this.changes += 1;
  }

  #context(now: number): StepContext {
    const { connection, absences, wholeSeconds } = this.#settings;
    return {
      ...{ random: this.#random, now, wholeSeconds, plansNow: absences !== null },
      today: toLocalDate(now, connection.timeZone),
      ...connection.window,
    };
  }

  #nextId(feed: FeedName): string {
    return `${this.records[feed].size + 1}_${LIVES[feed].suffix}`;
  }

  #add(feed: FeedName, raw: RawRecord, at: number): TrackedRecord {
    const record = this.records[feed].add(String(raw.id), { at, record: raw });
    this.changes += 1;
    return record;
  }

  #make(feed: FeedName, at: number): void {
    const { company, rosterSize, feeds } = this.#settings;
    const most = feed === 'timesheets' && rosterSize > 0 ? MAX_WITH_ROSTERS : LIVES[feed].maxRecords;
    // Tidy periods are all there from the start.
    const isTidy = feed === 'pay-periods' && company !== null;
    if (this.records[feed].size >= most || isTidy || !feeds.includes(feed)) return;
    const record = this.#add(feed, LIVES[feed].make(this.#nextId(feed), this.#context(at)), at);
    if (this.#random.chance(SLIP_SHARE)) this.#putRight(record, at + this.#random.between(100, 2_500));
  }

  /** Mostly the wrong date. */
  #putRight(record: TrackedRecord, at: number): void {
    const move = record.feed === 'timesheets' && this.#random.chance(0.7) ? TIMESHEET_STEPS.moved : undefined;
    const moved = record.latest === null ? null : move?.(record.latest, this.#context(at));
    if (moved == null) this.#changeOne(record, at);
    else this.#turn(record, moved, at);
  }

  /** Publishes a roster: a date fills at once, half of it already approved at times. */
  #roster(at: number): void {
    const context = this.#context(at);
    const isApproved = this.#random.chance(0.3);
    const model = newTimesheet('', context);
    const date = addDays(context.today, this.#random.pick([-1, 0, 0, 0, 1]));
    for (let made = 0; made < this.#settings.rosterSize; made += 1) {
      const record = this.#add('timesheets', { ...model, date, id: this.#nextId('timesheets') }, at);
      if (isApproved) this.#turn(record, { ...record.latest, approvedHours: new Date(at).toISOString() }, at);
    }
  }

  #delete(feed: FeedName, at: number): void {
    const record = this.#someone(feed, true);
    if (record !== null) this.#turn(record, null, at);
  }

  /** Deletes a timesheet and creates another, as roster tools do: the list keeps its length. */
  #replace(at: number): void {
    const before = this.#someone('timesheets', true);
    if (before?.latest == null || this.records.timesheets.size >= MAX_REPLACED) return;
    const { date } = before.latest;
    this.#turn(before, null, at);
    this.#add('timesheets', { ...newTimesheet(this.#nextId('timesheets'), this.#context(at)), date }, at);
  }

  /** Restores a deleted record: unchanged, changed, or as a new one with the old id. */
  #bringBack(feed: FeedName, at: number): void {
    const record = this.#someone(feed, false);
    if (record === null) return;
    const last = record.versions.findLast((version) => version.record !== null)?.record ?? null;
    const isTidy = feed === 'pay-periods' && this.#settings.company !== null;
    const again = isTidy || this.#random.chance(0.5) ? last : LIVES[feed].make(record.id, this.#context(at));
    this.#turn(record, again, at);
    if (this.#random.chance(0.3)) this.#changeOne(record, at);
  }

  /** Changes every timesheet of a date in the same way. */
  #bulk(at: number): void {
    const random = this.#random;
    if (this.#settings.rosterSize > 0 && this.records.timesheets.size < 200 && random.chance(0.4)) {
      this.#roster(at);
      return;
    }
    const date = this.#someone('timesheets', true)?.latest?.date;
    if (date === undefined) return;
    const on = [...this.records.timesheets.values()].filter(({ latest }) => latest?.date === date);
    const stamp = new Date(at).toISOString();
    const target = addDays(String(date), random.pick([-1, 1]));
    const change = random.pick<(record: RawRecord) => RawRecord | null>([
      () => null,
      (record) => ({ ...record, processed: stamp }),
      (record) => ({ ...record, approvedHours: stamp }),
      (record) => ({ ...record, approvedHours: null }),
      (record) => ({ ...record, date: target }),
    ]);
    this.massLosses += 1;
    const isMost = random.chance(0.5);
    for (const [place, record] of on.entries())
      if (record.latest !== null && (!isMost || place % 4 > 0)) this.#turn(record, change(record.latest), at);
  }

  /** Changes a record and reverts it, between two looks or around one. */
  #flap(feed: FeedName, at: number): void {
    const record = this.#someone(feed, true);
    const before = record?.latest ?? null;
    if (record === null || before === null) return;
    this.#turn(record, { ...before, ...LIVES[feed].flap(new Date(at).toISOString()) }, at);
    this.#turn(record, this.#random.chance(0.7) ? before : null, at + this.#random.between(1, 400));
  }

  #change(feed: FeedName, at: number): void {
    const record = this.#someone(feed, true);
    if (record === null) return;
    const several = this.#random.chance(0.25) ? this.#random.between(2, 4) : 1;
    for (let steps = 0; steps < several; steps += 1) this.#changeOne(record, at);
  }

  #changeOne(record: TrackedRecord, at: number): void {
    const { latest } = record;
    if (latest === null) return;
    for (let tries = 0; tries < 4; tries += 1) {
      const after = this.#random.pick(this.#stepsOf(record))(latest, this.#context(at));
      if (after === null) continue;
      this.#turn(record, after, at);
      return;
    }
  }

  /** Where clockings can be missing, half of the steps are about them. */
  #stepsOf({ feed }: TrackedRecord): readonly Step[] {
    const { absences, company } = this.#settings;
    if (absences !== null && feed === 'timesheets' && this.#random.chance(0.5)) return CLOCKING_STEPS;
    return company !== null && feed === 'pay-periods' ? COMPANY_STEPS : LIVES[feed].steps;
  }

  #someone(feed: FeedName, alive: boolean): TrackedRecord | null {
    const candidates = [...this.records[feed].values()].filter(({ latest }) => (latest !== null) === alive);
    return candidates.length === 0 ? null : this.#random.pick(candidates);
  }

  /** No two versions share an instant. */
  #turn(record: TrackedRecord, into: RawRecord | null, at: number): void {
    const last = record.versions.at(-1)?.at ?? Number.NEGATIVE_INFINITY;
    const wasOpen = record.latest?.closed == null;
    const instant = Math.max(at, last + 1);
    this.records[record.feed].add(record.id, { at: instant, record: into });
    this.changes += 1;
    const closes = record.feed === 'pay-periods' && wasOpen && into?.closed != null;
    if (closes && this.#settings.company?.staysClosed === true) this.#close(record.id, instant);
  }

  /** Its timesheets stay in it whatever becomes of their employees. */
  #close(periodId: string, at: number): void {
    for (const { id } of this.members(periodId, at))
      this.books.places.set(String(id), [...(this.books.places.get(String(id)) ?? []), { at, periodId }]);
  }
}
