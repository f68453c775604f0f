import { toManifest } from '#shared/core/account/manifest.ts';
import type { PeriodAccount, PeriodMembers } from '#shared/core/account/period-account.ts';
import { isToldByCalendar, learnFromAnswer, type PeriodOfCalendar } from '#shared/core/plan/membership.ts';
import type { PayPeriodTotals } from '#shared/core/records/pay-period-totals.ts';
import { type EmployeeMembership, type Membership, updateBuckets } from '#shared/core/snapshot/membership.ts';
import { readMembership } from '../membership/read-membership.ts';
import type { PollRun } from '../poll-run.ts';
import { type AskedMembers, askMembers, MAX_EMPLOYEES_ASKED } from './ask-members.ts';

/** A period that closed and shares its dates with others. */
interface ClosingPeriod {
  readonly period: PeriodOfCalendar;
  readonly sharing: readonly PeriodOfCalendar[];
  readonly account: PeriodAccount;
  /** What the source says it comes to; null when it does not. */
  readonly source: PayPeriodTotals | null;
  /** Since when; null when that is not known. */
  readonly totalsSince: number | null;
  /** Its totals go on moving: nobody whose calendar is known is asked about again. */
  readonly isOpen?: true;
}

/** What is known of its members. */
interface Finding extends ClosingPeriod {
  /** Ids of its counted timesheets by employee. */
  readonly timesheets: ReadonlyMap<string, readonly string[]>;
  readonly stored: Membership;
  /** Employees whose calendar does not tell. */
  readonly unknown: readonly string[];
  readonly asked: Pick<AskedMembers, 'answers'> | null;
}

/**
 * Which of the counted timesheets belong to a period that closed: by the calendar of their employee where it is known;
 * the others are asked for now. Where the numbers are not those of the source, older answers are asked for again
 * (ADR 19). Null when the source answers for none of them and nothing is known.
 */
export async function findMembers(closing: ClosingPeriod, run: PollRun): Promise<PeriodMembers | null> {
  const { period, sharing, account } = closing;
  const stored = await readMembership(run.ports.store, run.connection.name, [period, ...sharing]);
  const timesheets = account.byEmployee();
  const isUsable = isToldByCalendar(period, sharing);
  const isKnown = (id: string) => isUsable && stored.employees.get(id)?.calendar != null;
  const unknown = [...timesheets.keys()].filter((id) => !isKnown(id));
  const isAsked = unknown.length > 0 || timesheets.size === 0;
  const asked = isAsked ? await askMembers(period.id, sortByTries(unknown, stored), run) : null;
  if (asked === null && unknown.length === timesheets.size) return null;
  const first: Finding = { ...closing, timesheets, stored, unknown, asked };
  const again = await askMembers(period.id, selectDoubtful(first), run);
  const finding = again === null ? first : { ...first, asked: joinAnswers(asked, again) };
  await saveAnswers(finding, run);
  return joinMembers(finding);
}

/** Those who failed most often come last. */
function sortByTries(employees: readonly string[], { employees: known }: Membership): string[] {
  const triesOf = (id: string) => known.get(id)?.tries ?? 0;
  return employees.toSorted((a, b) => triesOf(a) - triesOf(b));
}

/**
 * Employees to ask for again, the oldest answers first: where the numbers differ from those of the source, all whose
 * answer is older than these; where the source gives none, all who were asked about another period.
 */
function selectDoubtful(finding: Finding): string[] {
  const { period, account, source, totalsSince, timesheets, stored, unknown, asked } = finding;
  if (finding.isOpen === true) return [];
  const manifest = toManifest(account, { sharing: [], source, members: joinMembers(finding) });
  // Dates that are missing, or employees without an answer, explain a difference.
  if (!manifest.complete || (source !== null && manifest.addsUp !== false)) return [];
  const isOld = ({ periodId, askedAt }: EmployeeMembership) =>
    source === null ? periodId !== period.id : totalsSince === null || askedAt < totalsSince;
  const askedAtOf = (id: string) => stored.employees.get(id)?.askedAt ?? 0;
  const left = MAX_EMPLOYEES_ASKED - (asked?.answers.size ?? 0);
  const isUnknown = new Set(unknown);
  return [...timesheets.keys()]
    .filter((id) => {
      const entry = stored.employees.get(id);
      return !isUnknown.has(id) && entry !== undefined && isOld(entry);
    })
    .sort((a, b) => askedAtOf(a) - askedAtOf(b))
    .slice(0, left);
}

/** An employee for whom the source fails now keeps the answer that is known. */
function joinAnswers(first: Finding['asked'], { answers }: AskedMembers): NonNullable<Finding['asked']> {
  return { answers: new Map([...(first?.answers ?? []), ...[...answers].filter(([, ids]) => ids !== null)]) };
}

/** What an answer says decides, then the calendar that is known. */
function joinMembers({ period, timesheets, stored, unknown, asked }: Finding): PeriodMembers {
  const answers = asked?.answers ?? new Map<string, ReadonlySet<string> | null>();
  const members = [...timesheets].flatMap(([employeeId, ids]) => {
    const answer = answers.get(employeeId);
    if (answer != null) return ids.filter((id) => answer.has(id));
    return stored.employees.get(employeeId)?.calendar === period.calendar ? ids : [];
  });
  const unanswered = unknown.filter((id) => answers.get(id) == null);
  return { timesheets: new Set(members), unknownEmployees: new Set(unanswered) };
}

async function saveAnswers({ period, timesheets, asked, stored }: Finding, run: PollRun): Promise<void> {
  const { store, clock } = run.ports;
  if (asked === null || asked.answers.size === 0) return;
  const now = clock.now();
  const employees = new Map<string, EmployeeMembership>();
  for (const [id, members] of asked.answers) {
    const answer = { period, known: timesheets.get(id) ?? [], members };
    employees.set(id, learnFromAnswer(stored.employees.get(id), answer, now));
  }
  await store.saveMembership?.(run.connection.name, updateBuckets(stored, { now, employees }));
}
