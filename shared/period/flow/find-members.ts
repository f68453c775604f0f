import { SourceError, type SourceErrorCode } from '#shared/core/errors.ts';
import type { CloseManifest } from '#shared/core/periods/close-manifest.ts';
import { covers, type PayPeriodTotals } from '#shared/core/records/pay-period.ts';
import type { PollRun } from '#shared/flow/poll/poll-run.ts';
import { toManifest } from '#shared/period/manifest.ts';
import type { PeriodAccount, PeriodMembers } from '#shared/period/period-account.ts';
import {
  answeredAtOf,
  dropOutdated,
  isDistinctByCalendar,
  learnFromAnswer,
  type MemberAnswer,
  type PeriodOfCalendar,
  readAnswer,
} from '../../core/periods/learn-membership.ts';
import {
  type EmployeeMembership,
  type Membership,
  type MembershipUpdate,
  updateBuckets,
} from '../../core/periods/membership.ts';

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
  /** Ids of its counted timesheets by employee, and the dates of these. */
  readonly timesheets: ReadonlyMap<string, readonly string[]>;
  readonly dates: ReadonlyMap<string, string | null>;
  readonly stored: Membership;
  /** The calendar of an employee, where that tells the period from the others on its dates. */
  readonly calendarOf: (employeeId: string) => string | null;
  /** Employees of whom nothing else tells than an answer. */
  readonly unknown: readonly string[];
  readonly asked: Pick<AskedMembers, 'answers'> | null;
  readonly left: LeftOut;
}

/** Timesheets that an answer leaves out, where that does not say that another period has them. */
interface LeftOut {
  /** None has: they went to somebody else, or away, after they were read, and count as they were then. */
  readonly outdated: ReadonlySet<string>;
  /** It is not known whether another one has, or of which calendar their employee was. */
  readonly unknown: ReadonlySet<string>;
  /** What the source answered about the other periods. */
  readonly others: readonly (Pick<AskedMembers, 'answers'> & { readonly period: PeriodOfCalendar })[];
}

const NOTHING_LEFT: LeftOut = { outdated: new Set(), unknown: new Set(), others: [] };

/**
 * Which of the counted timesheets belong to a period that closed: by the calendar of their employee where it is known;
 * the others are asked for now. Where the numbers are not those of the source, older answers are asked for again
 * (ADR 19). Null when the source answers for none of them and nothing is known.
 */
export async function findMembers(closing: ClosingPeriod, run: PollRun): Promise<PeriodMembers | null> {
  const { period, sharing, account, source } = closing;
  const stored = dropOutdated(await run.ports.store.loadMembership(run.connection.name), [
    period,
    ...sharing,
  ]);
  const timesheets = account.byEmployee();
  const isDistinct = isDistinctByCalendar(period, sharing);
  const calendarOf = (id: string) => (isDistinct ? (stored.employees.get(id)?.calendar ?? null) : null);
  const unknown = [...timesheets.keys()].filter((id) => calendarOf(id) === null);
  const isAsked = unknown.length > 0 || timesheets.size === 0;
  const asked = isAsked ? await askMembers(period.id, sortByTries(unknown, stored), run) : null;
  if (asked === null && unknown.length === timesheets.size) return null;
  const dates = new Map(account.select(null).counted.map(({ timesheetId, date }) => [timesheetId, date]));
  const known = { timesheets, dates, stored, calendarOf, unknown };
  const first: Finding = { ...closing, ...known, asked, left: NOTHING_LEFT };
  const doubtful = selectDoubtful(first, run.ports.clock.now());
  const room = MAX_EMPLOYEES_ASKED - (asked?.answers.size ?? 0);
  const again = await askMembers(period.id, doubtful.slice(0, room), run);
  const answered: Finding = {
    ...first,
    // Without totals nothing else would show that what is known is outdated.
    unknown: source === null ? [...unknown, ...doubtful] : unknown,
    asked: again === null ? asked : joinAnswers(asked, again),
  };
  const finding = { ...answered, left: await judgeLeftOut(answered, run) };
  await saveAnswers(finding, run);
  return joinMembers(finding);
}

/** Those who failed most often come last. */
function sortByTries(employees: readonly string[], { employees: known }: Membership): string[] {
  const triesOf = (id: string) => known.get(id)?.tries ?? 0;
  return employees.toSorted((a, b) => triesOf(a) - triesOf(b));
}

/**
 * Employees to ask for again, those asked longest ago first: where the numbers differ from those of the source, all whose
 * answer is older than these or than one of their timesheets; where the source gives none, all who were asked about
 * another period.
 */
function selectDoubtful(finding: Finding, now: number): string[] {
  const { period, account, source, totalsSince, timesheets, stored, unknown } = finding;
  if (finding.isOpen === true) return [];
  const manifest = countAs(finding);
  // Dates that are missing, or employees without an answer, explain a difference.
  if (!manifest.complete || (source !== null && manifest.addsUp !== false)) return [];
  const newest = findNewest(account);
  const isOld = (id: string, entry: EmployeeMembership) => {
    if (source === null) return entry.periodId !== period.id;
    const since = Math.max(totalsSince ?? Number.POSITIVE_INFINITY, newest.get(id) ?? 0);
    return answeredAtOf(entry, period, now) < since;
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
function joinAnswers(first: Finding['asked'], { answers }: AskedMembers): NonNullable<Finding['asked']> {
  return { answers: new Map([...(first?.answers ?? []), ...[...answers].filter(([, ids]) => ids !== null)]) };
}

/** Timesheets that an answer leaves out, by employee, unless he is known to be of another calendar. */
function listLeftOut(finding: Finding): ReadonlyMap<string, readonly string[]> {
  const { period, timesheets, asked } = finding;
  const named = listNamed(asked);
  const left = [...timesheets].flatMap(([employeeId, ids]): [string, string[]][] => {
    const answer = asked?.answers.get(employeeId);
    const missing = answer == null ? [] : ids.filter((id) => !named.has(id));
    const calendar = finding.calendarOf(employeeId) ?? period.calendar;
    const isOther = answer?.size === 0 && calendar !== period.calendar;
    return missing.length > 0 && !isOther ? [[employeeId, missing]] : [];
  });
  return new Map(left);
}

/** Asks the other periods for timesheets that the answers leave out, unless the numbers add up without them. */
async function judgeLeftOut(finding: Finding, run: PollRun): Promise<LeftOut> {
  const left = listLeftOut(finding);
  if (left.size === 0 || countAs(finding).addsUp === true) return NOTHING_LEFT;
  const others: LeftOut['others'][number][] = [];
  for (const period of finding.sharing) {
    const isOn = (id: string) => covers(period, finding.dates.get(id) ?? '');
    const employees = [...left].filter(([, ids]) => ids.some(isOn)).map(([employeeId]) => employeeId);
    const asked = await askMembers(period.id, employees, run);
    others.push({ period, answers: asked?.answers ?? new Map() });
  }
  const judged = [...left].flatMap(([employeeId, missing]) =>
    judgeTimesheets(employeeId, missing, { ...finding, left: { ...NOTHING_LEFT, others } }),
  );
  const select = (isSure: boolean) =>
    new Set(judged.filter((each) => each.isSure === isSure).map(({ id }) => id));
  return { outdated: select(true), unknown: select(false), others };
}

/** Of timesheets of an employee that are in no other period either, whether they were surely of this one. */
function judgeTimesheets(
  employeeId: string,
  missing: readonly string[],
  finding: Finding,
): { readonly id: string; readonly isSure: boolean }[] {
  const { period, dates, asked, left } = finding;
  const listAnswers = (id: string) =>
    left.others
      .filter((other) => covers(other.period, dates.get(id) ?? ''))
      .map(({ answers }) => answers.get(employeeId) ?? null);
  const isElsewhere = (id: string) => listAnswers(id).some((ids) => ids?.has(id) === true);
  const hasNone = asked?.answers.get(employeeId)?.size === 0;
  // Who has none in this period and some in another one is of the calendar of that.
  if (hasNone && missing.some(isElsewhere)) return [];
  const isOwn = !hasNone || finding.calendarOf(employeeId) === period.calendar;
  return missing
    .filter((id) => !isElsewhere(id))
    .map((id) => {
      const answers = listAnswers(id);
      return { id, isSure: isOwn && !answers.includes(null) && (!hasNone || answers.length > 0) };
    });
}

/** Timesheets that are in the period by any answer: one may have gone to another employee of it. */
function listNamed(asked: Finding['asked']): ReadonlySet<string> {
  return new Set([...(asked?.answers.values() ?? [])].flatMap((ids) => [...(ids ?? [])]));
}

/** What the answers say decides, then the calendar that is known. */
function joinMembers({ period, timesheets, stored, unknown, asked, left }: Finding): PeriodMembers {
  const answers = asked?.answers ?? new Map<string, ReadonlySet<string> | null>();
  const named = listNamed(asked);
  const members = [...timesheets].flatMap(([employeeId, ids]) => {
    if (answers.get(employeeId) != null) return ids.filter((id) => named.has(id) || left.outdated.has(id));
    return stored.employees.get(employeeId)?.calendar === period.calendar ? ids : [];
  });
  const unanswered = unknown.filter((id) => answers.get(id) == null);
  const unknownTimesheets = unanswered.flatMap((id) => timesheets.get(id) ?? []);
  return { timesheets: new Set(members), unknown: new Set([...left.unknown, ...unknownTimesheets]) };
}

async function saveAnswers(finding: Finding, run: PollRun): Promise<void> {
  const { asked, stored } = finding;
  if (asked === null || asked.answers.size === 0) return;
  const now = run.ports.clock.now();
  const named = listNamed(asked);
  const learned = [...asked.answers].map(([id, members]) => {
    const answer = findAnswer(id, { members, named }, finding);
    return [id, learnFromAnswer(stored.employees.get(id), answer, now)] as const;
  });
  await saveLearned({ now, employees: new Map(learned) }, run);
}

/** What the source answered about an employee: where he has none in the period, what names his calendar. */
function findAnswer(
  employeeId: string,
  { members, named }: Pick<MemberAnswer, 'members'> & { readonly named: ReadonlySet<string> },
  { period, timesheets, dates, left }: Finding,
): MemberAnswer {
  const isGone = (id: string) => left.outdated.has(id) || (named.has(id) && members?.has(id) !== true);
  const known = timesheets.get(employeeId)?.filter((id) => !isGone(id)) ?? [];
  const answer = { period, known, members };
  const said = readAnswer(answer);
  if (said === 'own' || said === 'mixed') return answer;
  const others = left.others.map((other) => ({
    period: other.period,
    known: known.filter((id) => covers(other.period, dates.get(id) ?? '')),
    members: other.answers.get(employeeId) ?? null,
  }));
  return others.find((other) => readAnswer(other) === 'own') ?? answer;
}

/** Saves what was learned, beside what other polls have saved since this one read what is known. */
export async function saveLearned(update: MembershipUpdate, { ports, connection }: PollRun): Promise<void> {
  const stored = await ports.store.loadMembership(connection.name);
  await ports.store.saveMembership?.(connection.name, updateBuckets(stored, update));
}

/** Employees asked about for one closing: a request each, so that its news is not late for long. */
const MAX_EMPLOYEES_ASKED = 1_000;
/** Requests under way; the rate limiter decides how fast they are. */
const MAX_REQUESTS = 8;

/** What the source answered, employee by employee. */
export interface AskedMembers {
  /** Ids of the timesheets that belong to the period. */
  readonly timesheets: ReadonlySet<string>;
  /** Employees for whom the source gave no answer. */
  readonly unknownEmployees: ReadonlySet<string>;
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
  const isOver = () => asking.isOver || !run.hasTimeLeft();
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
