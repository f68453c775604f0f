import type { PayPeriod } from '../schemas.ts';
import type { ChangeKind } from './changes.ts';
import { createLocalCalendar, type LocalCalendar } from './local-calendar.ts';
import { buildPremises, type Premises } from './premises.ts';
import { hireStaff, type Member } from './staff.ts';
import { TimesheetStore } from './timesheet-store.ts';

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

/** One change: when (ms since 1970), of which kind, to which record. */
export interface HistoryEntry {
  readonly at: number;
  readonly change: ChangeKind;
  readonly id: string;
}

/** A pay period without its totals, which are computed from the timesheets on reading. */
export type StoredPayPeriod = Omit<PayPeriod, 'hours' | 'numberEmployees' | 'numberTimesheets'>;

const FIRST_IDS = {
  timesheet: 100_001,
  detail: 2_000_001,
  clock: 500_001,
  payPeriod: 9001,
  fortnight: 9501,
  payroll: 1,
};

/** The state of a company. Only `applyChange` and publishing a roster change its records. */
export interface World extends CompanySettings {
  readonly calendars: 1 | 2;
  readonly calendar: LocalCalendar;
  readonly chance: Chance;
  readonly agenda: TaskQueue;
  readonly premises: Premises;
  readonly staff: readonly Member[];
  readonly staffById: ReadonlyMap<string, Member>;
  readonly timesheets: TimesheetStore;
  readonly payPeriods: Map<string, StoredPayPeriod>;
  readonly history: HistoryEntry[];
  readonly lastIds: Record<keyof typeof FIRST_IDS, number>;
  /** The simulated instant, in milliseconds since 1970. */
  now: number;
}

/** A company without timesheets and pay periods; `beginLife` schedules its first tasks. */
export function createWorld(settings: CompanySettings): World {
  const premises = buildPremises(settings.size);
  const staff = hireStaff(premises, settings.size);
  return {
    ...settings,
    calendars: settings.calendars ?? 1,
    calendar: createLocalCalendar(settings.timeZone),
    chance: createChance(settings.seed),
    agenda: createTaskQueue(),
    premises,
    staff,
    staffById: new Map(staff.map((member) => [member.employee.id, member])),
    timesheets: new TimesheetStore(),
    payPeriods: new Map(),
    history: [],
    lastIds: { ...FIRST_IDS },
    now: Number.NEGATIVE_INFINITY,
  };
}

/** The next id of a kind, `<digits>_<digits>`. */
export function nextId(world: World, kind: keyof typeof FIRST_IDS): string {
  const number = world.lastIds[kind];
  world.lastIds[kind] = number + 1;
  return `${number}_1`;
}

/** Puts a task on the agenda, some minutes after local midnight of a date. */
export function scheduleAt(world: World, [date, minutes]: readonly [string, number], task: () => void): void {
  world.agenda.add(world.calendar.at(date, minutes), task);
}

/** Puts a task on the agenda some seconds from now. */
export function scheduleIn(world: World, seconds: number, task: () => void): void {
  world.agenda.add(world.now + Math.round(seconds) * 1000, task);
}

/** The current date in the time zone of the company. */
export function todayOf(world: World): string {
  return world.calendar.dateOf(world.now);
}

export function recordHistory(world: World, change: ChangeKind, id: string): void {
  world.history.push({ at: world.now, change, id });
}

/** Stateless randomness: the same seed and key give the same draw, whatever was drawn before. */
interface Chance {
  /** At least 0, less than 1. */
  fraction(key: string): number;
  /** An integer from `from` to `to`, inclusive. */
  whole(key: string, from: number, to: number): number;
  /** Up to `count` distinct items, in the order of the list. */
  some<T>(key: string, list: readonly T[], count: number): T[];
}

function createChance(seed: number): Chance {
  const fraction = (key: string): number => hash(`${seed}/${key}`) / 2 ** 32;
  const whole = (key: string, from: number, to: number): number =>
    from + Math.floor(fraction(key) * (to - from + 1));
  return {
    fraction,
    whole,
    some(key, list, count) {
      const chosen = new Set<number>();
      // On a collision the next free item is taken, so the loop ends.
      for (let n = 0; n < Math.min(count, list.length); n += 1) {
        let index = whole(`${key}/${n}`, 0, list.length - 1);
        while (chosen.has(index)) index = (index + 1) % list.length;
        chosen.add(index);
      }
      return list.filter((_, index) => chosen.has(index));
    },
  };
}

/** FNV-1a with the finalizer of MurmurHash3: keys that differ in one digit give unrelated draws. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  }
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}

/** Future tasks, in order of time; at the same time, in the order they were added. */
interface TaskQueue {
  /** `at` in milliseconds since 1970. */
  add(at: number, task: () => void): void;
  /** Removes and returns the earliest task due at or before an instant; `undefined` when there is none. */
  takeDue(until: number): QueuedTask | undefined;
}

interface QueuedTask {
  readonly at: number;
  readonly task: () => void;
}

function createTaskQueue(): TaskQueue {
  /** The next one is the last. */
  const tasks: QueuedTask[] = [];
  return {
    add(at, task) {
      let [low, high] = [0, tasks.length];
      while (low < high) {
        const middle = (low + high) >> 1;
        if ((tasks[middle]?.at ?? at) > at) low = middle + 1;
        else high = middle;
      }
      tasks.splice(low, 0, { at, task });
    },
    takeDue(until) {
      const next = tasks.at(-1);
      return next === undefined || next.at > until ? undefined : tasks.pop();
    },
  };
}
