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
} from '#shared/core/periods/learn-membership.ts';
import type { EmployeeMembership, Membership } from '#shared/core/periods/membership.ts';
import { covers, type KnownPeriod, type PayPeriodTotals } from '#shared/core/records/pay-period.ts';
import { roundNumber } from '#shared/core/records/values.ts';
import type { PollRun } from '#shared/flow/poll/run.ts';
import { Asking, inGroups, saveLearned } from './ask-members.ts';
import { accountReader } from './read-account.ts';

/** Employees asked about in one poll. */
const MAX_EMPLOYEES = 200;
/** A poll asks no longer than that: the next one is to see a closing within its minute. */
const MAX_ASKING_MS = 15_000;
/** Requests under way. */
const MAX_REQUESTS = 4;

/** What is known while a poll asks. */
interface Learning {
  /** All that the connection has. */
  readonly periods: readonly KnownPeriod[];
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
export async function askAhead(run: PollRun): Promise<void> {
  const { memory, ports, today } = run;
  const now = ports.clock.now();
  const periods = memory.periods.seen ?? [];
  const select = (known: Pick<Membership, 'surveys'>) =>
    selectPeriodsToSurvey(periods, known, { today, now });
  // Who has periods that never share dates need not know who belongs to which calendar.
  if (select({ surveys: new Map() }).length === 0) return;
  const stored = dropOutdated(await memory.periods.membership(), periods);
  const due = select(stored);
  if (due.length === 0) return;
  const surveys = new Map([...stored.surveys].filter(([id]) => periods.some((each) => each.id === id)));
  const learned = new Map<string, EmployeeMembership>();
  const asking = new Asking(run);
  const isOver = () =>
    asking.isOver || learned.size >= MAX_EMPLOYEES || ports.clock.now() >= now + MAX_ASKING_MS;
  const learning: Learning = { periods, stored, surveys, learned, asking, isOver };
  for (const period of due) {
    if (isOver()) break;
    await askAboutPeriod(period, learning, run);
  }
  // A source that answers for nobody is asked again as rarely as one that answered for all.
  if (asking.isUnanswered) for (const { id } of due) surveys.set(id, ports.clock.now());
  await saveLearned({ now: ports.clock.now(), employees: learned, surveys }, run);
}

async function askAboutPeriod(period: KnownPeriod, learning: Learning, run: PollRun): Promise<void> {
  const { stored, learned, surveys, isOver } = learning;
  const membership = { ...stored, employees: new Map([...stored.employees, ...learned]) };
  const maxEmployees = MAX_EMPLOYEES - learned.size;
  const { employees, isComplete } = await surveyPeriod(period, { membership, maxEmployees }, run);
  const periods = orderPeriodsToAsk(period, { periods: learning.periods, membership });
  let asked = 0;
  await inGroups(employees, { size: MAX_REQUESTS, isOver, run }, async ([employeeId, timesheets]) => {
    const before = stored.employees.get(employeeId);
    const employee = { employeeId, before, timesheets, now: run.ports.clock.now() };
    const entry = await askEmployee(employee, periods, learning.asking);
    if (entry === null) return;
    learned.set(employeeId, entry);
    asked += 1;
  });
  if (isComplete && asked === employees.size) surveys.set(period.id, run.ports.clock.now());
}

interface EmployeeToAsk {
  readonly employeeId: string;
  readonly before: EmployeeMembership | undefined;
  readonly timesheets: readonly OwnedTimesheet[];
  readonly now: number;
}

/** Asks about one period after another until one of them is the employee's own; null when nothing was learned. */
async function askEmployee(
  { employeeId, before, timesheets, now }: EmployeeToAsk,
  periods: readonly KnownPeriod[],
  asking: Asking,
): Promise<EmployeeMembership | null> {
  const asked = new Set<string | undefined>();
  let learned: EmployeeMembership | null = null;
  for (const period of periods) {
    const known = timesheets.filter(({ date }) => covers(period, date)).map(({ id }) => id);
    if (known.length === 0 || asked.has(period.calendar)) continue;
    asked.add(period.calendar);
    const members = await asking.ask(employeeId, period.id);
    if (members === undefined) return null;
    const answer = { period, known, members };
    learned = learnFromAnswer(before, answer, now);
    if (readAnswer(answer) !== 'other') return learned;
  }
  return learned;
}

interface TimesheetOfEmployee extends OwnedTimesheet {
  readonly employeeId: string;
  readonly hours: number;
}

/** Employees to be asked about, with their timesheets on the dates of a period. */
interface EmployeeSurvey {
  readonly employees: ReadonlyMap<string, readonly TimesheetOfEmployee[]>;
  /** All are among them: there was time to read every date, and room for every employee. */
  readonly isComplete: boolean;
}

/**
 * Searches the dates of a period for employees who are to be asked about, at most so many: those whose calendar is not
 * known, and, where what counts as the period's own is not what the source says, those who were asked longest ago.
 */
async function surveyPeriod(
  period: KnownPeriod,
  { membership, maxEmployees }: { readonly membership: Membership; readonly maxEmployees: number },
  run: PollRun,
): Promise<EmployeeSurvey> {
  const account = await accountReader(run)(period);
  if (account === null) return { employees: new Map(), isComplete: false };
  const timesheets = account.select(null).counted.flatMap((each): TimesheetOfEmployee[] => {
    const { timesheetId: id, employeeId, date, hours } = each;
    return employeeId === null || date === null ? [] : [{ id, employeeId, date, hours }];
  });
  const byEmployee = Map.groupBy(timesheets, ({ employeeId }) => employeeId);
  const now = run.ports.clock.now();
  const take = (ids: readonly string[]): EmployeeSurvey => ({
    employees: new Map(ids.slice(0, maxEmployees).map((id) => [id, byEmployee.get(id) ?? []])),
    isComplete: ids.length <= maxEmployees,
  });
  const due = [...byEmployee.keys()].filter((id) => isDueToAsk(membership.employees.get(id), now));
  // A new employee explains a difference, and is asked about first.
  if (due.length > 0) return take(due);
  const calendarOf = (id: string) => membership.employees.get(id)?.calendar ?? null;
  const own = addUp(timesheets.filter(({ employeeId }) => calendarOf(employeeId) === period.calendar));
  const unknown = addUp(timesheets.filter(({ employeeId }) => calendarOf(employeeId) === null));
  const source = run.memory.totals.get(period.id) ?? null;
  const differs = differsFromSource({ own, unknown }, source, { comparesHours: false });
  return take(selectKnownToAsk(period, membership, { differs, now }).filter((id) => byEmployee.has(id)));
}

function addUp(timesheets: readonly TimesheetOfEmployee[]): PayPeriodTotals {
  return {
    timesheets: timesheets.length,
    employees: new Set(timesheets.map(({ employeeId }) => employeeId)).size,
    hours: roundNumber(timesheets.reduce((sum, { hours }) => sum + hours, 0)),
  };
}
