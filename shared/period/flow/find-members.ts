import type { CloseManifest } from '#shared/core/periods/close-manifest.ts';
import {
  answeredAtOf,
  dropOutdated,
  isDistinctByCalendar,
  learnFromAnswer,
  type PeriodOfCalendar,
} from '#shared/core/periods/learn-membership.ts';
import type { EmployeeMembership, Membership } from '#shared/core/periods/membership.ts';
import type { PayPeriodTotals } from '#shared/core/records/pay-period.ts';
import type { PollRun } from '#shared/flow/poll/run.ts';
import { toManifest } from '../manifest.ts';
import type { PeriodAccount, PeriodMembers } from '../period-account.ts';
import { askMembers, MAX_EMPLOYEES_ASKED, type MemberAnswers, saveLearned } from './ask-members.ts';

/** A period that shares its dates with others. */
interface SharingPeriod {
  readonly period: PeriodOfCalendar;
  readonly sharing: readonly PeriodOfCalendar[];
  readonly account: PeriodAccount;
  /** What the source says it comes to; null when it does not. */
  readonly source: PayPeriodTotals | null;
  /** Where the numbers differ, who answered before then is asked about again; null: everybody. */
  readonly since: number | null;
  /** Its totals go on moving: nobody whose calendar is known is asked about again. */
  readonly isOpen?: true;
}

/** What is known of its members. */
interface Finding extends SharingPeriod {
  /** Ids of its counted timesheets by employee. */
  readonly timesheets: ReadonlyMap<string, readonly string[]>;
  readonly stored: Membership;
  /** The calendar of an employee, where that tells the period from the others on its dates. */
  readonly calendarOf: (employeeId: string) => string | null;
  /** Employees of whom nothing else tells than an answer. */
  readonly unknown: readonly string[];
  readonly answers: MemberAnswers;
}

/**
 * Which of the counted timesheets belong to a period: by the calendar of their employee where it is known; the others are
 * asked for now. Where the numbers are not those of the source, older answers are asked for again (ADR 19). Null when the
 * source answers for none of them and nothing is known.
 */
export async function findMembers(sharingPeriod: SharingPeriod, run: PollRun): Promise<PeriodMembers | null> {
  const { period, sharing, account, source } = sharingPeriod;
  const stored = dropOutdated(await run.memory.periods.membership(), [period, ...sharing]);
  const timesheets = account.byEmployee();
  const isDistinct = isDistinctByCalendar(period, sharing);
  const calendarOf = (id: string) => (isDistinct ? (stored.employees.get(id)?.calendar ?? null) : null);
  const unknown = [...timesheets.keys()].filter((id) => calendarOf(id) === null);
  const isAsked = unknown.length > 0 || timesheets.size === 0;
  const answers = isAsked ? await askMembers(period.id, sortByTries(unknown, stored), run) : null;
  if (answers === null && unknown.length === timesheets.size) return null;
  const known = { timesheets, stored, calendarOf, unknown };
  const first: Finding = { ...sharingPeriod, ...known, answers: answers ?? new Map() };
  const doubtful = selectDoubtful(first, run.ports.clock.now());
  const again = await askMembers(period.id, doubtful.slice(0, MAX_EMPLOYEES_ASKED - first.answers.size), run);
  const finding: Finding = {
    ...first,
    // Without totals nothing else would show that what is known is outdated.
    unknown: source === null ? [...unknown, ...doubtful] : unknown,
    answers: joinAnswers(first.answers, again ?? new Map()),
  };
  await saveAnswers(finding, run);
  const members = joinMembers(finding);
  // A source by whose answers nobody has anything in it does not answer this.
  const isAnswered = members.timesheets.size > 0 || source?.timesheets === 0;
  return isAnswered ? members : { ...members, unknown: new Set([...timesheets.values()].flat()) };
}

/** Those who failed most often come last. */
function sortByTries(employees: readonly string[], { employees: known }: Membership): string[] {
  const triesOf = (id: string) => known.get(id)?.tries ?? 0;
  return employees.toSorted((a, b) => triesOf(a) - triesOf(b));
}

/** Employees whose calendar is known are asked about again so long after, at the earliest. */
const ASK_AGAIN_MS = 20 * 60 * 60_000;

/**
 * Employees to ask for again, those asked longest ago first: where the numbers differ from those of the source, all whose
 * answer is old, or older than one of their timesheets; where the source gives none, all who were asked about another
 * period.
 */
function selectDoubtful(finding: Finding, now: number): string[] {
  const { period, account, source, timesheets, stored, unknown } = finding;
  if (finding.isOpen === true) return [];
  const manifest = countAs(finding);
  // Dates that are missing, or employees without an answer, explain a difference.
  if (!manifest.complete || (source !== null && manifest.addsUp !== false)) return [];
  const newest = findNewest(account);
  const since = finding.since === null ? now : Math.max(finding.since, now - ASK_AGAIN_MS);
  const isOld = (id: string, entry: EmployeeMembership) => {
    if (source === null) return entry.periodId !== period.id;
    return answeredAtOf(entry, period, now) < Math.max(since, newest.get(id) ?? 0);
  };
  const askedAtOf = (id: string) => stored.employees.get(id)?.askedAt ?? 0;
  const isUnknown = new Set(unknown);
  return [...timesheets.keys()]
    .filter((id) => {
      const entry = stored.employees.get(id);
      return !isUnknown.has(id) && entry !== undefined && isOld(id, entry);
    })
    .sort((a, b) => askedAtOf(a) - askedAtOf(b));
}

/** What the period comes to by what is known. */
function countAs(finding: Finding): CloseManifest {
  const { account, source } = finding;
  return toManifest(account, { sharing: [], source, members: joinMembers(finding) });
}

/** When the newest timesheet of each employee was first seen, in milliseconds since 1970. */
function findNewest(account: PeriodAccount): ReadonlyMap<string | null, number> {
  const newest = new Map<string | null, number>();
  for (const { employeeId, epoch } of account.select(null).counted)
    newest.set(employeeId, Math.max(newest.get(employeeId) ?? 0, Date.parse(epoch)));
  return newest;
}

/** An employee for whom the source fails now keeps the answer that is known. */
function joinAnswers(first: MemberAnswers, again: MemberAnswers): MemberAnswers {
  return new Map([...first, ...[...again].filter(([, ids]) => ids !== null)]);
}

/** Timesheets that are in the period by any answer: one may have gone to another employee of it. */
function listNamed(answers: MemberAnswers): ReadonlySet<string> {
  return new Set([...answers.values()].flatMap((ids) => [...(ids ?? [])]));
}

/** What the answers say decides, then the calendar that is known. */
function joinMembers({ period, timesheets, stored, unknown, answers }: Finding): PeriodMembers {
  const named = listNamed(answers);
  const members = [...timesheets].flatMap(([employeeId, ids]) => {
    if (answers.get(employeeId) != null) return ids.filter((id) => named.has(id));
    return stored.employees.get(employeeId)?.calendar === period.calendar ? ids : [];
  });
  const unanswered = unknown.filter((id) => answers.get(id) == null);
  return {
    timesheets: new Set(members),
    unknown: new Set(unanswered.flatMap((id) => timesheets.get(id) ?? [])),
  };
}

async function saveAnswers({ period, timesheets, answers, stored }: Finding, run: PollRun): Promise<void> {
  if (answers.size === 0) return;
  const now = run.ports.clock.now();
  const named = listNamed(answers);
  const learned = [...answers].map(([id, members]) => {
    // What another employee's answer has went there after it was read.
    const isHere = (each: string) => !named.has(each) || members?.has(each) === true;
    const known = timesheets.get(id)?.filter(isHere) ?? [];
    return [id, learnFromAnswer(stored.employees.get(id), { period, known, members }, now)] as const;
  });
  await saveLearned({ now, employees: new Map(learned) }, run);
}
