import { toLocalDate } from '#shared/core/dates.ts';
import type { FeedKey } from '#shared/core/feeds.ts';
import { feedDefinition, toState } from '#shared/core/records/feed-definition.ts';
import { covers, type PayPeriodHint, type PayPeriodTotals } from '#shared/core/records/pay-period.ts';
import { roundNumber } from '#shared/core/records/values.ts';
import type { LeafRow } from '#shared/core/snapshot/snapshot.ts';
import { listLeafRefs } from '#shared/flow/poll/compare/read-leaves.ts';
import type { PollRun } from '#shared/flow/poll/poll-run.ts';
import type { SourceApi } from '#shared/flow/poll/ports.ts';
import {
  differsFromSource,
  dropOutdated,
  isDueToAsk,
  learnFromAnswer,
  type OwnedTimesheet,
  orderPeriodsToAsk,
  readAnswer,
  selectKnownToAsk,
  selectPeriodsToSurvey,
} from '../../core/periods/learn-membership.ts';
import { type EmployeeMembership, type Membership, NO_MEMBERSHIP } from '../../core/periods/membership.ts';
import { Asking, forEachAtOnce, saveLearned } from './find-members.ts';

/** Employees asked about in one poll. */
const MAX_EMPLOYEES = 200;
/** A poll asks no longer than that: the next one is to see a closing within its minute. */
const MAX_ASKING_MS = 15_000;
/** Requests under way: fewer than at a closing, since timesheets are fetched with the same credential meanwhile. */
const MAX_REQUESTS = 4;

type ListMembers = NonNullable<SourceApi['listMembers']>;

/** What is known while a poll asks. */
interface Learning {
  readonly stored: Membership;
  readonly learned: Map<string, EmployeeMembership>;
  readonly surveys: Map<string, number>;
  readonly asking: Asking;
  /** Whether enough was asked in this poll. */
  readonly isOver: () => boolean;
}

/**
 * Asks which calendar the employees of open periods belong to, so that at the closing nearly all are known (ADR 19).
 * What the poll came for is saved before; what there is no time for is left to the next one.
 */
export async function askAhead(payPeriods: readonly PayPeriodHint[], run: PollRun): Promise<void> {
  const { source, store, clock } = run.ports;
  const listMembers = source.listMembers?.bind(source);
  if (run.feed.feed !== 'pay-periods' || listMembers === undefined || store.saveMembership === undefined)
    return;
  const { name, timeZone } = run.connection;
  const now = clock.now();
  const select = (known: Pick<Membership, 'surveys'>) =>
    selectPeriodsToSurvey(payPeriods, known, { today: toLocalDate(now, timeZone), now });
  if (select(NO_MEMBERSHIP).length === 0) return;
  // Most polls have nothing to ask, and need not read who belongs to which calendar.
  if (store.loadSurveys !== undefined && select({ surveys: await store.loadSurveys(name) }).length === 0)
    return;
  // Those that are surveyed share their dates, so that it depends on calendars which timesheets are theirs.
  const stored = dropOutdated(await store.loadMembership(name), payPeriods);
  const due = select(stored);
  if (due.length === 0) return;
  const surveys = new Map([...stored.surveys].filter(([id]) => payPeriods.some((each) => each.id === id)));
  const learned = new Map<string, EmployeeMembership>();
  const asking = new Asking();
  const until = now + MAX_ASKING_MS;
  const isOver = () =>
    asking.isOver || learned.size >= MAX_EMPLOYEES || clock.now() >= until || !run.hasTimeLeft();
  const learning: Learning = { stored, surveys, learned, asking, isOver };
  for (const period of due) {
    if (isOver()) break;
    await askAboutPeriod({ period, payPeriods, listMembers }, learning, run);
  }
  // A source that answers for nobody is asked again as rarely as one that answered for all.
  if (asking.isUnanswered) for (const { id } of due) surveys.set(id, clock.now());
  await saveLearned({ now: clock.now(), employees: learned, surveys }, run);
}

interface PeriodToAsk {
  readonly period: PayPeriodHint;
  readonly payPeriods: readonly PayPeriodHint[];
  readonly listMembers: ListMembers;
}

async function askAboutPeriod(
  { period, payPeriods, listMembers }: PeriodToAsk,
  learning: Learning,
  run: PollRun,
): Promise<void> {
  const { stored, learned, surveys, asking, isOver } = learning;
  const { clock } = run.ports;
  const membership = { ...stored, employees: new Map([...stored.employees, ...learned]) };
  const maxEmployees = MAX_EMPLOYEES - learned.size;
  const { employees, isComplete } = await surveyPeriod(period, { membership, maxEmployees }, run);
  const periods = orderPeriodsToAsk(period, { periods: payPeriods, membership });
  let asked = 0;
  await forEachAtOnce(employees, { atOnce: MAX_REQUESTS, isOver }, async ([employeeId, timesheets]) => {
    const before = stored.employees.get(employeeId);
    const ask = { before, timesheets, now: clock.now() };
    const entry = await askEmployee(ask, periods, async (payPeriodId) =>
      asking.ask(() => listMembers(employeeId, payPeriodId)),
    );
    if (entry === null) return;
    learned.set(employeeId, entry);
    asked += 1;
  });
  if (isComplete && asked === employees.size) surveys.set(period.id, clock.now());
}

interface EmployeeToAsk {
  readonly before: EmployeeMembership | undefined;
  readonly timesheets: readonly OwnedTimesheet[];
  readonly now: number;
}

/** Asks about one period after another until one of them is the employee's own; null when nothing was learned. */
async function askEmployee(
  { before, timesheets, now }: EmployeeToAsk,
  periods: readonly PayPeriodHint[],
  listIds: (payPeriodId: string) => Promise<readonly string[] | null | undefined>,
): Promise<EmployeeMembership | null> {
  const asked = new Set<string | undefined>();
  let learned: EmployeeMembership | null = null;
  for (const period of periods) {
    const known = timesheets.filter(({ date }) => covers(period, date)).map(({ id }) => id);
    if (known.length === 0 || asked.has(period.calendar)) continue;
    asked.add(period.calendar);
    const ids = await listIds(period.id);
    if (ids === undefined) return null;
    const answer = { period, known, members: ids === null ? null : new Set(ids) };
    learned = learnFromAnswer(before, answer, now);
    if (readAnswer(answer) !== 'other') return learned;
  }
  return learned;
}

const TIMESHEETS = feedDefinition('timesheets');

/** Employees to be asked about, with their timesheets on the dates of a period. */
interface EmployeeSurvey {
  readonly employees: ReadonlyMap<string, readonly OwnedTimesheet[]>;
  /** All are among them: there was time to read every date, and room for every employee. */
  readonly isComplete: boolean;
}

interface TimesheetOfEmployee extends OwnedTimesheet {
  readonly employeeId: string;
  readonly hours: number;
}

/**
 * Searches the dates of a period for employees who are to be asked about, at most so many: those whose calendar is not
 * known, and, where what counts as the period's own is not what the source says, those who were asked longest ago.
 */
async function surveyPeriod(
  period: PayPeriodHint,
  { membership, maxEmployees }: { readonly membership: Membership; readonly maxEmployees: number },
  run: PollRun,
): Promise<EmployeeSurvey> {
  const now = run.ports.clock.now();
  const isDue = (id: string) => isDueToAsk(membership.employees.get(id), now);
  const calendarOf = (id: string) => membership.employees.get(id)?.calendar ?? null;
  const own = new TotalCount();
  const unknown = new TotalCount();
  const employees = new Map<string, TimesheetOfEmployee[]>();
  let isComplete = true;
  const isRead = await forEachDate(period, run, (timesheets) => {
    own.add(timesheets.filter(({ employeeId }) => calendarOf(employeeId) === period.calendar));
    unknown.add(timesheets.filter(({ employeeId }) => calendarOf(employeeId) === null));
    const due = timesheets.filter(({ employeeId }) => isDue(employeeId));
    isComplete = takeEmployees(due, employees, maxEmployees) && isComplete;
  });
  // A new employee explains a difference, and is asked about first.
  if (!isRead || !isComplete || employees.size > 0) return { employees, isComplete: isRead && isComplete };
  const differs = differsFromSource({ own: own.totals, unknown: unknown.totals }, period, now);
  return await findKnown(
    selectKnownToAsk(period, membership, { differs, now }),
    { period, maxEmployees },
    run,
  );
}

/** Of employees in the order in which they are to be asked about, as many as fit who have timesheets in the period. */
async function findKnown(
  ids: readonly string[],
  { period, maxEmployees }: { readonly period: PayPeriodHint; readonly maxEmployees: number },
  run: PollRun,
): Promise<EmployeeSurvey> {
  const chosen = new Set(ids.slice(0, maxEmployees));
  const employees = new Map<string, TimesheetOfEmployee[]>();
  if (chosen.size === 0) return { employees, isComplete: true };
  const isRead = await forEachDate(period, run, (timesheets) => {
    const asked = timesheets.filter(({ employeeId }) => chosen.has(employeeId));
    takeEmployees(asked, employees, maxEmployees);
  });
  return { employees, isComplete: isRead && ids.length <= maxEmployees };
}

class TotalCount {
  readonly #employees = new Set<string>();
  #timesheets = 0;
  #hours = 0;

  add(timesheets: readonly TimesheetOfEmployee[]): void {
    for (const { employeeId, hours } of timesheets) {
      this.#employees.add(employeeId);
      this.#timesheets += 1;
      this.#hours += hours;
    }
  }

  get totals(): PayPeriodTotals {
    return {
      timesheets: this.#timesheets,
      employees: this.#employees.size,
      hours: roundNumber(this.#hours),
    };
  }
}

/** Reads the timesheets of a period date by date; false when there was no time for all. */
async function forEachDate(
  { startDate, finishDate }: PayPeriodHint,
  run: PollRun,
  take: (timesheets: readonly TimesheetOfEmployee[]) => void,
): Promise<boolean> {
  const { store } = run.ports;
  const feed: FeedKey = { connection: run.feed.connection, feed: 'timesheets' };
  // Of what comes from its first date on, the slices that are no date are behind all dates.
  const heads = (await store.loadHeads(feed, startDate)).filter(({ slice }) => slice <= finishDate);
  for (const head of heads) {
    if (!run.hasTimeLeft()) return false;
    const leaves = await store.readLeaves(feed, listLeafRefs(head));
    take(leaves.flatMap(({ rows }) => rows).flatMap((row) => readOwner(row, head.slice)));
  }
  return true;
}

/** Adds timesheets to their employees; false when there is no room for all of these. */
function takeEmployees(
  timesheets: readonly TimesheetOfEmployee[],
  employees: Map<string, TimesheetOfEmployee[]>,
  maxEmployees: number,
): boolean {
  let fits = true;
  for (const timesheet of timesheets) {
    const known = employees.get(timesheet.employeeId);
    if (known !== undefined) known.push(timesheet);
    else if (employees.size < maxEmployees) employees.set(timesheet.employeeId, [timesheet]);
    else fits = false;
  }
  return fits;
}

function readOwner({ id, state }: LeafRow, date: string): TimesheetOfEmployee[] {
  const { employeeId, hoursToPay } = toState(TIMESHEETS, state);
  const hours = typeof hoursToPay === 'number' ? hoursToPay : 0;
  return typeof employeeId === 'string' ? [{ id, employeeId, date, hours }] : [];
}
