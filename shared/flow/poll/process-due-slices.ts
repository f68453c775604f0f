import { isComplete } from '#shared/core/fetch/scan.ts';
import { addOutcome } from '#shared/core/outcome/add-outcome.ts';
import type { PollProgress } from '#shared/core/outcome/poll-progress.ts';
import type { FetchOutcome } from '#shared/core/outcome/stage-outcome.ts';
import { type Agenda, type DueSlice, scheduleDate } from '../../core/plan/agenda.ts';
import { buildParts, halvePart, type PlanPart } from '../../core/plan/parts.ts';
import { type Assignment, type FetchBudget, WorkList } from '../../core/plan/work-list.ts';
import { keepClaim, reclaimHotDates } from './claims.ts';
import { diagnoseFailures } from './diagnose-failures.ts';
import { buildAgendaInput, hasTimeLeft, type PollRun } from './poll-run.ts';
import { settleScan } from './settle-scan.ts';
import { type WalkOutcome, walkPart } from './walk.ts';

/** Walks of parts that are under way at the same time; the rate limiter alone decides how fast they are. */
const MAX_WALKS = 3;
/** Pages under way with which a source is asked as fast as it goes: more walks would only keep hot dates waiting. */
const MAX_PAGES_UNDER_WAY = 8;
/** Pages of a walk that is worth repeating at once when the list moved under it. */
const REPEATABLE_PAGES = 20;
/** A walk that starts later than this share of the fetch time proves nothing about the size of its list. */
const LATE_START_SHARE = 0.1;
/** Failures in a row, weighted, without any answer, after which the source counts as failing. */
const MAX_FAILURES_UNANSWERED = 8;
/** What is due, what may come along although it is not due yet, and what is known so far. */
interface DueSlices {
  readonly agenda: Agenda;
  readonly due: readonly DueSlice[];
  readonly early: readonly DueSlice[];
  readonly progress: PollProgress;
}

/** What is being worked off. */
interface DueWork {
  readonly agenda: Agenda;
  readonly work: WorkList;
  readonly progress: PollProgress;
}

interface FinishedWalk {
  readonly part: PlanPart;
  readonly walk: WalkOutcome;
}

/**
 * Scans what is due, what is owed most first: each part is compared and committed as soon as it is seen whole, while
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
  const first = await workThrough({ agenda, work, progress: planned }, run);
  const diagnosis = await diagnoseFailures(agenda, first, run);
  let progress = diagnosis === null ? first : addOutcome(first, diagnosis);
  // Only certain dates fail and the source is up: continue with the remaining work in this poll.
  if (isSilent(first) && diagnosis?.outcome === 'readable') {
    progress = await workThrough({ agenda, work, progress }, run);
    const again = await diagnoseFailures(agenda, progress, run);
    if (again !== null) progress = addOutcome(progress, again);
  }
  const { remaining, turn } = work;
  return addOutcome(progress, { stage: 'plan', outcome: 'worked_off', remaining, turn });
}

async function workThrough(due: DueWork, run: PollRun): Promise<PollProgress> {
  const { agenda, work } = due;
  let { progress } = due;
  const assign = async () => await nextAssignment({ agenda, work, progress }, run);
  for await (const { part, walk } of walkConcurrently(assign, run)) {
    const { outcome, again } = judgeWalk(part, walk, run);
    progress = addOutcome(progress, outcome);
    if (walk.outcome === 'too_large') {
      work.putBack(walk.pieces, 'first');
      continue;
    }
    // When the poll must stop, nothing is said against these dates: they are left to the next poll as what remains.
    if (again !== null) work.putBack(again.parts, again.place);
    const isRetried = again !== null && !progress.refused && !progress.mustStop;
    walk.scan.isRetried = isRetried;
    const settled = await settleScan({ fetched: walk.scan, asOf: walk.asOf, progress }, run);
    progress = settled.progress;
    if (!isRetried) progress = rereadLostSlices(settled.lost, part, { work, progress, run });
  }
  return progress;
}

/**
 * Whether the list of one date takes longer than a poll: begun first in the next poll again, it would keep everything
 * else waiting for ever. It gets a backoff of its own, like a date that cannot be read (rule 13).
 */
function hadWholePoll({ slices, range }: PlanPart, startedAt: number, run: PollRun): boolean {
  const wholeMs = run.fetchUntil - run.startedAt;
  return range !== null && slices.length === 1 && startedAt - run.startedAt <= wholeMs * LATE_START_SHARE;
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
    !(await keepClaim(run, work.expectedMs(run.pace.cost) + run.pace.pledgedMs))
  )
    return null;
  await requeueHotDates(due, run);
  return work.next(computeAllowance(run));
}

/** In a long poll the hot dates keep their minute, unless another poll has taken them over (rule 14). */
async function requeueHotDates({ agenda, work, progress }: DueWork, run: PollRun): Promise<void> {
  const now = run.ports.clock.now();
  const hot = agenda.due.filter((each) => each.class === 'hot' && !progress.failed.has(each.slice));
  const isOver = ({ slice, cadenceMs }: (typeof hot)[number]) => {
    const at = progress.looks.get(slice)?.at;
    return at !== undefined && now - at >= cadenceMs;
  };
  const due = hot.filter(isOver);
  if (due.length === 0 || work.hasHot || !work.hasOthers || !(await reclaimHotDates(run))) return;
  work.addDue(due.map(({ slice }) => scheduleDate(slice, buildAgendaInput(run, now), agenda.pulls)));
}

function computeAllowance({ ports, fetchUntil, startedAt, pace }: PollRun): FetchBudget {
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

/** There is no point in asking on when the credential is refused, the source does not answer, or time is over. */
function canContinue(progress: PollProgress, run: PollRun): boolean {
  return !progress.refused && !progress.mustStop && !isSilent(progress) && hasTimeLeft(run);
}

function isSilent({ sourceAnswered, failures }: PollProgress): boolean {
  return sourceAnswered !== true && failures >= MAX_FAILURES_UNANSWERED;
}

/** What a walk came to, and what of its part is to be fetched again in this poll. */
interface JudgedWalk {
  readonly outcome: FetchOutcome;
  readonly again: { readonly parts: readonly PlanPart[]; readonly place: 'first' | 'last' } | null;
}

function judgeWalk(part: PlanPart, walk: WalkOutcome, run: PollRun): JudgedWalk {
  const { slices } = part;
  if (walk.outcome === 'too_large') {
    return { outcome: { stage: 'fetch', slices, hasAnswered: true, outcome: 'cut' }, again: null };
  }
  const { scan, startedAt } = walk;
  const { end } = scan;
  const base = { stage: 'fetch', slices, hasAnswered: scan.startedAt !== null } as const;
  if (isComplete(scan) || end === null) return { outcome: { ...base, outcome: 'listed' }, again: null };
  const halves = halvePart(part);
  if (end.error !== null) {
    const isSplit = halves.length > 0;
    const outcome = { ...base, outcome: 'failed', error: end.error, isSplit } as const;
    // Behind everything else: what can be read must not wait for what cannot.
    return { outcome, again: isSplit ? { parts: halves, place: 'last' } : null };
  }
  if (end.problem === 'abandoned')
    return {
      outcome: { ...base, outcome: 'abandoned', hadWholePoll: hadWholePoll(part, startedAt, run) },
      again: null,
    };
  const isWorthRepeating =
    end.problem === 'drifted' && end.pagesReceived <= REPEATABLE_PAGES && part.isRepeated !== true;
  const parts = markRepeated(halves.length === 0 ? [part] : halves);
  const again = isWorthRepeating && hasTimeLeft(run) ? ({ parts, place: 'first' } as const) : null;
  return { outcome: { ...base, outcome: 'incomplete' }, again };
}

function markRepeated(parts: readonly PlanPart[]): readonly PlanPart[] {
  return parts.map((part) => ({ ...part, isRepeated: true as const }));
}

/** Slices that were committed while they were read are read again, once in a poll. */
function rereadLostSlices(
  lost: readonly string[],
  part: PlanPart,
  { work, progress, run }: Pick<DueWork, 'work' | 'progress'> & { readonly run: PollRun },
): PollProgress {
  if (lost.length === 0) return progress;
  const isReread = part.isRepeated !== true && hasTimeLeft(run);
  if (isReread) work.putBack(markRepeated(buildParts(lost, part)), 'first');
  const reason = isReread
    ? null
    : `${lost.join(', ')} changed while it was read; the next poll reads it again`;
  return addOutcome(progress, { stage: 'commit', outcome: 'lost', slices: lost, reason });
}
