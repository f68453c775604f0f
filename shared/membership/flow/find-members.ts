import type { PeriodAccount, PeriodMembers } from '#shared/account/period-account.ts';
import { SourceError, type SourceErrorCode } from '#shared/core/errors.ts';
import type { PayPeriodTotals } from '#shared/core/records/pay-period.ts';
import { hasTimeLeft, type PollRun } from '#shared/flow/poll/poll-run.ts';
import type { SnapshotStore } from '#shared/flow/poll/ports.ts';
import { toManifest } from '#shared/statements/manifest.ts';
import {
  dropOutdated,
  findSharing,
  isDistinctByCalendar,
  learnFromAnswer,
  type PeriodOfCalendar,
} from '../learn-membership.ts';
import { type EmployeeMembership, type Membership, NO_MEMBERSHIP, updateBuckets } from '../membership.ts';

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
  /** Counted timesheets that were changed after their date was read, so that no answer has them. */
  readonly outdated: ReadonlySet<string>;
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
  const isUsable = isDistinctByCalendar(period, sharing);
  const isKnown = (id: string) => isUsable && stored.employees.get(id)?.calendar != null;
  const unknown = [...timesheets.keys()].filter((id) => !isKnown(id));
  const isAsked = unknown.length > 0 || timesheets.size === 0;
  const asked = isAsked ? await askMembers(period.id, sortByTries(unknown, stored), run) : null;
  if (asked === null && unknown.length === timesheets.size) return null;
  const first: Finding = { ...closing, timesheets, stored, unknown, asked, outdated: new Set() };
  const again = await askMembers(period.id, selectDoubtful(first), run);
  const answered = again === null ? first : { ...first, asked: joinAnswers(asked, again) };
  const finding = { ...answered, outdated: await findOutdated(answered, run) };
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
 * answer is older than these or than one of their timesheets, or did not come; where the source gives none, all who were
 * asked about another period.
 */
function selectDoubtful(finding: Finding): string[] {
  const { period, account, source, totalsSince, timesheets, stored, unknown, asked } = finding;
  if (finding.isOpen === true) return [];
  const manifest = toManifest(account, { sharing: [], source, members: joinMembers(finding) });
  // Dates that are missing, or employees without an answer, explain a difference.
  if (!manifest.complete || (source !== null && manifest.addsUp !== false)) return [];
  const newest = findNewest(account);
  const isOld = (id: string, { periodId, askedAt, tries = 0 }: EmployeeMembership) => {
    if (source === null) return periodId !== period.id;
    return totalsSince === null || askedAt < Math.max(totalsSince, newest.get(id) ?? 0) || tries > 0;
  };
  const askedAtOf = (id: string) => stored.employees.get(id)?.askedAt ?? 0;
  const left = MAX_EMPLOYEES_ASKED - (asked?.answers.size ?? 0);
  const isUnknown = new Set(unknown);
  return [...timesheets.keys()]
    .filter((id) => {
      const entry = stored.employees.get(id);
      return !isUnknown.has(id) && entry !== undefined && isOld(id, entry);
    })
    .sort((a, b) => askedAtOf(a) - askedAtOf(b))
    .slice(0, left);
}

/** When the newest timesheet of each employee was first seen, in milliseconds since 1970. */
function findNewest(account: PeriodAccount): ReadonlyMap<string | null, number> {
  const newest = new Map<string | null, number>();
  for (const { employeeId, epoch } of account.select(null).counted)
    newest.set(employeeId, Math.max(newest.get(employeeId) ?? 0, Date.parse(epoch)));
  return newest;
}

/** An employee for whom the source fails now keeps the answer that is known. */
function joinAnswers(first: Finding['asked'], { answers }: AskedMembers): NonNullable<Finding['asked']> {
  return { answers: new Map([...(first?.answers ?? []), ...[...answers].filter(([, ids]) => ids !== null)]) };
}

/** Timesheets that an answer leaves out beside others of their employee, by employee. */
function listLeftOut({ timesheets, asked }: Finding): ReadonlyMap<string, readonly string[]> {
  const left = [...timesheets].flatMap(([employeeId, ids]): [string, string[]][] => {
    const answer = asked?.answers.get(employeeId);
    const missing = answer == null ? [] : ids.filter((id) => !answer.has(id));
    return missing.length > 0 && missing.length < ids.length ? [[employeeId, missing]] : [];
  });
  return new Map(left);
}

/**
 * Timesheets that an answer leaves out beside others of their employee, and that no other period on their dates has
 * either: they went to somebody else, or away, after they were read, and count as they were then. Where the source does
 * not answer about the other periods, the answer about this one decides.
 */
async function findOutdated(finding: Finding, run: PollRun): Promise<ReadonlySet<string>> {
  const left = listLeftOut(finding);
  const outdated = new Set([...left.values()].flat());
  if (outdated.size === 0) return outdated;
  for (const { id: periodId } of finding.sharing) {
    const others = await askMembers(periodId, [...left.keys()], run);
    const isElsewhere = (employeeId: string, id: string) => others?.answers.get(employeeId)?.has(id) ?? true;
    for (const [employeeId, missing] of left) {
      for (const id of missing) if (isElsewhere(employeeId, id)) outdated.delete(id);
    }
  }
  return outdated;
}

/** What an answer says decides, then the calendar that is known. */
function joinMembers({ period, timesheets, stored, unknown, asked, outdated }: Finding): PeriodMembers {
  const answers = asked?.answers ?? new Map<string, ReadonlySet<string> | null>();
  const members = [...timesheets].flatMap(([employeeId, ids]) => {
    const answer = answers.get(employeeId);
    if (answer != null) return ids.filter((id) => answer.has(id) || outdated.has(id));
    return stored.employees.get(employeeId)?.calendar === period.calendar ? ids : [];
  });
  const unanswered = unknown.filter((id) => answers.get(id) == null);
  return { timesheets: new Set(members), unknownEmployees: new Set(unanswered) };
}

async function saveAnswers(finding: Finding, run: PollRun): Promise<void> {
  const { period, timesheets, asked, stored, outdated } = finding;
  const { store, clock } = run.ports;
  if (asked === null || asked.answers.size === 0) return;
  const now = clock.now();
  const employees = new Map<string, EmployeeMembership>();
  for (const [id, members] of asked.answers) {
    const known = timesheets.get(id)?.filter((each) => !outdated.has(each)) ?? [];
    const answer = { period, known, members };
    employees.set(id, learnFromAnswer(stored.employees.get(id), answer, now));
  }
  await store.saveMembership?.(run.connection.name, updateBuckets(stored, { now, employees }));
}

/** Employees asked about for one closing: a request each, so that its news is not late for long. */
const MAX_EMPLOYEES_ASKED = 1_000;
/** Requests under way; the rate limiter decides how fast they are. */
const MAX_REQUESTS = 8;

/** What the source answered, employee by employee. */
export interface AskedMembers extends PeriodMembers {
  /** Ids of the period's timesheets by employee; null when the source failed for that employee. */
  readonly answers: ReadonlyMap<string, ReadonlySet<string> | null>;
}

/**
 * Which timesheets of these employees belong to a pay period (docs/source-api.md, Pay periods). An employee for whom
 * the source does not answer is unknown, and nothing else waits for that (rule 13). Null when it answers for none.
 */
export async function askMembers(
  payPeriodId: string,
  employees: readonly string[],
  run: PollRun,
): Promise<AskedMembers | null> {
  const listMembers = run.ports.source.listMembers?.bind(run.ports.source);
  if (listMembers === undefined) return null;
  const answers = new Map<string, ReadonlySet<string> | null>();
  const unknownEmployees = new Set(employees);
  const asking = new Asking();
  const isOver = () => asking.isOver || !hasTimeLeft(run);
  const toAsk = employees.slice(0, MAX_EMPLOYEES_ASKED);
  await forEachAtOnce(toAsk, { atOnce: MAX_REQUESTS, isOver }, async (employeeId) => {
    const ids = await asking.ask(() => listMembers(employeeId, payPeriodId));
    if (ids === undefined) return;
    answers.set(employeeId, ids === null ? null : new Set(ids));
    if (ids !== null) unknownEmployees.delete(employeeId);
  });
  if (asking.answers === 0 && employees.length > 0) return null;
  const timesheets = new Set([...answers.values()].flatMap((ids) => [...(ids ?? [])]));
  return { timesheets, unknownEmployees, answers };
}

/** Failures, without any answer, after which the source is taken not to answer this at all. */
const MAX_FAILURES_UNANSWERED = 8;
/** Failures after which asking about others is pointless, or would cost them their requests. */
const ENDS_ASKING: ReadonlySet<SourceErrorCode> = new Set([
  'source_unauthorised',
  'source_throttled',
  'source_unreachable',
]);

/** How asking the source about one employee after another went. */
export class Asking {
  answers = 0;
  failures = 0;
  #isEnded = false;

  /** The source wants no further question, or answers none. */
  get isOver(): boolean {
    return this.#isEnded || (this.answers === 0 && this.failures >= MAX_FAILURES_UNANSWERED);
  }

  /** Whether the source was asked and answered for nobody. */
  get isUnanswered(): boolean {
    return this.answers === 0 && this.failures > 0;
  }

  /** The answer; null when the source fails for this employee; undefined when it is not to be asked any more. */
  async ask<Answer>(question: () => Promise<Answer>): Promise<Answer | null | undefined> {
    try {
      const answer = await question();
      this.answers += 1;
      return answer;
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      this.failures += 1;
      if (!ENDS_ASKING.has(error.code)) return null;
      this.#isEnded = true;
      return undefined;
    }
  }
}

/** Works through values, several at a time, until it is over. */
export async function forEachAtOnce<Value>(
  values: Iterable<Value>,
  { atOnce, isOver }: { readonly atOnce: number; readonly isOver: () => boolean },
  work: (value: Value) => Promise<void>,
): Promise<void> {
  const waiting = values[Symbol.iterator]();
  const workOn = async () => {
    for (let next = waiting.next(); next.done !== true; next = waiting.next()) {
      if (isOver()) return;
      await work(next.value);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, workOn));
}

/**
 * Who belongs to which calendar, for `belongsTo`. Reads nothing where no two periods share dates: all timesheets on
 * the dates of a period are its own then. A reader that needs it twice keeps it.
 */
export async function readMembership(
  store: Pick<SnapshotStore, 'loadMembership'>,
  connection: string,
  periods: readonly PeriodOfCalendar[],
): Promise<Membership> {
  const isShared = periods.some((period) => findSharing(period, periods).length > 0);
  if (!isShared || store.loadMembership === undefined) return NO_MEMBERSHIP;
  return dropOutdated(await store.loadMembership(connection), periods);
}
