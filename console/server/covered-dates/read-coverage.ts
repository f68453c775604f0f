import type {
  ConnectionCoverage,
  CoverageAnswer,
  CoveredDate,
  DoctorAnswer,
  FreshnessAnswer,
} from '#console/routes/coverage.ts';
import { computeWindow, listDates, toIso, toLocalDate } from '#shared/core/dates.ts';
import { DEFAULT_SERVICE_NAME } from '#shared/core/messages/record-events.ts';
import { WHOLE_LIST } from '#shared/core/records/feed-definition.ts';
import type { FeedState } from '#shared/core/snapshot/feed-state.ts';
import type { SliceHead } from '#shared/core/snapshot/snapshot.ts';
import { listLedgerReceivers } from '#shared/operator/deliveries/find-deliveries.ts';
import { runChecks } from '#shared/operator/doctor/run-checks.ts';
import { readFreshness } from '#shared/operator/freshness/read-freshness.ts';
import { buildQueries } from '#shared/operator/log-query.ts';
import { type ConsoleContext, findConnection } from '../context.ts';
import type { ConnectionKnowledge } from '../knowledge.ts';
import type { PollOutcome } from '../poll-log.ts';
import { rememberFor } from '../remember.ts';
import { describeCode, describeInstant } from '../words.ts';

/** Of a connection: four hours. */
const MAX_POLLS = 240;

/** When each date of the window was last read completely, and what the latest polls took. */
export async function readCoverage(context: ConsoleContext): Promise<CoverageAnswer> {
  const known = await context.knowledge.loadAll();
  const outcomes = context.pollLog === null ? null : await context.pollLog.read();
  return {
    connections: await Promise.all(known.map((each) => readConnection(each, context))),
    polls: outcomes === null ? null : selectPolls(outcomes),
    readAt: toIso(Math.floor(context.target.system.now())),
  };
}

/** The latest of each connection. The list of pay periods takes a request or two. */
function selectPolls(outcomes: readonly PollOutcome[]): PollOutcome[] {
  // Functions that end together may log in any order.
  const own = outcomes
    .filter(({ feed }) => feed === 'timesheets')
    .sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
  const byConnection = Map.groupBy(own, ({ connection }) => connection);
  return [...byConnection.values()].flatMap((polls) => polls.slice(-MAX_POLLS));
}

async function readConnection(
  knowledge: ConnectionKnowledge,
  context: ConsoleContext,
): Promise<ConnectionCoverage> {
  const { connection, timeZone, states } = knowledge;
  const now = Math.floor(context.target.system.now());
  const window = computeWindow(now, timeZone, findConnection(context, connection).window);
  const heads = await context.store.loadHeads({ connection, feed: 'timesheets' }, window.from);
  const bySlice = new Map(heads.map((head) => [head.slice, head]));
  const state = states.timesheets;
  const baselineAt = state?.baseline?.completedAt ?? null;
  const payPeriodsAt = states['pay-periods']?.coverage[WHOLE_LIST]?.at ?? null;
  return {
    connection,
    timeZone,
    today: toLocalDate(now, timeZone),
    dates: listDates(window).map((date) => describeDate(date, bySlice.get(date), { ...knowledge, state })),
    payPeriodsAt: payPeriodsAt === null ? null : toIso(payPeriodsAt),
    baselineAt: baselineAt === null ? null : toIso(baselineAt),
  };
}

interface DateContext extends Pick<ConnectionKnowledge, 'timeZone' | 'serviceName'> {
  readonly state: FeedState | null;
}

function describeDate(date: string, head: SliceHead | undefined, context: DateContext): CoveredDate {
  const { state } = context;
  const at = state?.coverage[date]?.at ?? head?.observedAt ?? head?.baselinedAt ?? null;
  return {
    date,
    completeAt: at === null ? null : toIso(at),
    timesheets: head?.recordCount ?? 0,
    unsettled: head?.unsettledCount ?? 0,
    trouble: state === null ? null : describeTrouble(date, state, context),
  };
}

function describeTrouble(
  date: string,
  { failing, shrunk, formChanged, tried, coverage }: FeedState,
  { timeZone, serviceName = DEFAULT_SERVICE_NAME }: DateContext,
): CoveredDate['trouble'] {
  const momentOf = (instant: number) => describeInstant(instant, timeZone);
  const failure = failing[date];
  if (failure !== undefined) {
    const { code, attempts, since, nextAt } = failure;
    const tries = `${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`;
    return serious(
      `cannot be read (${describeCode(code)}): ${tries} since ${momentOf(since)}, the next one ${momentOf(nextAt)}`,
    );
  }
  if (shrunk[date] !== undefined)
    return serious(
      `much is missing from its list since ${momentOf(shrunk[date].since)}, so removals are held back`,
    );
  if (formChanged?.slices.includes(date) === true)
    return serious(`${serviceName} sends its records in another form`);
  const incompleteAt = tried[date];
  if (incompleteAt === undefined || incompleteAt <= (coverage[date]?.at ?? 0)) return null;
  return { says: `its last read, ${momentOf(incompleteAt)}, was not complete`, isSerious: false };
}

function serious(says: string): CoveredDate['trouble'] {
  return { says, isSerious: true };
}

/** The checks ask the source: not for every page that looks. */
const MAX_AGE_MS = 60_000;

/** The findings of the last minute; `again` asks for new ones. */
export function createDoctor(context: ConsoleContext): (again: boolean) => Promise<DoctorAnswer> {
  return rememberFor(MAX_AGE_MS, () => examine(context));
}

/** Without what the source said, which may name people. */
async function examine({ target, examine: check = runChecks }: ConsoleContext): Promise<DoctorAnswer> {
  // A page shows no more than that secrets exist, so whoever opens one needs no right to read them.
  const findings = await check({ ...target, onlyLooks: true });
  return {
    findings: findings.map(({ about, outcome, says, mend }) => ({
      about,
      outcome,
      says,
      mend: mend ?? null,
    })),
    checkedAt: new Date(target.system.now()).toISOString(),
  };
}

/** It reads the log of a day and what became of each event: not for every page that looks. */
const MAX_FRESHNESS_AGE_MS = 300_000;

/** The freshness of the last 24 hours at each place that got something, at most five minutes old. */
export function createFreshnessReader({
  target,
  measure = readFreshness,
}: ConsoleContext): () => Promise<FreshnessAnswer> {
  return rememberFor(MAX_FRESHNESS_AGE_MS, async () => {
    const queries = buildQueries({ since: '24h' }, target);
    const { publication, receivers } = await measure(queries, listLedgerReceivers(target), target);
    const places = [{ to: 'publication', ...publication }, ...receivers];
    return { places: places.flatMap(({ to, all }) => (all === null ? [] : [{ to, ...all }])) };
  });
}
