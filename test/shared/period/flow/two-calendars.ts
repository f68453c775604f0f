import type { SourceError } from '#shared/core/errors.ts';
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
  /** Dates by the id of their period, where they are others than at first. */
  readonly dates = new Map<string, typeof WEEK>();
  readonly closed = new Set<string>();
  /** Periods whose record cannot be read. */
  readonly unreadable = new Set<string>();
  /** Called before the source answers who is a member. */
  onMembers: (employeeId: string, periodId: string) => SourceError | null = () => null;
  /** Whether periods say what they come to. */
  hasTotals = true;
  #questions: string[] = [];

  constructor(options: PollHarnessOptions = {}) {
    const connection = { window: { backDays: 5, forwardDays: 12 } };
    this.world = new PollHarness({ connection, requestMs: 10, ...options });
    Object.defineProperty(this.world.lists, 'pay-periods', { get: () => this.#periods() });
    this.world.members = (employeeId, periodId) => {
      this.#questions.push(`${employeeId} ${periodId}`);
      const error = this.onMembers(employeeId, periodId);
      if (error !== null) throw error;
      return this.#membersOf(periodId)
        .filter((each) => each.employeeId === employeeId)
        .map(({ id }) => id);
    };
  }

  /** Puts a timesheet of each employee into the source, and polls; what it asks ahead is as given. */
  async employ(count: number): Promise<void> {
    for (let number = 0; number < count; number += 1) this.world.put(sheetOf(number));
    await this.world.poll();
    this.world.news();
  }

  /** Closes a period in the source, and gives what the next poll says of it. */
  async close(periodId: string): Promise<unknown> {
    this.closed.add(periodId);
    this.world.news();
    await this.world.poll();
    return this.world.published.find(
      ({ type, subject }) => type.endsWith('pay_period.closed') && subject === periodId,
    )?.data.account;
  }

  takeQuestions(): string[] {
    const questions = this.#questions;
    this.#questions = [];
    return questions.sort();
  }

  /** What was answered about a period, by employee: all of his timesheets on its dates, none, or which. */
  async answers(periodId: string): Promise<Record<string, unknown>> {
    const answers = await this.world.store.loadAnswers('main', periodId);
    return Object.fromEntries([...answers].map(([id, [, own]]) => [id, own]).sort());
  }

  #periods(): SampleRecord[] {
    return [
      this.#period({ id: WEEKLY, calendar: 'Weekly', ...WEEK }),
      this.#period({ id: FORTNIGHTLY, calendar: 'Fortnightly', ...WEEK, finishDate: '2026-03-15' }),
    ];
  }

  #period(values: SampleRecord): SampleRecord {
    const members = this.#membersOf(values.id);
    const totals = {
      hours: members.reduce((sum, { hoursToPay }) => sum + Number(hoursToPay), 0),
      numberEmployees: new Set(members.map(({ employeeId }) => employeeId)).size,
      numberTimesheets: members.length,
    };
    const closed = this.closed.has(values.id) ? '2026-03-05' : null;
    const none = { hours: null, numberEmployees: null, numberTimesheets: null };
    const calendar = this.renamed.get(values.id) ?? values.calendar;
    const dates = this.unreadable.has(values.id) ? { startDate: 'soon' } : this.dates.get(values.id);
    return payPeriod({ ...values, calendar, closed, ...(this.hasTotals ? totals : none), ...dates });
  }

  #membersOf(periodId: string): SampleRecord[] {
    return [...this.world.timesheets.values()].filter((each) => this.#periodOf(each) === periodId);
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
