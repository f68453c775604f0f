import { addOutcome } from '#shared/core/outcome/add-outcome.ts';
import { type FetchTime, judgeWalk, markRepeated, type WalkResult } from '#shared/core/outcome/judge-walk.ts';
import { isStopped, type PollProgress } from '#shared/core/outcome/poll-progress.ts';
import { type Agenda, type DueSlice, scheduleDate } from '#shared/core/plan/agenda.ts';
import { buildParts, type PlanPart } from '#shared/core/plan/parts.ts';
import { type Assignment, type FetchBudget, WorkList } from '#shared/core/plan/work-list.ts';
import { claimHotDates, ensureLease } from './claims.ts';
import { diagnoseFailures } from './diagnose-failures.ts';
import { buildAgendaInput, hasTimeLeft, type PollRun } from './poll-run.ts';
import { settleScan } from './settle-scan.ts';
import { walkPart } from './walk.ts';

/** Walks of parts that are under way at the same time; the rate limiter alone decides how fast they are. */
const MAX_WALKS = 3;
/** Pages under way that use all of a source's speed: more walks would only keep hot dates waiting. */
const MAX_PAGES_UNDER_WAY = 8;
/** Failures in a row, weighted, without any answer, after which the source counts as failing. */
const MAX_FAILURES_UNANSWERED = 8;

/** What is due, what may come along although it is not due yet, and what is known so far. */
interface DueSlices {
  readonly agenda: Agenda;
  readonly due: readonly DueSlice[];
  readonly early: readonly DueSlice[];
  readonly progress: PollProgress;
}

/** The work of a poll, and what is known so far. */
interface DueWork {
  readonly agenda: Agenda;
  readonly work: WorkList;
  readonly progress: PollProgress;
}

interface FinishedWalk {
  readonly part: PlanPart;
  readonly walk: WalkResult;
}

/**
 * Scans what is due, the most overdue first: each part is compared and committed as soon as its walk is over, while
 * the next ones are fetched. A part that fails is halved down to the date, and everything else goes on (rules 13 to
 * 15). Changes found on slices that were pulled forward are excluded from the learned change rates.
 */
export async function processDueSlices(
  { agenda, due, early, progress: before }: DueSlices,
  run: PollRun,
): Promise<PollProgress> {
  const work = new WorkList(due, before.turn ?? run.state.turn, early);
  const pulled = due.filter(({ isPulled }) => isPulled === true).map(({ slice }) => slice);
  const planned = addOutcome(before, { stage: 'plan', outcome: 'pulled', slices: pulled });
  const first = await workOff({ agenda, work, progress: planned }, run);
  const diagnosis = await diagnoseFailures(agenda, first, run);
  let progress = diagnosis === null ? first : addOutcome(first, diagnosis);
  // Only certain dates fail and the source is up: continue with the remaining work in this poll.
  if (isSilent(first) && diagnosis?.outcome === 'readable') {
    progress = await workOff({ agenda, work, progress }, run);
    const again = await diagnoseFailures(agenda, progress, run);
    if (again !== null) progress = addOutcome(progress, again);
  }
  const { remaining, turn } = work;
  return addOutcome(progress, { stage: 'plan', outcome: 'ended', remaining, turn });
}

async function workOff(due: DueWork, run: PollRun): Promise<PollProgress> {
  const { agenda, work } = due;
  let { progress } = due;
  const assign = async () => await nextAssignment({ agenda, work, progress }, run);
  for await (const { part, walk } of walkConcurrently(assign, run)) {
    const { outcome, refetch, fetched } = judgeWalk(part, walk, getFetchTime(run));
    progress = addOutcome(progress, outcome);
    if (refetch !== null) work.putBack(refetch.parts, refetch.place);
    if (fetched === null) continue;
    // When the poll must stop, nothing is said against these dates: they are left to the next poll as what remains.
    const isRefetched = refetch !== null && !isStopped(progress);
    const settled = await settleScan({ ...fetched, isRefetched, progress }, run);
    progress = settled.progress;
    if (!isRefetched) progress = refetchDiscarded(settled.discarded, part, { work, progress, run });
  }
  return progress;
}

/** Fetches parts side by side, hot dates alone, and gives each as soon as its walk is over. */
async function* walkConcurrently(
  assign: () => Promise<Assignment | null>,
  run: PollRun,
): AsyncGenerator<FinishedWalk, void> {
  const walks = new Map<PlanPart, Promise<FinishedWalk>>();
  const isHotUnderWay = () => [...walks.keys()].some(({ isHot }) => isHot);
  for (;;) {
    const isFull = () => walks.size >= MAX_WALKS || run.pace.pledgedPages >= MAX_PAGES_UNDER_WAY;
    while (!isFull() && !isHotUnderWay()) {
      const assignment = await assign();
      if (assignment === null) break;
      const { part } = assignment;
      const walk = walkPart(assignment, run).then((outcome) => ({ part, walk: outcome }));
      // The race below rethrows a failure; this only prevents an unhandled rejection before that.
      walk.catch(() => {});
      walks.set(part, walk);
    }
    if (walks.size === 0) return;
    const first = await Promise.race(walks.values());
    walks.delete(first.part);
    yield first;
  }
}

/** The next part, while there is time and the source answers. Hot dates come again when their minute is over. */
async function nextAssignment(due: DueWork, run: PollRun): Promise<Assignment | null> {
  const { work, progress } = due;
  if (
    !canContinue(progress, run) ||
    !(await ensureLease(run, work.expectedMs(run.pace.cost) + run.pace.pledgedMs))
  )
    return null;
  await requeueHotDates(due, run);
  return work.next(computeFetchBudget(run));
}

/** In a long poll the hot dates keep their minute, unless another poll has claimed them (rule 14). */
async function requeueHotDates({ agenda, work, progress }: DueWork, run: PollRun): Promise<void> {
  const now = run.ports.clock.now();
  const hot = agenda.due.filter((each) => each.class === 'hot' && !progress.failed.has(each.slice));
  const isOver = ({ slice, cadenceMs }: (typeof hot)[number]) => {
    const at = progress.completeScans.get(slice)?.at;
    return at !== undefined && now - at >= cadenceMs;
  };
  const due = hot.filter(isOver);
  if (due.length === 0 || work.hasHot || !work.hasOthers || !(await claimHotDates(run))) return;
  work.addDue(due.map(({ slice }) => scheduleDate(slice, buildAgendaInput(run, now), agenda.pulls)));
}

function computeFetchBudget({ ports, fetchUntil, startedAt, pace }: PollRun): FetchBudget {
  const { ms, size } = pace.cost;
  return {
    leftMs: Math.max(0, fetchUntil - ports.clock.now() - pace.pledgedMs),
    wholeMs: fetchUntil - startedAt,
    hotMs: pace.hotMs,
    msPerPage: ms,
    pageSize: size,
    isGuess: pace.isGuessing,
  };
}

/** Further requests are pointless when the source wants none, does not answer, or time is over. */
function canContinue(progress: PollProgress, run: PollRun): boolean {
  return !isStopped(progress) && !isSilent(progress) && hasTimeLeft(run);
}

function getFetchTime({ ports, startedAt, fetchUntil }: PollRun): FetchTime {
  return { startedAt, now: ports.clock.now(), until: fetchUntil };
}

function isSilent({ sourceAnswered, failures }: PollProgress): boolean {
  return sourceAnswered !== true && failures >= MAX_FAILURES_UNANSWERED;
}

/** Slices that another poll committed while they were read are read again, once in a poll. */
function refetchDiscarded(
  discarded: readonly string[],
  part: PlanPart,
  { work, progress, run }: Pick<DueWork, 'work' | 'progress'> & { readonly run: PollRun },
): PollProgress {
  if (discarded.length === 0) return progress;
  const isRefetched = part.isRepeated !== true && hasTimeLeft(run);
  if (isRefetched) work.putBack(markRepeated(buildParts(discarded, part)), 'first');
  const reason = isRefetched
    ? null
    : `${discarded.join(', ')} changed while it was read; the next poll reads it again`;
  return addOutcome(progress, { stage: 'conflict', outcome: 'discarded', slices: discarded, reason });
}
