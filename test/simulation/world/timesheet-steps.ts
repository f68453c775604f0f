import type { RawRecord } from '#local/source/world/records.ts';
import { addDays } from '#shared/core/dates.ts';
import type { Random } from '../random.ts';

/** The input of a step besides the record. */
export interface StepContext {
  readonly random: Random;
  readonly now: number;
  /** Today in the connection's zone. */
  readonly today: string;
  readonly backDays: number;
  readonly forwardDays: number;
  /** Work is planned around now, so that clockings can be missing. */
  readonly plansNow: boolean;
  /** The source writes instants in whole seconds. */
  readonly wholeSeconds: boolean;
}

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const SECOND_MS = 1_000;

/** Returns the record after a change; null when the change does not apply. Values are canonical: the source rewrites them. */
export type Step = (record: RawRecord, context: StepContext) => RawRecord | null;

/** A stamp of now. */
export function stampOf({ now, wholeSeconds }: Pick<StepContext, 'now' | 'wholeSeconds'>): string {
  return new Date(wholeSeconds ? Math.floor(now / SECOND_MS) * SECOND_MS : now).toISOString();
}

export function newTimesheet(id: string, context: StepContext): RawRecord {
  const { random } = context;
  const date = someDate(context);
  return {
    __type: 'Timesheet:#Workforce.Sample',
    id,
    approvedHours: null,
    approvedPayroll: null,
    casualJob: random.chance(0.2),
    clockIn: null,
    clockOut: null,
    contractedHoursId: '',
    date,
    department: random.chance(0.8) ? { id: `5_${random.between(1, 3)}`, name: 'Kitchen' } : null,
    details: random.chance(0.4) ? [detail(random, date), { ...detail(random, date), id: '9_1000' }] : [],
    employeeId: `7_${random.between(1, 9)}`,
    finishTime: `${date}T17:00:00.000Z`,
    hourlyRate: '$30.00',
    hoursToPay: random.between(100, 1_000) / 100,
    includesLeave: false,
    organisationPayRollId: '1_1',
    organisationWorkedId: random.chance(0.9) ? '1_2' : null,
    overnight: false,
    processed: null,
    role: random.chance(0.5) ? { id: '6_1', name: 'Cook' } : null,
    shift: null,
    startTime: `${date}T09:00:00.000Z`,
    ...(context.plansNow ? planNow(context) : {}),
  };
}

/** Some minutes of work within hours; over midnight the source may leave the next date to the reader. */
function planNow({ random, now }: StepContext): RawRecord {
  const start = now + random.between(-30, 240) * MINUTE_MS;
  const finish = start + random.between(2, 90) * MINUTE_MS - (random.chance(0.1) ? DAY_MS : 0);
  const write = (instant: number) => (random.chance(0.9) ? new Date(instant).toISOString() : null);
  return { startTime: write(start), finishTime: write(finish) };
}

/** Dates in the window, around it, and so far back that no poll reads them for a moved record. */
function someDate({ random, today, backDays, forwardDays }: StepContext): string {
  if (random.chance(0.05))
    return addDays(today, -random.between(backDays, backDays + random.pick([5, 20, 70])));
  return addDays(today, random.between(-backDays - 2, forwardDays + 3));
}

function detail(random: Random, date: string): RawRecord {
  return {
    id: `9_${random.between(101, 999)}`,
    activity: random.chance(0.5) ? '8_1' : null,
    alternateDepartment: null,
    alternateOrganisation: null,
    startTime: `${date}T09:00:00.000Z`,
    finishTime: `${date}T11:00:00.000Z`,
    hours: random.between(1, 4),
    mealBreak: random.chance(0.2),
    restBreak: false,
  };
}

function clockRecord({ random, now }: StepContext): RawRecord {
  const text = new Date(now - random.between(0, 600) * SECOND_MS).toISOString();
  return {
    id: `3_${random.between(1, 99_999)}`,
    beacon: random.chance(0.5),
    kiosk: random.chance(0.5),
    // In UTC, by the clock on the wall, or not recorded.
    localTime: random.pick([text, text.slice(0, -1), null]),
    overrideEmployee: random.chance(0.2) ? 'Ann Other' : null,
    overrideOrganisation: null,
    variance: random.between(-20, 20),
  };
}

function clocked(field: 'clockIn' | 'clockOut'): Record<string, Step> {
  return {
    [`${field}:on`]: (record, context) =>
      record[field] === null ? { ...record, [field]: clockRecord(context) } : null,
    [`${field}:off`]: (record) => (record[field] === null ? null : { ...record, [field]: null }),
    [`${field}:corrected`]: (record, { random }) =>
      record[field] === null
        ? null
        : { ...record, [field]: { ...objectIn(record[field]), variance: random.between(21, 999) } },
    [`${field}:again`]: (record, context) =>
      record[field] === null ? null : { ...record, [field]: clockRecord(context) },
  };
}

function stamped(field: 'approvedHours' | 'approvedPayroll' | 'processed'): Record<string, Step> {
  const stamp = (context: StepContext) =>
    field === 'approvedPayroll' ? `payroll ${context.now}` : stampOf(context);
  const set: Step = (record, context) => ({ ...record, [field]: stamp(context) });
  return {
    [`${field}:on`]: (record, context) => (record[field] === null ? set(record, context) : null),
    [`${field}:again`]: (record, context) => (record[field] === null ? null : set(record, context)),
    [`${field}:off`]: (record) => (record[field] === null ? null : { ...record, [field]: null }),
  };
}

const EDITS: readonly Step[] = [
  (record, { random }) => ({
    ...record,
    hoursToPay: inCents(Number(record.hoursToPay) + random.between(1, 300) / 100),
  }),
  (record, { now }) => ({ ...record, finishTime: new Date(now).toISOString() }),
  (record, { now }) => ({ ...record, startTime: new Date(now).toISOString() }),
  (record, { random }) => ({ ...record, department: { id: `5_${random.between(4, 9)}`, name: 'Bar' } }),
  (record) => ({ ...record, department: null, role: null }),
  (record, { random }) => ({ ...record, shift: { id: `4_${random.between(1, 99)}`, name: 'Late' } }),
  (record, { random }) => ({ ...record, employeeId: `7_${random.between(10, 99)}` }),
  (record) => ({ ...record, casualJob: record.casualJob !== true }),
  (record) => ({ ...record, includesLeave: record.includesLeave !== true, hoursToPay: 0 }),
  (record) => ({ ...record, overnight: record.overnight !== true }),
  (record, { random }) => ({ ...record, organisationWorkedId: `1_${random.between(3, 99)}` }),
  (record, { random }) => ({ ...record, details: [detail(random, String(record.date))] }),
];

/** Changes of fields that are not watched. */
const UNWATCHED: readonly Step[] = [
  (record, { random }) => ({ ...record, hourlyRate: `$${random.between(20, 99)}.00` }),
  (record) => ({ ...record, contractedHoursId: record.contractedHoursId === '' ? '2_1' : '' }),
  (record) => ({ ...record, details: (record.details as readonly unknown[]).toReversed() }),
  (record) =>
    record.department === null
      ? null
      : { ...record, department: { ...objectIn(record.department), name: 'Renamed' } },
  (record) =>
    record.clockIn === null
      ? null
      : { ...record, clockIn: { ...objectIn(record.clockIn), overrideEmployee: 'Some One' } },
  (record, { random }) => ({ ...record, somethingNew: random.between(1, 999) }),
];

export const TIMESHEET_STEPS: Readonly<Record<string, Step>> = {
  ...clocked('clockIn'),
  ...clocked('clockOut'),
  ...stamped('approvedHours'),
  ...stamped('approvedPayroll'),
  ...stamped('processed'),
  edited: (record, context) => context.random.pick(EDITS)(record, context),
  edited_again: (record, context) => context.random.pick(EDITS)(record, context),
  moved: (record, context) => ({ ...record, date: someDate(context) }),
  moved_again: (record, context) => ({ ...record, date: someDate(context) }),
  unwatched: (record, context) => context.random.pick(UNWATCHED)(record, context),
};

const { 'clockIn:on': clocksIn, 'clockOut:on': clocksOut } = TIMESHEET_STEPS;

/** Steps after which a clocking is missing, or no longer. */
export const CLOCKING_STEPS: readonly Step[] = [
  ...[clocksIn, clocksIn, clocksOut, TIMESHEET_STEPS['clockIn:off']].filter((step) => step !== undefined),
  (record, context) => ({ ...record, ...planNow(context) }),
  (record) => ({ ...record, includesLeave: record.includesLeave !== true }),
];

/** Without the noise of adding fractions. */
function inCents(hours: number): number {
  return Math.round(hours * 100) / 100;
}

function objectIn(value: unknown): RawRecord {
  return typeof value === 'object' && value !== null ? (value as RawRecord) : {};
}
