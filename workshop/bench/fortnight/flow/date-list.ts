import { createSeededRandom } from '#test/shared/adapters/workforce-api/virtual-time.ts';
import { sampleTimesheet } from '../../sample-records.ts';
import { dayOf, HOUR_MS, MINUTE_MS } from '../trace/calendar.ts';
import { chance } from '../trace/chance.ts';
import { drawShift, type Shift } from '../trace/life.ts';
import { type DateChanges, readChange, recordId, type Trace, type TraceChange } from '../trace/trace.ts';

export type SourceTimesheet = Readonly<Record<string, unknown>>;

/** The timesheets of one date at the source. Each call must be for the same or a later instant. */
export class DateList {
  readonly #trace: Trace;
  readonly #changes: DateChanges;
  readonly #records: (SourceTimesheet | undefined)[] = [];
  #next = 0;
  #present: SourceTimesheet[] | null = null;
  #places: ReadonlyMap<number, number> | null = null;

  constructor(trace: Trace, date: string) {
    this.#trace = trace;
    this.#changes = trace.changesOfDate(date);
  }

  /** All timesheets at an instant; changes do not move them. */
  at(instant: number): readonly SourceTimesheet[] {
    const { at } = this.#changes;
    for (; (at[this.#next] ?? Number.POSITIVE_INFINITY) <= instant; this.#next += 1) {
      this.#apply(readChange(this.#changes, this.#next));
    }
    this.#present ??= this.#records.filter((record) => record !== undefined);
    return this.#present;
  }

  /** A timesheet at the latest instant; undefined when it is removed. */
  record(place: number): SourceTimesheet | undefined {
    return this.#records[place];
  }

  /** The one of an employee at the latest instant. */
  ofEmployee(employee: number): SourceTimesheet | undefined {
    this.#places ??= new Map(this.#changes.employees.map((each, place) => [each, place]));
    return this.#records[this.#places.get(employee) ?? -1];
  }

  #apply(change: TraceChange): void {
    const before = this.#records[change.record];
    const after =
      before === undefined ? this.#create(change) : applyChange(before, change, this.#drawShift(change));
    this.#records[change.record] = Object.freeze(after);
    this.#present = null;
  }

  /** The timesheet as it was created depends on the seed, its date and its employee alone. */
  #create(change: TraceChange): SourceTimesheet {
    const { date, record } = change;
    const employee = this.#changes.employees[record] ?? 0;
    const { startAt, finishAt } = this.#drawShift(change);
    const draw = createSeededRandom(Math.floor(chance(this.#trace.seed, 81, employee) * 4_294_967_296));
    const sample = sampleTimesheet(employee, date, draw);
    const [startTime, finishTime] = [toIso(startAt), toIso(finishAt)];
    const [detail] = sample.details as Record<string, unknown>[];
    return {
      ...sample,
      id: recordId(date, record),
      startTime,
      finishTime,
      hoursToPay: (finishAt - startAt) / HOUR_MS,
      clockIn: null,
      clockOut: null,
      approvedHours: null,
      approvedPayroll: null,
      processed: null,
      details: [{ ...detail, id: `${recordId(date, record)}9`, startTime, finishTime }],
    };
  }

  #drawShift({ record }: TraceChange): Shift {
    return drawShift(this.#changes.employees[record] ?? 0, dayOf(this.#changes.date), this.#trace.seed);
  }
}

/** Undefined when the change removes the timesheet. */
function applyChange(
  before: SourceTimesheet,
  change: TraceChange,
  shift: Shift,
): SourceTimesheet | undefined {
  const { at, type, record } = change;
  switch (type) {
    case 'timesheet.created':
      return before;
    case 'timesheet.removed':
      return undefined;
    case 'timesheet.changed':
      return { ...before, hoursToPay: Number(before.hoursToPay) + 0.25 };
    case 'timesheet.clocked_in':
      return { ...before, clockIn: buildClocking(record * 2, { at, plannedAt: shift.startAt }) };
    case 'timesheet.clock_in_corrected': {
      // The correction adds a clock-in when there is none.
      const kept = before.clockIn as { localTime: string } | null;
      const clockedAt = kept === null ? shift.startAt : Date.parse(`${kept.localTime}Z`) - 5 * MINUTE_MS;
      return { ...before, clockIn: buildClocking(record * 2, { at: clockedAt, plannedAt: shift.startAt }) };
    }
    case 'timesheet.clocked_out':
      return { ...before, clockOut: buildClocking(record * 2 + 1, { at, plannedAt: shift.finishAt }) };
    case 'timesheet.approved':
      return { ...before, approvedHours: toIso(at) };
    case 'timesheet.approval_revoked':
      return { ...before, approvedHours: null };
    case 'timesheet.payroll_approved':
      return { ...before, approvedPayroll: `PAY-${record}` };
    case 'timesheet.processed':
      return { ...before, processed: toIso(at) };
    case 'timesheet.processing_reverted':
      return { ...before, processed: null };
  }
}

function buildClocking(place: number, { at, plannedAt }: { at: number; plannedAt: number }): object {
  return {
    id: `${4_000_000 + place}_4711`,
    beacon: false,
    kiosk: true,
    localTime: toIso(at).slice(0, 23),
    overrideEmployee: null,
    overrideOrganisation: null,
    variance: Math.round((at - plannedAt) / MINUTE_MS),
  };
}

function toIso(at: number): string {
  return new Date(at).toISOString();
}
