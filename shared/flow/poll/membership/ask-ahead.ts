import { toLocalDate } from '#shared/core/dates.ts';
import {
  learnFromAnswer,
  type OwnedTimesheet,
  orderPeriodsToAsk,
  readAnswer,
  selectPeriodsToSurvey,
} from '#shared/core/plan/membership.ts';
import { covers } from '#shared/core/plan/pay-period-dates.ts';
import type { PayPeriodHint } from '#shared/core/records/pay-period.ts';
import {
  type EmployeeMembership,
  type Membership,
  NO_MEMBERSHIP,
  updateBuckets,
} from '#shared/core/snapshot/membership.ts';
import type { SourceApi } from '#shared/flow/poll/ports.ts';
import { hasTimeLeft, type PollRun } from '../poll-run.ts';
import { Asking, forEachInTurn } from './ask-source.ts';
import { readMembership } from './read-membership.ts';
import { surveyPeriod } from './survey-period.ts';

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
  readonly until: number;
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
  const stored = await readMembership(store, name, payPeriods);
  const due = select(stored);
  if (due.length === 0) return;
  const surveys = new Map([...stored.surveys].filter(([id]) => payPeriods.some((each) => each.id === id)));
  const learning: Learning = {
    ...{ stored, surveys, learned: new Map(), asking: new Asking() },
    until: now + MAX_ASKING_MS,
  };
  for (const period of due) {
    if (isOver(learning, run)) break;
    await askAboutPeriod({ period, payPeriods, listMembers }, learning, run);
  }
  // A source that answers for nobody is asked again as rarely as one that answered for all.
  if (learning.asking.isUnanswered) for (const { id } of due) surveys.set(id, clock.now());
  const update = { now: clock.now(), employees: learning.learned, surveys };
  await store.saveMembership(name, updateBuckets(stored, update));
}

function isOver({ asking, until, learned }: Learning, run: PollRun): boolean {
  return (
    asking.isOver || learned.size >= MAX_EMPLOYEES || run.ports.clock.now() >= until || !hasTimeLeft(run)
  );
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
  const { stored, learned, surveys, asking } = learning;
  const { clock } = run.ports;
  const membership = { ...stored, employees: new Map([...stored.employees, ...learned]) };
  const maxEmployees = MAX_EMPLOYEES - learned.size;
  const { employees, isComplete } = await surveyPeriod(period, { membership, maxEmployees }, run);
  const periods = orderPeriodsToAsk(period, { periods: payPeriods, membership });
  let asked = 0;
  const bounds = { atOnce: MAX_REQUESTS, isOver: () => isOver(learning, run) };
  await forEachInTurn(employees, bounds, async ([employeeId, timesheets]) => {
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
