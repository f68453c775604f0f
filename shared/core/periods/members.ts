import * as z from 'zod';
import type { State } from '../records/fields.ts';
import { covers, type KnownPeriod } from '../records/pay-period.ts';

const idsSchema = z.array(z.string());

/**
 * What the source answered about one employee and one pay period (docs/source-api.md, Pay periods): when, in milliseconds
 * since 1970, and whether all of his timesheets on its dates are in it, none, or a part: that says nothing of later ones.
 */
export const memberAnswerSchema = z.tuple([
  z.number(),
  z.union([z.enum(['all', 'none']), z.object({ own: idsSchema, others: idsSchema })]),
]);
export type MemberAnswer = z.output<typeof memberAnswerSchema>;

/** By the id of the employee, about one pay period. */
export type MemberAnswers = ReadonlyMap<string, MemberAnswer>;

/** What is known of the members of pay periods: by the id of the period. Of one that is not in it nobody was asked. */
export type KnownAnswers = ReadonlyMap<string, MemberAnswers>;

/** A timesheet as far as its pay period depends on it. */
export interface OwnedTimesheet {
  readonly id: string;
  readonly employeeId: string | null;
  readonly date: string;
}

/** A pay period as far as its members depend on it. */
export type PeriodSpan = Pick<KnownPeriod, 'id' | 'startDate' | 'finishDate'>;

/** A pay period of which nothing could be read yet: any date may be its own. */
export function spanUnread(id: string): PeriodSpan {
  return { id, startDate: '0000-01-01', finishDate: '9999-12-31' };
}

/** Other periods that share dates with one: the source does not say to which of them a timesheet there belongs. */
export function findSharing<Period extends PeriodSpan>(
  { id, startDate, finishDate }: PeriodSpan,
  periods: readonly Period[],
): Period[] {
  return periods.filter(
    (other) => other.id !== id && other.startDate <= finishDate && other.finishDate >= startDate,
  );
}

/** What the source answered about one of several timesheets of an employee. `known`: those on the dates of the period. */
export function toAnswer(members: ReadonlySet<string>, known: readonly string[], at: number): MemberAnswer {
  if (members.size === 0) return [at, 'none'];
  const others = known.filter((id) => !members.has(id));
  // Who has timesheets in it that were not read yet is of it, too.
  return [at, others.length === 0 ? 'all' : { own: [...members].sort(), others: others.sort() }];
}

/**
 * Whether a timesheet belongs to a pay period; null when no answer says it. On a date that no other period has, it does.
 * A timesheet is of one period: of two answers that claim it the later one counts.
 */
export function belongsTo<Period extends PeriodSpan>(
  timesheet: OwnedTimesheet,
  period: Period,
  known: { readonly periods: readonly Period[]; readonly answers: KnownAnswers },
): boolean | null {
  const { date } = timesheet;
  if (!covers(period, date)) return false;
  const others = findSharing(period, known.periods).filter((other) => covers(other, date));
  if (others.length === 0) return true;
  const own = claim(timesheet, period, known.answers);
  const claims = others.map((other) => claim(timesheet, other, known.answers));
  const latest = Math.max(0, ...claims.flatMap((each) => (each?.isOwn === true ? each.at : [])));
  if (own === null) return latest > 0 ? false : null;
  return own.isOwn && own.at >= latest;
}

interface Claim {
  readonly isOwn: boolean;
  readonly at: number;
}

function claim(
  { id, employeeId }: OwnedTimesheet,
  period: Pick<PeriodSpan, 'id'>,
  answers: KnownAnswers,
): Claim | null {
  const answer = employeeId === null ? undefined : answers.get(period.id)?.get(employeeId);
  if (answer === undefined) return null;
  const [at, said] = answer;
  if (said === 'all' || said === 'none') return { at, isOwn: said === 'all' };
  const isOwn = said.own.includes(id);
  return isOwn || said.others.includes(id) ? { at, isOwn } : null;
}

/** The pay periods that a timesheet belongs to. */
export interface TimesheetPeriods {
  readonly periods: readonly KnownPeriod[];
  /** It is known to belong to each of these and to no other; false: it may belong to any of them. */
  readonly isKnown: boolean;
}

/** MemberAnswers of the source say which periods a timesheet belongs to; null when no list of periods is known. */
export type PeriodFinder = (timesheet: OwnedTimesheet) => TimesheetPeriods | null;

/** The pay periods of a timesheet; where no answer tells, those on its date that it may belong to. */
export function findTimesheetPeriods(
  timesheet: OwnedTimesheet,
  known: { readonly periods: readonly KnownPeriod[]; readonly answers: KnownAnswers },
): TimesheetPeriods {
  const covering = known.periods.filter((period) => covers(period, timesheet.date));
  const judged = covering.map((period) => ({ period, belongs: belongsTo(timesheet, period, known) }));
  const own = judged.filter(({ belongs }) => belongs === true).map(({ period }) => period);
  if (own.length > 0) return { periods: own, isKnown: true };
  const possible = judged.filter(({ belongs }) => belongs === null).map(({ period }) => period);
  return { periods: possible.length > 0 ? possible : covering, isKnown: covering.length === 0 };
}

/** The pay periods of a record in a state; null when no list of periods is known, or it is no timesheet. */
export function findPeriodsOf(
  { id, state }: { readonly id: string; readonly state: State },
  find: PeriodFinder,
): TimesheetPeriods | null {
  const { date, employeeId } = state;
  if (typeof date !== 'string') return null;
  return find({ id, date, employeeId: typeof employeeId === 'string' ? employeeId : null });
}

/** Beyond that, those answered longest ago are forgotten: one item holds those of a period. */
const MAX_ANSWERS = 30_000;

/** MemberAnswers with later ones. Of two about one employee the later one counts. */
export function addAnswers(known: MemberAnswers, later: MemberAnswers): MemberAnswers {
  const all = new Map(known);
  for (const [id, answer] of later) if ((all.get(id)?.[0] ?? 0) <= answer[0]) all.set(id, answer);
  if (all.size <= MAX_ANSWERS) return all;
  return new Map([...all].sort(([, a], [, b]) => b[0] - a[0]).slice(0, MAX_ANSWERS));
}
