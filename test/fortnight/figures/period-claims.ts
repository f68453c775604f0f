import type { PayPeriod, Timesheet } from '#local/source/schemas.ts';
import { addDays } from '#shared/core/dates.ts';
import { type Claim, type ClaimContext, toNumber } from './claim.ts';
import { dayBegins, UTC_OFFSET, writeDate } from './local-moments.ts';
import { findClosings, splitChanges } from './since-close.ts';
import { awaitsPayroll, departmentOf, isUnapproved, isUnprocessed, sumUp } from './world-figures.ts';

const CLOSES_AT: Readonly<Record<string, string>> = { Weekly: '10:30', Fortnightly: '12:30' };
const UNIT_MS: Readonly<Record<string, number>> = {
  day: 86_400_000,
  days: 86_400_000,
  h: 3_600_000,
  min: 60_000,
};
const PERSON = /^(?<name>.+?) (?<date>\w+ \d+ \w+) (?<hours>[\d.]+) h$/;

export interface Department {
  readonly name: string;
  readonly members: readonly Timesheet[];
}

/** Sentences and headings about a pay period. */
export const PERIOD_CLAIMS: readonly Claim<PayPeriod>[] = [
  {
    // Departments below the heading of a daily summary.
    pattern: /(?<=[h)]: )(?<departments>\D+ \d+(?:, \D+ \d+)*?)(?:, (?<more>\d+) more)?$/,
    holds: ({ departments = '', more = '0' }, period, { figures, at, seenAt }) => {
      const open = figures
        .membersOf(period, at)
        .filter((each) => each.date < dayBegins(seenAt) && isUnapproved(each));
      const groups = Map.groupBy(open, departmentOf);
      const parts = departments
        .split(', ')
        .map((part) => /^(?<name>.+) (?<count>\d+)$/.exec(part)?.groups ?? {});
      return (
        parts.every(({ name = '', count }) => groups.get(name)?.length === toNumber(count)) &&
        groups.size - parts.length === toNumber(more)
      );
    },
  },
  {
    pattern:
      /(?:(?<unapproved>[\d,]+) of (?<timesheets>[\d,]+) to approve, |^)(?<hours>[\d,.]+) h(?= +~|:|$)/,
    holds: ({ unapproved, timesheets, hours }, period, { figures, at, seenAt }) => {
      const members = figures.membersOf(period, at).filter(({ date }) => date < dayBegins(seenAt));
      const open = sumUp(members.filter(isUnapproved));
      const counts = unapproved === undefined ? [] : [open.timesheets, members.length];
      return areEqual([open.hours, ...counts], [hours, unapproved, timesheets]);
    },
  },
  {
    pattern:
      /(?:(?:closes|was to close) (?:on )?|(?<=^| )by )(?:(?<day>\w+ \d+ \w+) )?(?:at )?(?<time>\d\d:\d\d)(?: \(in (?<left>[\d.]+) (?<unit>days?|h|min)\))?/,
    holds: ({ day, time, left, unit = 'h' }, { calendar, finishDate }, { figures: { moments }, seenAt }) => {
      const deadline = Date.parse(`${addDays(finishDate, 2)}T${CLOSES_AT[calendar]}:00${UTC_OFFSET}`);
      const amount = (deadline - seenAt) / (UNIT_MS[unit] ?? 1);
      return (
        moments.timeOf(deadline) === time &&
        moments.dayOf(deadline) === (day ?? moments.dayOf(seenAt)) &&
        (left === undefined || Math.abs(amount - toNumber(left)) <= 0.5)
      );
    },
  },
  {
    pattern:
      /(?<unapproved>[\d,]+) of (?<timesheets>[\d,]+) timesheets(?: up to (?<through>\w+ \d+ \w+))? (?:are|is) not approved, (?<hours>[\d,.]+) h of (?<employees>[\d,]+) employees?(?: ~ )?(?:; (?<waiting>[\d,]+) approved ones? waits? for payroll)?/,
    holds: ({ through, unapproved, timesheets, hours, employees, waiting }, period, context) => {
      const members = context.figures
        .membersOf(period, context.at)
        .filter((each) => isUpTo(each, through, period));
      const open = sumUp(members.filter(isUnapproved));
      return (
        areEqual(
          [members.length, open.timesheets, open.hours, open.employees],
          [timesheets, unapproved, hours, employees],
        ) && isWaiting(members, waiting)
      );
    },
  },
  {
    // Below the heading, which says how many timesheets.
    pattern:
      /^(?<hours>[\d,.]+) h of (?<employees>[\d,]+) employees?(?: ~ )?(?:; (?<waiting>[\d,]+) approved ones? waits? for payroll)?/,
    holds: ({ hours, employees, waiting }, period, { figures, at }) => {
      const members = figures.membersOf(period, at);
      const open = sumUp(members.filter(isUnapproved));
      return areEqual([open.hours, open.employees], [hours, employees]) && isWaiting(members, waiting);
    },
  },
  {
    // Of the days that are over.
    pattern: /Approve (?<unapproved>[\d,]+) timesheets?/,
    holds: ({ unapproved }, period, { figures, at, seenAt }) => {
      const today = new Date(seenAt + Number.parseInt(UTC_OFFSET, 10) * 3_600_000).toISOString().slice(0, 10);
      const open = figures.membersOf(period, at).filter(isUnapproved);
      return open.filter(({ date }) => date < today).length === toNumber(unapproved);
    },
  },
  {
    pattern:
      /Check (?<unapproved>[\d,]+) of (?<timesheets>[\d,]+) timesheets? before you pay ~ \((?<hours>[\d,.]+) h\)/,
    holds: ({ unapproved, timesheets, hours }, period, { figures, at }) => {
      const members = figures.membersOf(period, at);
      const sums = sumUp(members);
      return areEqual(
        [members.filter(isUnapproved).length, sums.timesheets, sums.hours],
        [unapproved, timesheets, hours],
      );
    },
  },
  {
    pattern:
      /Pay (?<hours>[\d,.]+) h for ~ \((?<people>[\d,]+) (?:person|people)\)(?:, (?<since>[+-][\d,.]+) h since it closed)?/,
    holds: ({ hours, people, since }, period, context) => {
      const sums = sumUp(context.figures.membersOf(period, context.at));
      const first = findClosings(period.id, context)[0]?.hours ?? sums.hours;
      return (
        areEqual([sums.hours, sums.employees, sums.hours - first], [hours, people, since ?? '0']) &&
        !context.figures.membersOf(period, context.at).some(isUnapproved)
      );
    },
  },
  {
    pattern:
      /(?<unapproved>[\d,]+) of (?<timesheets>[\d,]+) (?:not approved|timesheets?)(?<soFar> so far)?(?! up to)/,
    holds: ({ unapproved, timesheets, soFar }, period, { figures, at, seenAt }) => {
      const today = new Date(seenAt + Number.parseInt(UTC_OFFSET, 10) * 3_600_000).toISOString().slice(0, 10);
      const members = figures.membersOf(period, at).filter(({ date }) => soFar === undefined || date < today);
      return areEqual([members.filter(isUnapproved).length, members.length], [unapproved, timesheets]);
    },
  },
  {
    pattern:
      /closed at (?<closed>[\d,.]+) h(?<parts>(?:, [+-][\d,.]+ h in \d+(?: timesheets?)? after (?:it|reopening)(?: \([^)]*\))?)*)(?:, unchanged since)?(?=;)/,
    holds: ({ closed, parts = '' }, { id }, context) => {
      const changes = splitChanges(id, context);
      const said = [
        ...parts.matchAll(
          /(?<hours>[+-][\d,.]+) h in (?<timesheets>\d+)(?: timesheets?)? after (?<when>it|reopening)(?: \((?<people>[^)]*)\))?/g,
        ),
      ];
      const stated = { it: ['0', '0'], reopening: ['0', '0'] };
      for (const { groups = {} } of said)
        stated[groups.when as keyof typeof stated] = [groups.hours ?? '', groups.timesheets ?? ''];
      return (
        findClosings(id, context)[0]?.hours === toNumber(closed) &&
        said.every(({ groups = {} }) =>
          areMoved(groups.people, changes[groups.when as keyof typeof changes], context),
        ) &&
        areEqual([changes.it.hours, changes.it.timesheets], stated.it) &&
        areEqual([changes.reopening.hours, changes.reopening.timesheets], stated.reopening)
      );
    },
  },
  {
    pattern: /(?<hours>[\d,.]+) h, (?<employees>[\d,]+) employees?, (?<timesheets>[\d,]+) timesheets?/,
    holds: ({ hours, employees, timesheets }, period, { figures, at }) => {
      const sums = sumUp(figures.membersOf(period, at));
      return areEqual([sums.hours, sums.employees, sums.timesheets], [hours, employees, timesheets]);
    },
  },
  {
    pattern:
      /(?:is settled|closed|closed again) at (?<hours>[\d,.]+) h(?:, (?<since>[+-][\d,.]+) h since it closed)?/,
    holds: ({ hours, since }, period, context) => {
      const now = sumUp(context.figures.membersOf(period, context.at)).hours;
      const first = findClosings(period.id, context)[0]?.hours ?? Number.NaN;
      return areEqual([now, now - first], [hours, since ?? '0']);
    },
  },
  {
    pattern: /(?<unapproved>[\d,]+) not approved(?: \((?!as of)(?<people>[^)]*)\))?/,
    holds: ({ unapproved, people }, period, { figures, at }) => {
      const open = figures.membersOf(period, at).filter(isUnapproved);
      return open.length === toNumber(unapproved) && arePeople(people, open, (each) => figures.nameOf(each));
    },
  },
  {
    pattern: /(?<unprocessed>[\d,]+) not processed/,
    holds: ({ unprocessed }, period, { figures, at }) =>
      figures.membersOf(period, at).filter(isUnprocessed).length === toNumber(unprocessed),
  },
  {
    pattern: /all approved/,
    holds: (_, period, { figures, at }) => !figures.membersOf(period, at).some(isUnapproved),
  },
  {
    pattern: /(?:and|, all) processed/,
    holds: (_, period, { figures, at }) => !figures.membersOf(period, at).some(isUnprocessed),
  },
  {
    pattern: /adds up with the workforce service/,
    holds: (_, period, { figures, at }) => {
      const sums = sumUp(figures.membersOf(period, at));
      return (
        sums.hours === period.hours &&
        sums.employees === period.numberEmployees &&
        sums.timesheets === period.numberTimesheets
      );
    },
  },
  {
    pattern: /\(as of (?<moment>[^)]+)\)/,
    holds: ({ moment = '' }, _, { figures, at, seenAt }) => figures.moments.isMoment(moment, at, seenAt),
  },
  {
    pattern: /(?<change>[+-][\d,.]+) h against the closing before/,
    holds: ({ change }, { id }, { figures, seenAt }) => {
      const [last, before] = findClosings(id, { figures, at: seenAt }).toReversed();
      return last !== undefined && before !== undefined && last.hours - before.hours === toNumber(change);
    },
  },
  {
    pattern:
      /(?:was )?reopened between (?<from>\d\d:\d\d) and (?<to>\d\d:\d\d); it was closed on (?<day>\w+ \d+ \w+)/,
    holds: ({ from = '', to = '', day }, { id }, { figures, seenAt }) => {
      const states = figures.record.periodStatesOf(id).filter((state) => state.at <= seenAt);
      const opened = states.findLastIndex(
        ({ value }, place) => value?.closed === null && states[place - 1]?.value?.closed != null,
      );
      const closed = states[opened - 1]?.value?.closed;
      const time = figures.moments.timeOf(states[opened]?.at ?? 0);
      return from <= time && time <= to && closed != null && writeDate(closed) === day;
    },
  },
];

/** `Kitchen: 5 of 40 not approved, 38.5 h`, and people after it. */
export const DEPARTMENT_CLAIMS: readonly Claim<Department>[] = [
  {
    pattern:
      /(?<unapproved>[\d,]+) of (?<timesheets>[\d,]+) not approved, (?<hours>[\d,.]+) h(?: \((?<people>.*)\))?$/,
    holds: ({ unapproved, timesheets, hours, people }, { members }, { figures }) => {
      const open = sumUp(members.filter(isUnapproved));
      return (
        areEqual([open.timesheets, members.length, open.hours], [unapproved, timesheets, hours]) &&
        arePeople(people, members.filter(isUnapproved), (each) => figures.nameOf(each))
      );
    },
  },
];

/** Left out of a sentence until somebody is approved for payroll: some sources do without. */
function isWaiting(members: readonly Timesheet[], waiting: string | undefined): boolean {
  const isUsed = members.some(({ approvedPayroll }) => approvedPayroll !== null);
  return waiting === undefined && !isUsed
    ? true
    : members.filter(awaitsPayroll).length === toNumber(waiting ?? '0');
}

/** The members of a period in a department, up to the date that its sentence names. */
export function readDepartment(
  name: string,
  { period, through }: { readonly period: PayPeriod; readonly through: string | undefined },
  { figures, at }: ClaimContext,
): Department {
  const members = figures
    .membersOf(period, at)
    .filter((each) => departmentOf(each) === name && isUpTo(each, through, period));
  return { name, members };
}

function isUpTo(
  { date }: Timesheet,
  through: string | undefined,
  { startDate, finishDate }: PayPeriod,
): boolean {
  if (through === undefined) return true;
  for (let day = startDate; day <= finishDate; day = addDays(day, 1))
    if (writeDate(day) === through) return date <= day;
  return false;
}

/** `Ana Lee Fri 13 Nov 8 h, Ben Fox Thu 12 Nov 7.5 h and 3 more`: each is one of them, and the others are so many. */
export function arePeople(
  text: string | undefined,
  open: readonly Timesheet[],
  nameOf: (timesheet: Timesheet) => string,
): boolean {
  if (text === undefined) return true;
  const [listed = '', more = '0'] = text.split(/ and (\d+) more$/);
  const left = [...open];
  for (const part of listPeople(listed)) {
    const { name, date, hours } = PERSON.exec(part)?.groups ?? {};
    const found = left.findIndex(
      (each) => nameOf(each) === name && writeDate(each.date) === date && each.hoursToPay === toNumber(hours),
    );
    if (found < 0) return false;
    left.splice(found, 1);
  }
  const others = listed.includes(': ') ? new Set(left.map(({ employeeId }) => employeeId)).size : left.length;
  return others === Number(more);
}

/** `Ana Lee Fri 13 Nov +1 h and 3 more`: each moved by so much, and so many others did. Somebody is named. */
function areMoved(
  text: string | undefined,
  { moved }: { readonly moved: ReadonlyMap<string, number> },
  { figures, at }: ClaimContext,
): boolean {
  const [listed = '', more = '0'] = (text ?? '').split(/ and (\d+) more$/);
  const left = new Map(moved);
  for (const part of listed.split(', ')) {
    const { name, date, hours } =
      /^(?<name>.+?) (?<date>\w+ \d+ \w+) (?<hours>[+-][\d.]+) h$/.exec(part)?.groups ?? {};
    const [found] = [...left].find(([id, change]) => {
      const value = figures.record.statesOf(id).findLast((state) => state.at <= at)?.value;
      return (
        value != null &&
        figures.nameOf(value) === name &&
        writeDate(value.date) === date &&
        change === toNumber(hours)
      );
    }) ?? [''];
    if (!left.delete(found)) return false;
  }
  return left.size === Number(more);
}

/** `Ana Lee: Thu 12 Nov 8 h, Fri 13 Nov 7.5 h; Ben Fox: ...` or `Ana Lee Thu 12 Nov 8 h, ...`: a name with each date. */
function listPeople(listed: string): string[] {
  return listed.split('; ').flatMap((person) => {
    const { name, days = person } = /^(?<name>[^:]+): (?<days>.*)$/.exec(person)?.groups ?? {};
    const dates = days.replaceAll(' (no clock-out)', '').split(', ');
    return name === undefined ? dates : dates.map((date) => `${name} ${date}`);
  });
}

function areEqual(values: readonly number[], texts: readonly (string | undefined)[]): boolean {
  return values.every((value, place) => Math.abs(value - toNumber(texts[place])) < 1e-6);
}
