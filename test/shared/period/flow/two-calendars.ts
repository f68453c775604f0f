import type { SourceError } from '#shared/core/errors.ts';
import type { CloseManifest } from '#shared/core/periods/close-manifest.ts';
import { payPeriod, type SampleRecord, timesheet } from '#test/support/builders.ts';
import { PollHarness, type PollHarnessOptions } from '#test/support/poll-harness.ts';

const WEEK = { startDate: '2026-03-02', finishDate: '2026-03-08' };
export const WEEKLY = '3_7';
export const FORTNIGHTLY = '4_7';

/** A company with two pay calendars whose periods share dates; the source says which timesheet belongs to which. */
export class TwoCalendars {
  readonly world: PollHarness;
  /** Employees of even numbers are paid weekly, the others fortnightly, unless it is said here. */
  readonly moved = new Map<string, string>();
  /** Names of calendars by the id of their period, where they are others than at first. */
  readonly renamed = new Map<string, string>();
  /** Called before the source answers who is a member. */
  onMembers: (employeeId: string, periodId: string) => SourceError | null = () => null;
  /** Questions since the last call of `takeQuestions`. */
  #questions: string[] = [];
  #closed = new Set<string>();
  /** Whether periods say what they come to. */
  hasTotals = true;

  constructor(options: PollHarnessOptions = {}) {
    this.world = new PollHarness(options);
    this.world.payPeriods = () => this.#periods();
    this.world.members = (employeeId, periodId) => {
      this.#questions.push(`${employeeId} ${periodId}`);
      const error = this.onMembers(employeeId, periodId);
      if (error !== null) throw error;
      return this.#membersOf(periodId)
        .filter((each) => each.employeeId === employeeId)
        .map(({ id }) => id);
    };
  }

  /** Puts a timesheet of each employee into the source and polls its dates until all are known. */
  async employ(count: number): Promise<void> {
    for (let number = 0; number < count; number += 1) this.world.put(sheetOf(number));
    for (let polls = 0; polls < 3; polls += 1) await this.world.poll({ scope: 'window' });
  }

  async pollPeriods() {
    return await this.world.poll({ feed: 'pay-periods' });
  }

  /** Closes a period in the source, and gives the numbers of its closing. */
  async close(periodId: string): Promise<CloseManifest | undefined> {
    this.#closed.add(periodId);
    this.world.published.length = 0;
    await this.pollPeriods();
    await this.world.poll({ scope: 'window' });
    await this.pollPeriods();
    const closed = this.world.published.find(
      ({ type, subject }) => type.endsWith('pay_period.closed') && subject === periodId,
    );
    return closed?.data.closeManifest as CloseManifest | undefined;
  }

  reopen(periodId: string): void {
    this.#closed.delete(periodId);
  }

  takeQuestions(): string[] {
    const questions = this.#questions;
    this.#questions = [];
    return questions.sort();
  }

  async calendars(): Promise<Record<string, string | null>> {
    const { employees } = await this.world.store.loadMembership('main');
    return Object.fromEntries([...employees].map(([id, { calendar }]) => [id, calendar]).sort());
  }

  #periods(): SampleRecord[] {
    return [
      this.#period({ id: WEEKLY, calendar: 'Weekly', ...WEEK }),
      this.#period({ id: FORTNIGHTLY, calendar: 'Fortnightly', ...WEEK, finishDate: '2026-03-15' }),
    ];
  }

  #period(values: {
    readonly id: string;
    readonly calendar: string;
    readonly startDate: string;
    readonly finishDate: string;
  }) {
    const members = this.#membersOf(values.id);
    const totals = {
      hours: members.reduce((sum, { hoursToPay }) => sum + Number(hoursToPay), 0),
      numberEmployees: new Set(members.map(({ employeeId }) => employeeId)).size,
      numberTimesheets: members.length,
    };
    const closed = this.#closed.has(values.id) ? '2026-03-05' : null;
    const none = { hours: null, numberEmployees: null, numberTimesheets: null };
    const calendar = this.renamed.get(values.id) ?? values.calendar;
    return payPeriod({ ...values, calendar, closed, ...(this.hasTotals ? totals : none) });
  }

  #membersOf(periodId: string): SampleRecord[] {
    return this.world.timesheets.filter((each) => this.#periodOf(each) === periodId);
  }

  #periodOf({ id, employeeId }: SampleRecord): string {
    const byNumber = Number.parseInt(String(employeeId), 10) % 2 === 0 ? WEEKLY : FORTNIGHTLY;
    return this.moved.get(id) ?? this.moved.get(String(employeeId)) ?? byNumber;
  }
}

/** A timesheet of the employee with this number. */
export function sheetOf(number: number, values: Partial<SampleRecord> = {}): SampleRecord {
  return timesheet({
    id: `${1_000 + number}_7`,
    employeeId: `${2_000 + number}_7`,
    date: '2026-03-04',
    ...values,
  });
}
