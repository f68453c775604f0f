import type { ContractedHours, Timesheet, TimesheetDetail } from '../schemas.ts';
import type { Company } from './company.ts';
import { ACTIVITY, HEAD_OFFICE } from './premises.ts';
import { computeBreakMinutes, type Member } from './staff.ts';
import { daysBetween, instantAt } from './times.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
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
  const days = daysBetween(FIRST_WEEK, date);
  const [day, week] = [1 + (days % 7), 1 + (Math.floor(days / 7) % weeks)];
  const contract = contractedHours.find((entry) => entry.day === day && entry.week === week);
  if (contract === undefined) return null;
  const [, hour, minute] = /T(\d\d):(\d\d)/.exec(contract.startTime ?? '') ?? [];
  const start = Number(hour) * 60 + Number(minute);
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
  const paid = details.filter(({ mealBreak }) => !mealBreak);
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
    finishTime: details.at(-1)?.finishTime ?? '',
    hourlyRate: member.hourlyRate,
    hoursToPay: roundHours(paid.reduce((sum, { hours }) => sum + hours, 0)),
    includesLeave: draft.leave,
    organisationPayRollId: HEAD_OFFICE,
    organisationWorkedId: organisationId,
    overnight: draft.finish > DAY_MINUTES,
    processed: null,
    role: draft.unassigned ? null : member.role,
    shift: draft.leave ? null : (contract?.shift ?? null),
    startTime: details[0]?.startTime ?? '',
  };
}

/** One detail, or work, a meal break in the middle and work again. */
function buildDetails(company: Company, draft: Draft): TimesheetDetail[] {
  const { member, date, start, finish, leave } = draft;
  const { timeZone } = company.settings;
  const pause = leave ? 0 : computeBreakMinutes(finish - start);
  // Now and then an employee helps out in another department.
  const isElsewhere = company.chance.fraction(`elsewhere/${member.employee.id}/${date}`) < ELSEWHERE_SHARE;
  const detail = (from: number, to: number, activity: string | null): TimesheetDetail => {
    const [begins = 0, ends = 0] = [from, to].map((minutes) => instantAt(date, minutes, timeZone));
    return {
      id: company.nextId('detail'),
      activity,
      alternateDepartment: isElsewhere ? (company.workplaces[0]?.department.id ?? '') : '',
      alternateOrganisation: '',
      startTime: new Date(begins).toISOString(),
      finishTime: new Date(ends).toISOString(),
      hours: roundHours((ends - begins) / HOUR_MS),
      mealBreak: activity === ACTIVITY.mealBreak,
      restBreak: false,
    };
  };
  const work = leave ? ACTIVITY.annualLeave : draft.unassigned ? null : ACTIVITY.work;
  if (pause === 0) return [detail(start, finish, work)];
  const middle = start + Math.round((finish - start - pause) / 60) * 30;
  return [
    detail(start, middle, work),
    detail(middle, middle + pause, ACTIVITY.mealBreak),
    detail(middle + pause, finish, work),
  ];
}

/** The timesheet with other payable hours; its last detail and its finish move with them. */
export function withHours(timesheet: Timesheet, hours: number): Timesheet {
  const moreMs = Math.round((hours - timesheet.hoursToPay) * 60) * MINUTE_MS;
  const last = timesheet.details.at(-1);
  const start = Date.parse(last?.startTime ?? timesheet.startTime);
  const finish = Math.max(start, Date.parse(last?.finishTime ?? timesheet.finishTime) + moreMs);
  const finishTime = new Date(finish).toISOString();
  const details = timesheet.details.map((detail) =>
    detail === last ? { ...detail, finishTime, hours: roundHours((finish - start) / HOUR_MS) } : detail,
  );
  return { ...timesheet, details, finishTime, hoursToPay: roundHours(hours) };
}

/** The timesheet moved to another date; times of day stay unless clocks change in between. */
export function withDate(timesheet: Timesheet, date: string): Timesheet {
  const move = <Part extends Pick<Timesheet, 'startTime' | 'finishTime'>>(part: Part): Part => ({
    ...part,
    startTime: shift(part.startTime),
    finishTime: shift(part.finishTime),
  });
  const days = daysBetween(timesheet.date, date);
  const shift = (text: string) => new Date(Date.parse(text) + days * DAY_MS).toISOString();
  return { ...move(timesheet), date, details: timesheet.details.map(move) };
}

/** To hundredths of an hour. */
function roundHours(hours: number): number {
  return Math.round(hours * 100) / 100;
}
