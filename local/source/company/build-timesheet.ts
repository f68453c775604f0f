import { addDays } from '#shared/core/dates.ts';
import type { ContractedHours, Timesheet, TimesheetDetail } from '../schemas.ts';
import type { Company } from './company.ts';
import { daysBetween, parseTimeOfDay, weekdayOf } from './local-calendar.ts';
import { ACTIVITY, HEAD_OFFICE } from './premises.ts';
import { computeBreakMinutes, type Member } from './staff.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MINUTES = 1440;
const LEAVE_SHARE = 0.05;
const ELSEWHERE_SHARE = 0.04;
/** A Monday, from which two-week contracts are counted. */
const FIRST_WEEK = '2024-01-01';

/** The input of a new timesheet. Minutes are counted from local midnight of the date. */
interface Draft {
  readonly member: Member;
  readonly date: string;
  readonly start: number;
  readonly finish: number;
  /** `null` for a casual job. */
  readonly contract: ContractedHours | null;
  /** A day of leave: no shift, one detail. */
  readonly leave: boolean;
  /** Without a department and a role. */
  readonly unassigned: boolean;
}

/** The timesheet of an employee's contract on a date; `null` on a day off. */
export function buildRosteredTimesheet(company: Company, member: Member, date: string): Timesheet | null {
  const { contractedHours } = member.employee;
  const weeks = Math.max(...contractedHours.map(({ week }) => week));
  const week = 1 + (Math.floor(daysBetween(FIRST_WEEK, date) / 7) % weeks);
  const contract = contractedHours.find((entry) => entry.day === weekdayOf(date) && entry.week === week);
  if (contract === undefined) return null;
  const start = parseTimeOfDay(contract.startTime?.slice(1) ?? '');
  return buildTimesheet(company, {
    member,
    date,
    start,
    finish: start + contract.minutesTotal,
    contract,
    leave: company.chance.fraction(`leave/${member.employee.id}/${date}`) < LEAVE_SHARE,
    unassigned: false,
  });
}

/** A new timesheet, not stored yet. Takes new ids. */
export function buildTimesheet(company: Company, draft: Draft): Timesheet {
  const { member, contract } = draft;
  const { department, organisationId } = member.workplace;
  const details = buildDetails(company, draft);
  return {
    __type: 'Timesheet:#Workforce.Sample',
    id: company.nextId('timesheet'),
    approvedHours: null,
    approvedPayroll: null,
    casualJob: contract === null,
    clockIn: null,
    clockOut: null,
    contractedHoursId: contract?.id ?? '',
    date: draft.date,
    department: draft.unassigned ? null : { id: department.id, name: department.name },
    details,
    employeeId: member.employee.id,
    finishTime: toIsoInstant(company, draft.date, draft.finish),
    hourlyRate: member.hourlyRate,
    hoursToPay: computePayableHours(details),
    includesLeave: draft.leave,
    organisationPayRollId: HEAD_OFFICE,
    organisationWorkedId: organisationId,
    overnight: draft.finish > DAY_MINUTES,
    processed: null,
    role: draft.unassigned ? null : member.role,
    shift: draft.leave ? null : (contract?.shift ?? null),
    startTime: toIsoInstant(company, draft.date, draft.start),
  };
}

/** One detail, or work, a meal break in the middle and work again. */
function buildDetails(company: Company, draft: Draft): TimesheetDetail[] {
  const { date, start, finish, leave } = draft;
  const pause = leave ? 0 : computeBreakMinutes(finish - start);
  const detail = (from: number, to: number, activity: string | null): TimesheetDetail => ({
    id: company.nextId('detail'),
    activity,
    alternateDepartment: pickAlternateDepartment(company, draft),
    alternateOrganisation: '',
    startTime: toIsoInstant(company, date, from),
    finishTime: toIsoInstant(company, date, to),
    hours: hoursBetween(company.calendar.at(date, from), company.calendar.at(date, to)),
    mealBreak: activity === ACTIVITY.mealBreak,
    restBreak: false,
  });
  const work = leave ? ACTIVITY.annualLeave : draft.unassigned ? null : ACTIVITY.work;
  if (pause === 0) return [detail(start, finish, work)];
  const middle = start + Math.round((finish - start - pause) / 60) * 30;
  return [
    detail(start, middle, work),
    detail(middle, middle + pause, ACTIVITY.mealBreak),
    detail(middle + pause, finish, work),
  ];
}

/** Now and then an employee helps out in another department. */
function pickAlternateDepartment(company: Company, { member, date }: Draft): string {
  const key = `elsewhere/${member.employee.id}/${date}`;
  if (company.chance.fraction(key) >= ELSEWHERE_SHARE) return '';
  return company.workplaces[0]?.department.id ?? '';
}

/** The timesheet with other payable hours; its last detail and its finish move with them. */
export function withHours(timesheet: Timesheet, hours: number): Timesheet {
  const shift = (instant: string): string =>
    new Date(Date.parse(instant) + Math.round((hours - timesheet.hoursToPay) * 60) * MINUTE_MS).toISOString();
  const last = timesheet.details.length - 1;
  const details = timesheet.details.map((detail, index) => {
    if (index !== last) return detail;
    const finishTime = pickLater(detail.startTime, shift(detail.finishTime));
    return {
      ...detail,
      finishTime,
      hours: hoursBetween(Date.parse(detail.startTime), Date.parse(finishTime)),
    };
  });
  const finishTime = details[last]?.finishTime ?? shift(timesheet.finishTime);
  return { ...timesheet, details, finishTime, hoursToPay: roundHours(hours) };
}

/** The timesheet moved to another date, at the same times of day. */
export function withDate(company: Company, timesheet: Timesheet, date: string): Timesheet {
  const days = daysBetween(timesheet.date, date);
  const move = (text: string): string => {
    const instant = Date.parse(text);
    return toIsoInstant(
      company,
      addDays(company.calendar.dateOf(instant), days),
      company.calendar.minutesOf(instant),
    );
  };
  return {
    ...timesheet,
    date,
    startTime: move(timesheet.startTime),
    finishTime: move(timesheet.finishTime),
    details: timesheet.details.map((detail) => ({
      ...detail,
      startTime: move(detail.startTime),
      finishTime: move(detail.finishTime),
    })),
  };
}

function computePayableHours(details: readonly TimesheetDetail[]): number {
  return roundHours(details.reduce((sum, { hours, mealBreak }) => (mealBreak ? sum : sum + hours), 0));
}

/** To hundredths of an hour. */
export function roundHours(hours: number): number {
  return Math.round(hours * 100) / 100;
}

function hoursBetween(from: number, to: number): number {
  return roundHours((to - from) / HOUR_MS);
}

function toIsoInstant(company: Company, date: string, minutes: number): string {
  return new Date(company.calendar.at(date, minutes)).toISOString();
}

function pickLater(one: string, other: string): string {
  return one > other ? one : other;
}
