import { isDeepStrictEqual } from 'node:util';
import { addDays, toIso } from '#shared/core/dates.ts';
import { readOpen } from '#shared/period/flow/read-open-timesheets.ts';
import { readStatement } from '#shared/period/flow/read-statement.ts';
import { readStoredPeriodOf } from '#shared/period/flow/stored-account.ts';
import type { OpenTimesheet } from '#shared/period/open-timesheets.ts';
import { Random } from '#test/simulation/random.ts';
import { payPeriod, type SampleRecord, timesheet } from '#test/support/builders.ts';
import { Failures, type Plant, type Proof } from './proof.ts';
import { SmallWorld } from './small-world.ts';

/**
 * Fortnights of a small company, two pay periods one after the other: what is still open of each after it closed is what
 * the world says, timesheet by timesheet, to the hour and the person.
 */

const PERIODS = ['1_7', '2_7', '3_7'];
const FIRST_DATE = '2026-03-02';
const DAYS = 3;
const PEOPLE = ['2001_7', '2002_7', '2003_7'];
const MAX_STEPS = 14;
const MINUTE_MS = 60_000;

const WINDOW = { backDays: 14, forwardDays: 14 };

export const stillOpen: Proof = {
  cases: 'fortnights',
  async run({ runs, seed, plant }) {
    const failures = new Failures();
    const counts = { 'lists compared': 0, 'open timesheets': 0 };
    for (let ran = 0; ran < runs; ran += 1) {
      const fortnight = new Fortnight(new Random(seed * 1_000_003 + ran), plant);
      for (const fault of await fortnight.play(counts)) failures.add(`seed ${seed}, case ${ran}: ${fault}`);
    }
    return { ran: runs, of: null, failures: failures.described, counts };
  },
};

/** What the world remembers of a timesheet besides what it is. */
interface Past {
  /** Hours with which it was processed last. */
  paid: number;
  /** Its processing was undone while its period was closed. */
  isUndone: boolean;
  /** Its approval was taken back last while its period was closed. */
  isRevoked: boolean;
  /** It came into its closed period since it was processed. */
  hasArrived: boolean;
}

/** What a period closed with, and what it came to when it was counted last. */
interface Closing {
  readonly closedWith: ReadonlyMap<string, Pick<Sheet, 'hours' | 'approved'>>;
  counted: ReadonlyMap<string, number>;
}

interface Sheet {
  readonly id: string;
  readonly employeeId: string;
  readonly date: string;
  readonly hours: number;
  readonly approved: boolean;
  readonly processed: boolean;
}

class Fortnight {
  readonly #random: Random;
  readonly #world: SmallWorld;
  readonly #sheets = new Map<string, SampleRecord>();
  readonly #periods = new Map<string, SampleRecord>();
  readonly #pasts = new Map<string, Past>();
  readonly #closings = new Map<string, Closing>();
  #finals = 0;

  constructor(random: Random, plant: Plant | undefined) {
    this.#random = random;
    this.#world = new SmallWorld({ plant, connection: { window: WINDOW } });
    this.#world.payPeriods = () => [...this.#periods.values()];
    for (const [place, id] of PERIODS.entries()) {
      const startDate = addDays(FIRST_DATE, place * DAYS);
      const dates = { startDate, finishDate: addDays(startDate, DAYS - 1) };
      const totals = { hours: null, numberEmployees: null, numberTimesheets: null };
      this.#periods.set(id, payPeriod({ id, ...dates, ...totals }));
    }
    for (let number = 0; number < 6; number += 1) this.#add();
  }

  async play(counts: { 'lists compared': number; 'open timesheets': number }): Promise<string[]> {
    await this.#pollAll();
    const told: string[] = [];
    for (let step = 0; step < MAX_STEPS; step += 1) {
      told.push(this.#change());
      await this.#pollAll();
      this.#readFinals();
      for (const id of PERIODS) {
        const expected = this.#expect(id);
        const found = await this.#list(id);
        counts['lists compared'] += 1;
        counts['open timesheets'] += found?.length ?? 0;
        if (!isDeepStrictEqual(found, expected))
          return [
            `period ${id} after ${told.join('; ')}: ${JSON.stringify(found)}, in the world ${JSON.stringify(expected)}`,
          ];
      }
    }
    return [];
  }

  async #list(id: string): Promise<readonly OpenTimesheet[] | null> {
    const { store, now, connection } = this.#world;
    const range = { from: 0, to: now + 1 };
    const statement = await readStatement(id, connection, { store, log: store.log, range });
    const listed = statement?.stillOpen ?? null;
    // The daily summary reads the same date by date.
    const stored = await readStoredPeriodOf(id, { connection: connection.name, store });
    const reader = { connection: connection.name, store, timeZone: connection.timeZone, now };
    const read = stored === null ? null : await readOpen(stored, reader);
    const open = read?.open ?? null;
    if (!isDeepStrictEqual(open, listed))
      throw new Error(`the summary reads ${JSON.stringify(open)}, the list ${JSON.stringify(listed)}`);
    return listed;
  }

  /** Two looks at everything: a closing waits for looks at its dates that began after it was seen. */
  async #pollAll(): Promise<void> {
    this.#world.now += 30 * MINUTE_MS;
    for (const feed of ['timesheets', 'pay-periods', 'timesheets', 'pay-periods'] as const) {
      this.#world.now += 3 * MINUTE_MS;
      await this.#world.pollAll(undefined, feed);
    }
  }

  /** One thing that people do; its words. */
  #change(): string {
    const random = this.#random;
    const id = random.pick([...this.#sheets.keys(), '']);
    const record = this.#sheets.get(id);
    const kind = random.between(0, 11);
    if (record === undefined || kind === 0) return this.#add();
    if (kind <= 3) return this.#closeOrReopen(random.pick(PERIODS.slice(0, 2)));
    if (kind === 4) return this.#remove(id);
    const { approved, processed } = toSheet(record);
    if (kind === 5) {
      const date = addDays(FIRST_DATE, random.between(0, PERIODS.length * DAYS - 1));
      return this.#set(id, { date });
    }
    if (kind <= 7) return this.#set(id, { hoursToPay: random.between(2, 9) });
    if (kind === 8) return this.#processAll(random.pick(PERIODS.slice(0, 2)));
    if (kind === 9 && approved) return this.#process(id, !processed);
    return this.#approve(id, !approved);
  }

  #add(): string {
    const id = `${this.#pasts.size + 1}_7`;
    const date = addDays(FIRST_DATE, this.#random.between(0, 2 * DAYS - 1));
    const hoursToPay = this.#random.between(2, 9);
    const approvedHours = this.#random.chance(0.7) ? toIso(this.#world.now) : null;
    const employeeId = this.#random.pick(PEOPLE);
    this.#keep(timesheet({ id, date, hoursToPay, approvedHours, employeeId }));
    this.#pasts.set(id, { paid: 0, isUndone: false, isRevoked: false, hasArrived: true });
    return `${id} added`;
  }

  #keep(record: SampleRecord): void {
    this.#sheets.set(record.id, record);
    this.#world.put(record);
  }

  #remove(id: string): string {
    this.#sheets.delete(id);
    this.#world.remove(id);
    return `${id} removed`;
  }

  #set(id: string, values: Partial<SampleRecord>): string {
    const record = this.#sheets.get(id);
    const before = this.#periodOf(id);
    if (record !== undefined) this.#keep({ ...record, ...values });
    const past = this.#pasts.get(id);
    if (past !== undefined && before !== this.#periodOf(id)) past.hasArrived = true;
    return `${id} ${JSON.stringify(values)}`;
  }

  #approve(id: string, isApproved: boolean): string {
    const past = this.#pasts.get(id);
    if (past !== undefined && !isApproved) past.isRevoked = this.#isClosed(this.#periodOf(id));
    return this.#set(id, { approvedHours: isApproved ? toIso(this.#world.now) : null });
  }

  #process(id: string, isProcessed: boolean): string {
    const past = this.#pasts.get(id);
    const record = this.#sheets.get(id);
    if (past === undefined || record === undefined) return '';
    if (isProcessed) {
      Object.assign(past, {
        paid: toSheet(record).hours,
        isUndone: false,
        isRevoked: false,
        hasArrived: false,
      });
    } else past.isUndone = this.#isClosed(this.#periodOf(id));
    return this.#set(id, { processed: isProcessed ? toIso(this.#world.now) : null });
  }

  #processAll(period: string): string {
    const all = this.#membersOf(period).filter(({ approved, processed }) => approved && !processed);
    return all.map(({ id }) => this.#process(id, true)).join(', ');
  }

  #closeOrReopen(id: string): string {
    const period = this.#periods.get(id);
    if (period === undefined) return '';
    const closes = !this.#isClosed(id);
    this.#periods.set(id, { ...period, closed: closes ? toIso(this.#world.now) : null });
    if (!closes) {
      this.#closings.delete(id);
      return `${id} reopened`;
    }
    const members = this.#membersOf(id);
    const counted = new Map(members.map((each) => [each.id, each.hours]));
    this.#closings.set(id, { closedWith: new Map(members.map((each) => [each.id, each])), counted });
    return `${id} closed`;
  }

  /** Where a final statement was told, the period was counted once more. */
  #readFinals(): void {
    const finals = this.#world.texts.filter(
      (text) => text.includes('pay_period.statement') && text.includes('"stage":"final"'),
    );
    for (const text of finals.slice(this.#finals)) {
      const { subject } = JSON.parse(text) as { readonly subject: string };
      const closing = this.#closings.get(subject);
      if (closing !== undefined)
        closing.counted = new Map(this.#membersOf(subject).map(({ id, hours }) => [id, hours]));
    }
    this.#finals = finals.length;
  }

  /** What is still open of a period; null while it is open. */
  #expect(period: string): readonly OpenTimesheet[] | null {
    const closing = this.#closings.get(period);
    if (closing === undefined) return null;
    const members = this.#membersOf(period);
    const open = members.flatMap((sheet) => this.#judge(sheet, closing));
    const removed = [...closing.counted].flatMap(([id, was]): OpenTimesheet[] => {
      if (members.some((each) => each.id === id)) return [];
      const nobody = { employeeId: null, departmentId: null, date: null };
      return [
        {
          ...{ ...nobody, timesheetId: id, reason: 'removed', approved: false },
          ...{ was, hours: null, difference: -was },
        },
      ];
    });
    return [...open, ...removed].sort((a, b) =>
      `${a.date ?? ''} ${a.timesheetId}` < `${b.date ?? ''} ${b.timesheetId}` ? -1 : 1,
    );
  }

  #judge(sheet: Sheet, { closedWith, counted }: Closing): OpenTimesheet[] {
    const { id, employeeId, date, hours, approved, processed } = sheet;
    const { paid, isUndone, isRevoked, hasArrived } = this.#pasts.get(id) ?? {
      ...{ paid: 0, isUndone: false, isRevoked: false, hasArrived: false },
    };
    const tell = (
      reason: OpenTimesheet['reason'],
      was: number | null,
      difference: number,
    ): OpenTimesheet[] =>
      difference === 0
        ? []
        : [
            {
              ...{ timesheetId: id, employeeId, departmentId: '501_7', date },
              ...{ reason, approved, was, hours, difference },
            },
          ];
    // What left after the closing, and was counted as gone, is new when it returns.
    const before = counted.has(id) ? closedWith.get(id) : undefined;
    if (processed && hours !== paid) return tell('changed', paid, hours - paid);
    if (processed) return before === undefined && hasArrived ? tell('added', null, hours) : [];
    if (isUndone) return tell('processing_reverted', null, hours);
    if (before === undefined) return tell('added', null, hours);
    if (!before.approved && approved) return tell('approved', null, hours);
    if (before.approved && !approved && isRevoked)
      return tell('approval_revoked', before.hours, -before.hours);
    return tell('changed', before.hours, hours - before.hours);
  }

  #membersOf(period: string): Sheet[] {
    return [...this.#sheets.keys()].flatMap((id) => {
      const record = this.#sheets.get(id);
      return record === undefined || this.#periodOf(id) !== period ? [] : [toSheet(record)];
    });
  }

  #periodOf(id: string): string {
    const date = String(this.#sheets.get(id)?.date);
    const covers = ({ startDate, finishDate }: SampleRecord) =>
      String(startDate) <= date && date <= String(finishDate);
    return [...this.#periods.values()].find(covers)?.id ?? '';
  }

  #isClosed(period: string): boolean {
    return this.#periods.get(period)?.closed != null;
  }
}

function toSheet({
  id,
  date,
  employeeId,
  hoursToPay,
  approvedHours,
  processed,
}: Readonly<Record<string, unknown>>): Sheet {
  return {
    id: String(id),
    employeeId: String(employeeId),
    date: String(date),
    hours: Number(hoursToPay),
    approved: approvedHours != null,
    processed: processed != null,
  };
}
