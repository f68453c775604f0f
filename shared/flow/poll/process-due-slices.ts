import { isComplete } from '#shared/core/fetch/scan.ts';
import type { SourceError, SourceErrorCode } from '../../core/errors.ts';
import { type Agenda, type DueSlice, scheduleDate } from '../../core/plan/agenda.ts';
import { buildParts, halvePart, type PlanPart } from '../../core/plan/parts.ts';
import type { Assignment, FetchBudget, WorkList } from '../../core/plan/work-list.ts';
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
/** Of a poll's time for fetching, the part after which a walk has no whole poll any more. */
const LATE_START_SHARE = 0.1;
/** Parts that fail one after another, while nothing was ever answered, after which the source counts as failing. */
const MAX_FAILURES_UNANSWERED = 8;
/** Failures that count as several: no answer at all takes its time, and a credential that is refused is not asked on. */
const FAILURE_WEIGHTS: Partial<Record<SourceErrorCode, number>> = {
  source_unreachable: 3,
  source_forbidden: 2,
};

/** What is found on slices whose period moved was announced: it teaches nothing about when to look unasked. */
export function recordPulled(due: readonly DueSlice[], { tally }: PollRun): void {
  for (const { slice, isPulled } of due) if (isPulled === true) tally.pulled.add(slice);
}

interface FinishedWalk {
  readonly part: PlanPart;
  readonly walk: WalkOutcome;
}

/**
 * Looks at what is due, what is owed most first: each part is compared and committed as soon as it is seen whole,
 * while the next ones are fetched. A part that fails is halved down to the date, and everything else goes on (rules
 * 13 to 15).
 */
export async function processDueSlices(agenda: Agenda, work: WorkList, run: PollRun): Promise<void> {
  await workThrough(agenda, work, run);
  const wasSilent = isSilent(run);
  const answers = await diagnoseFailures(agenda, run);
  // Nothing but some dates failed: what else is due must not wait for a poll in which they come later.
  if (wasSilent && answers) {
    await workThrough(agenda, work, run);
    await diagnoseFailures(agenda, run);
  }
  // What failed together with others, and was not asked for alone any more, is first in the next poll.
  for (const slice of work.remaining) run.tally.tried.delete(slice);
  run.tally.remainingSlices += work.remaining.filter((slice) => !run.tally.looks.has(slice)).length;
  run.tally.turn = work.turn;
}

async function workThrough(agenda: Agenda, work: WorkList, run: PollRun): Promise<void> {
  const assign = async () => await nextAssignment(agenda, work, run);
  for await (const { part, walk } of walkConcurrently(assign, run)) {
    if (walk.outcome === 'too_large') {
      work.putBack(walk.pieces, 'first');
      continue;
    }
    const { scan, asOf } = walk;
    // A walk that ran out of time says nothing against its dates: they are first in the next poll.
    if (scan.end?.problem !== 'abandoned') for (const slice of part.slices) run.tally.tried.add(slice);
    else if (hadWholePoll(part, walk.startedAt, run))
      for (const slice of part.slices) run.tally.failed.set(slice, 'list_too_slow');
    scan.isRetried = retryPart(part, scan, { work, run });
    const lost = await settleScan(scan, asOf, run);
    if (!scan.isRetried) rereadLostSlices(lost, part, { work, run });
  }
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
      // Whoever waits for it hears of a failure; until then it is not unheard.
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
async function nextAssignment(agenda: Agenda, work: WorkList, run: PollRun): Promise<Assignment | null> {
  if (!canContinue(run) || !(await keepClaim(run, work.expectedMs(run.pace.cost) + run.pace.pledgedMs)))
    return null;
  await requeueHotDates(agenda, work, run);
  return work.next(computeAllowance(run));
}

/** In a long poll the hot dates keep their minute, unless another poll has taken them over (rule 14). */
async function requeueHotDates(agenda: Agenda, work: WorkList, run: PollRun): Promise<void> {
  const now = run.ports.clock.now();
  const hot = agenda.due.filter((each) => each.class === 'hot' && !run.tally.failed.has(each.slice));
  const isOver = ({ slice, cadenceMs }: (typeof hot)[number]) => {
    const at = run.tally.looks.get(slice)?.at;
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
function canContinue(run: PollRun): boolean {
  const { tally } = run;
  return !tally.refused && !tally.mustStop && !isSilent(run) && hasTimeLeft(run);
}

function isSilent({ tally }: PollRun): boolean {
  return tally.sourceAnswered !== true && tally.failures >= MAX_FAILURES_UNANSWERED;
}

interface RetryContext {
  readonly work: WorkList;
  readonly run: PollRun;
}

/** Whether the slices of a part that was not seen whole are asked for again in this poll. */
function retryPart(
  part: PlanPart,
  scan: Parameters<typeof isComplete>[0],
  { work, run }: RetryContext,
): boolean {
  const { end } = scan;
  if (isComplete(scan) || end === null) {
    run.tally.failures = 0;
    for (const slice of part.slices) run.tally.listed.add(slice);
    return false;
  }
  if (end.error !== null) return splitFailedPart(part, end.error, { work, run });
  const isWorthIt =
    end.problem === 'drifted' && end.pagesReceived <= REPEATABLE_PAGES && part.isRepeated !== true;
  if (!isWorthIt || !hasTimeLeft(run)) return false;
  const halves = halvePart(part);
  work.putBack(
    (halves.length === 0 ? [part] : halves).map((each) => ({ ...each, isRepeated: true as const })),
    'first',
  );
  return true;
}

/** Slices that were committed while they were read are read again, once in a poll. */
function rereadLostSlices(lost: readonly string[], part: PlanPart, { work, run }: RetryContext): void {
  if (lost.length === 0) return;
  for (const slice of lost) run.tally.tried.delete(slice);
  if (part.isRepeated !== true && hasTimeLeft(run)) {
    const again = buildParts(lost, part).map((each) => ({ ...each, isRepeated: true as const }));
    work.putBack(again, 'first');
    return;
  }
  run.tally.reasons.add(`${lost.join(', ')} changed while it was read; the next poll reads it again`);
}

function splitFailedPart(part: PlanPart, error: SourceError, { work, run }: RetryContext): boolean {
  const { tally } = run;
  tally.sourceAnswered ??= false;
  tally.errorCode = error.code;
  if (error.code === 'source_unauthorised') tally.refused = true;
  if (error.code === 'source_throttled') tally.mustStop = true;
  if (tally.refused || tally.mustStop) return false;
  tally.failures += FAILURE_WEIGHTS[error.code] ?? 1;
  tally.lastFailure = error;
  const halves = halvePart(part);
  // Behind everything else: what can be read must not wait for what cannot.
  work.putBack(halves, 'last');
  const [slice] = part.slices;
  if (halves.length === 0 && slice !== undefined) tally.failed.set(slice, error.code);
  return halves.length > 0;
}
