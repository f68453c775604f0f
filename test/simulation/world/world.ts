import { addDays, toLocalDate } from '#shared/core/dates.ts';
import type { FeedName } from '#shared/core/feeds.ts';
import type { Random } from '../random.ts';
import type { Settings } from '../settings.ts';
import { type Books, belongsTo } from './books.ts';
import { COMPANY_STEPS, type Company, nextPayrollStep, openingPeriods } from './company.ts';
import { feedsOf, LIVES } from './lives.ts';
import { openPeriods, type Plan, planMeetings } from './meetings.ts';
import { closedNow } from './pay-period-steps.ts';
import {
  CLOCKING_STEPS,
  newTimesheet,
  type Step,
  type StepContext,
  TIMESHEET_STEPS,
} from './timesheet-steps.ts';
import { emptyTruth, type RawRecord, TrackedRecord, type Truth } from './truth.ts';

/** Chances of steps that create, delete or restore a record; most steps change one. */
const MAKE_SHARE = 0.12;
const DELETE_SHARE = 0.09;
const BRING_BACK_SHARE = 0.08;
/** At a busy source records come and go more often, and one replaces another. */
const BUSY_FACTOR = 2.5;
const REPLACE_SHARE = 0.2;
/** How long before a tick a timesheet that passes through a date appears there. */
const BEFORE_TICK_MS = 20_000;
const BULK_SHARE = 0.03;
/** With rosters, more often. */
const ROSTER_BULK_SHARE = 0.12;
const FLAP_SHARE = 0.08;
/** Of the steps of a company with tidy pay periods: what payroll does, and employees who change their calendar. */
const PAYROLL_SHARE = 0.15;
const CALENDAR_CHANGE_SHARE = 0.04;
/** Records that are created with a mistake and corrected a moment later. */
const SLIP_SHARE = 0.3;
const MAX_RECORDS_WITH_ROSTERS = 2_200;
/** For records that replace another one. */
const MAX_REPLACED = 60;

/** The records of the source, which change in random steps at given instants. */
export class World {
  readonly truth: Truth = emptyTruth();
  readonly books: Books;
  /** Changes made so far. */
  changes = 0;
  readonly #random: Random;
  readonly #settings: Settings;
  readonly #agenda: readonly number[];
  /** What happens besides, in order. */
  readonly #plans: readonly Plan[];
  #done = 0;
  #planned = 0;
  /** Timesheets that lost a fact by a fault of the source. */
  takenFacts = 0;

  /** `agenda`: instants of the steps, in order. */
  constructor(random: Random, settings: Settings, agenda: readonly number[]) {
    this.#random = random;
    this.#settings = settings;
    this.#agenda = agenda;
    const { company } = settings;
    this.books = { truth: this.truth, hasOneCalendar: company?.calendars === 1, changes: new Map() };
    const before = settings.startAt - 1;
    const records = random.chance(0.15) ? 0 : random.between(1, 9);
    const [many, few] = feedsOf(settings);
    for (let made = 0; made < records; made += 1) {
      this.#make(many, before);
      for (let steps = random.between(0, 3); steps > 0; steps -= 1) this.#change(many, before);
    }
    if (company != null) this.#openPeriods(company, before);
    else for (let made = random.between(0, 3); made > 0; made -= 1) this.#make(few, before);
    if (settings.rosterSize > 0 && random.chance(0.5)) this.#roster(before);
    this.#plans = [...this.#passings(), ...this.#takings(before), ...this.#meetings(before)].sort(
      (a, b) => a.at - b.at,
    );
    this.changes = 0;
  }

  #passings(): Plan[] {
    const { passing, ticks } = this.#settings;
    if (!passing) return [];
    return ticks.slice(1).map((tick) => ({ at: tick - BEFORE_TICK_MS, happens: () => this.#pass(tick) }));
  }

  /** Fills today with timesheets that have a fact. Most of them lose it at once, and may have it back. */
  #takings(before: number): Plan[] {
    const { takenFact } = this.#settings;
    if (takenFact == null) return [];
    const context = this.#context(before);
    const { field, date = context.today, records, at, isFromAll, backAt } = takenFact;
    const given = Array.from({ length: records }, () => {
      const made = this.#add({ ...newTimesheet('', context), date }, before);
      const having = TIMESHEET_STEPS[`${field}:on`]?.(made.latest ?? {}, context) ?? null;
      this.#turn(made, having, before);
      return { record: made, value: having?.[field] };
    });
    const losing = given.filter((_, place) => isFromAll || place % 4 > 0);
    const setAll = (value: (each: (typeof given)[number]) => unknown, now: number): number => {
      const here = losing.filter(({ record }) => record.latest?.date === date);
      for (const each of here) this.#turn(each.record, { ...each.record.latest, [field]: value(each) }, now);
      return here.length;
    };
    const take = () => {
      this.takenFacts += setAll(() => null, at);
    };
    if (backAt === null) return [{ at, happens: take }];
    return [
      { at, happens: take },
      { at: backAt, happens: () => setAll(({ value }) => value, backAt) },
    ];
  }

  /** What happens in the world where several features meet. */
  #meetings(before: number): Plan[] {
    const { knot, takenFact, ticks } = this.#settings;
    if (knot == null) return [];
    const date = takenFact?.date ?? this.#context(before).today;
    return planMeetings(knot, before, {
      held: takenFact == null ? null : { date, at: takenFact.at, closesAt: (ticks[1] ?? 0) - 1_000 },
      periods: this.truth['pay-periods'],
      soon: () => knot.at + this.#random.between(-BEFORE_TICK_MS, 1_500),
      findOpen: (at) => this.#overPeriod(at),
      setClosed: (record, isClosed, at) => {
        const closed = isClosed ? closedNow(this.#context(at)) : null;
        if (record.latest !== null) this.#turn(record, { ...record.latest, closed }, at);
      },
      move: (at) => this.#move(at),
      changeCalendar: (at) => this.#changeCalendar(at),
    });
  }

  #overPeriod(at: number): TrackedRecord | null {
    const found = openPeriods(this.truth['pay-periods'].values(), this.#context(at).today);
    return found.length === 0 ? null : this.#random.pick(found);
  }

  /** A timesheet of the last days goes to a date some days away, and so often to another period. */
  #move(at: number): void {
    const record = this.#someone('timesheets', true);
    if (record?.latest == null) return;
    const { today } = this.#context(at);
    const date = addDays(today, this.#random.between(-3, 1));
    this.#turn(record, { ...record.latest, date }, at);
  }

  /** Makes every step until an instant. */
  advanceTo(now: number): void {
    for (;;) {
      const at = this.#agenda[this.#done] ?? Number.POSITIVE_INFINITY;
      const plan = this.#plans[this.#planned];
      const next = Math.min(at, plan?.at ?? Number.POSITIVE_INFINITY);
      if (next > now || next === Number.POSITIVE_INFINITY) return;
      if (plan !== undefined && plan.at < at) {
        this.#planned += 1;
        plan.happens();
      } else {
        this.#done += 1;
        this.#step(at);
      }
    }
  }

  #step(at: number): void {
    const random = this.#random;
    const isCompany = this.#settings.company != null;
    const [many, few] = feedsOf(this.#settings);
    const feed = random.chance(0.25) ? few : many;
    const often = this.#settings.busy ? BUSY_FACTOR : 1;
    if (isCompany && random.chance(PAYROLL_SHARE)) this.#payroll(at);
    else if (isCompany && random.chance(CALENDAR_CHANGE_SHARE)) this.#changeCalendar(at);
    else if (random.chance(this.#bulkShare)) this.#bulk(at);
    else if (random.chance(this.#replaceShare)) this.#replace(at);
    else if (random.chance(MAKE_SHARE * often)) this.#make(feed, at);
    else if (random.chance(DELETE_SHARE * often)) this.#delete(feed, at);
    else if (random.chance(BRING_BACK_SHARE * often)) this.#bringBack(feed, at);
    else if (random.chance(FLAP_SHARE)) this.#flap(feed, at);
    else this.#change(feed, at);
  }

  #openPeriods(company: Company, at: number): void {
    for (const period of openingPeriods(company, this.#context(at).today)) {
      const id = `${this.truth['pay-periods'].size + 1}_2`;
      const record = new TrackedRecord('pay-periods', id, this.#random.next());
      this.truth['pay-periods'].set(id, record);
      this.#turn(record, { id, ...period }, at);
    }
  }

  #payroll(at: number): void {
    const record = this.#someone('pay-periods', true);
    const period = record?.latest ?? null;
    if (record === null || period === null) return;
    const members = [...this.truth.timesheets.values()].flatMap(({ latest }): RawRecord[] =>
      latest !== null && belongsTo(this.books, { sheet: latest, period, at }) ? [latest] : [],
    );
    const next = nextPayrollStep(period, members, this.#context(at));
    if (next.period !== null) this.#turn(record, next.period, at);
    for (const sheet of next.timesheets) {
      const member = this.truth.timesheets.get(String(sheet.id));
      if (member !== undefined) this.#turn(member, sheet, at);
    }
  }

  #changeCalendar(at: number): void {
    const employeeId = this.#someone('timesheets', true)?.latest?.employeeId;
    if (this.books.hasOneCalendar || employeeId === undefined) return;
    const changes = this.books.changes.get(String(employeeId)) ?? [];
    this.books.changes.set(String(employeeId), [...changes, at]);
    this.changes += 1;
  }

  get #replaceShare(): number {
    const { busy, directory } = this.#settings;
    return busy && directory !== true ? REPLACE_SHARE : 0;
  }

  get #bulkShare(): number {
    if (this.#settings.directory === true) return 0;
    return this.#settings.rosterSize > 0 ? ROSTER_BULK_SHARE : BULK_SHARE;
  }

  #context(now: number): StepContext {
    const { timeZone, window } = this.#settings.connection;
    const plansNow = this.#settings.absences != null;
    return { random: this.#random, now, today: toLocalDate(now, timeZone), plansNow, ...window };
  }

  #make(feed: FeedName, at: number): void {
    const records = this.truth[feed];
    if (records.size >= this.#maxRecords(feed)) return;
    // Tidy periods are all there from the start.
    if (feed === 'pay-periods' && this.#settings.company != null) return;
    const id = `${records.size + 1}_${feed === feedsOf(this.#settings)[0] ? 1 : 2}`;
    const record = new TrackedRecord(feed, id, this.#random.next());
    records.set(id, record);
    this.#turn(record, LIVES[feed].make(id, this.#context(at)), at);
    if (this.#random.chance(SLIP_SHARE)) this.#putRight(record, at + this.#random.between(100, 2_500));
  }

  /**
   * A timesheet moves to an empty date that every poll reads, and on to another date while the next polls read: two
   * overlapping polls may each see it for the first time, on different dates.
   */
  #pass(tick: number): void {
    const random = this.#random;
    const context = this.#context(tick);
    const taken = new Set([...this.truth.timesheets.values()].map(lastDateOf));
    const hot = random.shuffled([-1, 0, 1].map((days) => addDays(context.today, days)));
    const from = hot.find((date) => !taken.has(date));
    const to = hot.find((date) => date !== from);
    if (from === undefined) return;
    const id = `${this.truth.timesheets.size + 1}_1`;
    const record = new TrackedRecord('timesheets', id, random.next());
    this.truth.timesheets.set(id, record);
    const made = newTimesheet(id, context);
    this.#turn(record, { ...made, date: from }, tick - BEFORE_TICK_MS);
    this.#turn(record, { ...made, date: to }, tick + random.between(300, 1_300));
  }

  /** Mostly the wrong date. */
  #putRight(record: TrackedRecord, at: number): void {
    const move = record.feed === 'timesheets' && this.#random.chance(0.7) ? TIMESHEET_STEPS.moved : undefined;
    const moved = record.latest === null ? null : move?.(record.latest, this.#context(at));
    if (moved == null) this.#changeOne(record, at);
    else this.#turn(record, moved, at);
  }

  #maxRecords(feed: FeedName): number {
    return feed === 'timesheets' && this.#settings.rosterSize > 0
      ? MAX_RECORDS_WITH_ROSTERS
      : LIVES[feed].maxRecords;
  }

  /** Adds a timesheet with the next id. */
  #add(raw: RawRecord, at: number): TrackedRecord {
    const id = `${this.truth.timesheets.size + 1}_1`;
    const record = new TrackedRecord('timesheets', id, this.#random.next());
    this.truth.timesheets.set(id, record);
    this.#turn(record, { ...raw, id }, at);
    return record;
  }

  /** Publishes a roster: a date fills at once. */
  #roster(at: number): void {
    const { rosterSize } = this.#settings;
    const context = this.#context(at);
    const model = newTimesheet('', context);
    for (let made = 0; made < rosterSize; made += 1) this.#add({ ...model, date: context.today }, at);
  }

  #delete(feed: FeedName, at: number): void {
    const record = this.#someone(feed, true);
    if (record !== null) this.#turn(record, null, at);
  }

  /** Deletes a timesheet and creates another, as roster tools do: the list keeps its length. */
  #replace(at: number): void {
    const records = this.truth.timesheets;
    const before = this.#someone('timesheets', true);
    if (before?.latest == null || records.size >= MAX_REPLACED) return;
    const id = `${records.size + 1}_1`;
    const record = new TrackedRecord('timesheets', id, this.#random.next());
    const { date } = before.latest;
    records.set(id, record);
    this.#turn(before, null, at);
    this.#turn(record, { ...newTimesheet(id, this.#context(at)), date }, at);
  }

  /** Restores a deleted record: unchanged, changed, or as a new one with the old id. */
  #bringBack(feed: FeedName, at: number): void {
    const record = this.#someone(feed, false);
    if (record === null) return;
    const last = record.versions.findLast((version) => version.record !== null)?.record ?? null;
    const isTidy = feed === 'pay-periods' && this.#settings.company != null;
    const again = isTidy || this.#random.chance(0.5) ? last : LIVES[feed].make(record.id, this.#context(at));
    this.#turn(record, again, at);
    if (this.#random.chance(0.3)) this.#changeOne(record, at);
  }

  /** Changes every timesheet of a date in the same way. */
  #bulk(at: number): void {
    const random = this.#random;
    if (this.#settings.rosterSize > 0 && this.truth.timesheets.size < 200 && random.chance(0.4)) {
      this.#roster(at);
      return;
    }
    const date = this.#someone('timesheets', true)?.latest?.date;
    const on = [...this.truth.timesheets.values()].filter(({ latest }) => latest?.date === date);
    const stamp = new Date(at).toISOString();
    const whatever = random.pick(['delete', 'process', 'approve'] as const);
    for (const record of on) {
      if (record.latest === null) continue;
      if (whatever === 'delete') this.#turn(record, null, at);
      else if (whatever === 'process') this.#turn(record, { ...record.latest, processed: stamp }, at);
      else this.#turn(record, { ...record.latest, approvedHours: stamp }, at);
    }
  }

  /** Changes a record and reverts it, between two scans or around one. */
  #flap(feed: FeedName, at: number): void {
    const record = this.#someone(feed, true);
    const before = record?.latest ?? null;
    if (record === null || before === null) return;
    const instant = new Date(at).toISOString();
    this.#turn(record, { ...before, ...LIVES[feed].flap(instant) }, at);
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
    const isAboutClocking =
      this.#settings.absences != null && feed === 'timesheets' && this.#random.chance(0.5);
    if (isAboutClocking) return CLOCKING_STEPS;
    return this.#settings.company != null && feed === 'pay-periods' ? COMPANY_STEPS : LIVES[feed].steps;
  }

  #someone(feed: FeedName, alive: boolean): TrackedRecord | null {
    const candidates = [...this.truth[feed].values()].filter(({ latest }) => (latest !== null) === alive);
    return candidates.length === 0 ? null : this.#random.pick(candidates);
  }

  #settled({ versions }: TrackedRecord, into: RawRecord | null): RawRecord | null {
    const [first] = versions;
    const { unchanging = [] } = this.#settings;
    if (into === null || first?.record == null || unchanging.length === 0) return into;
    const kept = Object.entries(first.record).filter(([name]) => unchanging.includes(name));
    return { ...into, ...Object.fromEntries(kept) };
  }

  /** No two versions share an instant. */
  #turn(record: TrackedRecord, into: RawRecord | null, at: number): void {
    const last = record.versions.at(-1)?.at ?? Number.NEGATIVE_INFINITY;
    record.versions.push({ at: Math.max(at, last + 1), record: this.#settled(record, into) });
    this.changes += 1;
  }
}

/** The slice of a record, or its last slice. */
function lastDateOf({ versions }: TrackedRecord): unknown {
  return versions.findLast(({ record }) => record !== null)?.record?.date;
}
