import { toLocalDate } from '#shared/core/dates.ts';
import type { SourceError } from '#shared/core/errors.ts';
import { ABANDONED_WALK, type Page, type WalkEnd } from '#shared/core/fetch/pages.ts';
import { beginScan, endScan, takePage } from '#shared/core/fetch/scan.ts';
import { judgeWalk, markRepeated, type WalkResult } from '#shared/core/outcome/judge-walk.ts';
import {
  addDiagnosis,
  addDiscarded,
  addPulled,
  addRemaining,
  addWalk,
  type PollFindings,
} from '#shared/core/outcome/poll-findings.ts';
import {
  type Agenda,
  type AgendaInput,
  type DueDates,
  type DueSlice,
  planAgenda,
  pullMovedPeriods,
  rescheduleDates,
  scheduleDates,
} from '#shared/core/plan/agenda.ts';
import { isBusy } from '#shared/core/plan/cadence.ts';
import { bringForward } from '#shared/core/plan/even-load.ts';
import { countPages } from '#shared/core/plan/pace-meter.ts';
import { buildParts, cutPart, type PlanPart } from '#shared/core/plan/parts.ts';
import { type Assignment, type FetchBudget, WorkList } from '#shared/core/plan/work-list.ts';
import { acquireHotLease, ensureLease } from './claims.ts';
import { finishScan } from './compare/compare-scan.ts';
import type { Claim, PollRun } from './poll-run.ts';

/** Walks of parts that are under way at the same time; the rate limiter alone decides how fast they are. */
const MAX_WALKS = 3;
/** Pages under way that use all of a source's speed: more walks would only keep hot dates waiting. */
const MAX_PAGES_UNDER_WAY = 8;
/** Failures in a row, weighted, without any answer, after which the source counts as failing. */
const MAX_FAILURES_UNANSWERED = 8;

/** What is due, and what may come along although it is not due yet. */
interface DueSlices {
  readonly agenda: Agenda;
  readonly due: readonly DueSlice[];
  readonly early: readonly DueSlice[];
}

/** The work of a poll. */
interface DueWork {
  readonly agenda: Agenda;
  readonly work: WorkList;
}

/** What a poll reads: what is due, of the dates that it claimed, and what a scheduled poll brings forward. */
export function planDueSlices(run: PollRun): DueSlices {
  const input = buildAgendaInput(run, run.startedAt);
  const agenda = planAgenda(input);
  const forward = run.scope === 'due' ? bringForward(agenda, input) : [];
  const due = selectClaimed([...agenda.due, ...forward], run.memory.claim);
  return { agenda, due, early: agenda.early.filter((each) => !forward.includes(each)) };
}

function selectClaimed(slices: readonly DueSlice[], { dates }: Claim): readonly DueSlice[] {
  return dates === 'all' ? slices : slices.filter((each) => each.class === 'hot');
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
export async function processDueSlices({ agenda, due, early }: DueSlices, run: PollRun): Promise<void> {
  const { findings } = run.memory;
  const work = new WorkList(due, findings.rotation ?? run.state.turn, early);
  addPulled(
    findings,
    due.filter(({ isPulled }) => isPulled === true).map(({ slice }) => slice),
  );
  await workOff({ agenda, work }, run);
  const wasSilent = isSilent(findings);
  // Only certain dates fail and the source is up: continue with the remaining work in this poll.
  if ((await diagnoseFailures(agenda, run)) && wasSilent) {
    await workOff({ agenda, work }, run);
    await diagnoseFailures(agenda, run);
  }
  addRemaining(findings, work);
}

async function workOff(due: DueWork, run: PollRun): Promise<void> {
  const { work } = due;
  const { findings } = run.memory;
  const assign = async () => await nextAssignment(due, run);
  for await (const { part, walk } of walkConcurrently(assign, run)) {
    const time = { startedAt: run.startedAt, now: run.ports.clock.now(), until: run.fetchUntil };
    const { outcome, refetch, fetched } = judgeWalk(part, walk, time);
    addWalk(findings, outcome);
    if (refetch !== null) work.putBack(refetch.parts, refetch.place);
    if (fetched === null) continue;
    // When the poll must stop, these dates do not count as failed: they are left to the next poll.
    const isRefetched = refetch !== null && !findings.isStopped;
    const discarded = await finishScan({ ...fetched, isRefetched }, run);
    if (!isRefetched) refetchDiscarded(discarded, part, work, run);
  }
}

/** Fetches parts side by side, hot dates alone, and gives each as soon as its walk is over. */
async function* walkConcurrently(
  assign: () => Promise<Assignment | null>,
  run: PollRun,
): AsyncGenerator<FinishedWalk, void> {
  const walks = new Map<PlanPart, Promise<FinishedWalk>>();
  const isHotUnderWay = () => [...walks.keys()].some(({ isHot }) => isHot);
  for (;;) {
    const isFull = () => walks.size >= MAX_WALKS || run.memory.pace.pledgedPages >= MAX_PAGES_UNDER_WAY;
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

/** The next part, while there is time and the source answers. */
async function nextAssignment({ agenda, work }: DueWork, run: PollRun): Promise<Assignment | null> {
  const { pace, findings } = run.memory;
  if (!canContinue(run) || !(await ensureLease(run, work.expectedMs(pace.cost) + pace.pledgedMs)))
    return null;
  // In a long poll the hot dates keep their minute, unless another poll has claimed them (rule 14).
  const now = run.ports.clock.now();
  const isDue = ({ class: dateClass, slice, cadenceMs }: DueSlice) => {
    const at = findings.completeScans.get(slice)?.at;
    const isOver = at !== undefined && now - at >= cadenceMs && !work.wasAddedSince(slice, at);
    return dateClass === 'hot' && !findings.failed.has(slice) && isOver;
  };
  const hot = work.hasHot || !work.hasOthers ? [] : agenda.due.filter(isDue);
  if (hot.length > 0 && (await acquireHotLease(run.id, run.feed, run.ports))) {
    const input = buildAgendaInput(run, now);
    const dates = hot.map(({ slice }) => slice);
    work.addDue(scheduleDates(dates, input, agenda.pulls), now);
  }
  return work.next(computeFetchBudget(run));
}

function computeFetchBudget({ ports, fetchUntil, startedAt, memory }: PollRun): FetchBudget {
  const { pace } = memory;
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
function canContinue(run: PollRun): boolean {
  const { findings } = run.memory;
  return !findings.isStopped && !isSilent(findings) && run.hasTimeLeft();
}

function isSilent({ sourceAnswered, failures }: Readonly<PollFindings>): boolean {
  return sourceAnswered !== true && failures >= MAX_FAILURES_UNANSWERED;
}

/** Slices that another poll committed while they were read are read again, once in a poll. */
function refetchDiscarded(discarded: readonly string[], part: PlanPart, work: WorkList, run: PollRun): void {
  if (discarded.length === 0) return;
  const isRefetched = part.isRepeated !== true && run.hasTimeLeft();
  if (isRefetched) work.putBack(markRepeated(buildParts(discarded, part)), 'first');
  const reason = isRefetched
    ? null
    : `${discarded.join(', ')} changed while it was read; the next poll reads it again`;
  addDiscarded(run.memory.findings, { slices: discarded, reason });
}

/** Walks the pages of a part, to their end or until the time for fetching is over (rules 7, 12 and 15). */
async function walkPart({ part, maxRecords }: Assignment, run: PollRun): Promise<WalkResult> {
  const { heads, pace } = run.memory;
  const asOf = new Map(heads.all);
  const scan = beginScan(run.definition, part.slices, run.absences);
  const pages = run.ports.source.pages(run.feed.feed, part.range);
  const startedAt = run.ports.clock.now();
  const expectedPages = countPages(part.expectedRecords, pace.cost.size);
  const measure = { isHot: part.isHot, startedAt, size: null as number | null, missing: expectedPages };
  pace.begin(startedAt);
  pace.expect(expectedPages);
  try {
    for (;;) {
      const next = await pages.next();
      if (next.done === true) {
        return { outcome: 'walked', scan: endScan(scan, next.value), asOf, startedAt };
      }
      pace.arrive(next.value.receivedAt);
      measure.size = fullPageSize(next.value) ?? measure.size;
      const missing = countPagesAfter(next.value);
      pace.expect(missing - measure.missing);
      measure.missing = missing;
      const isFirst = scan.startedAt === null;
      const totalRecords = next.value.pagination?.totalRecords ?? 0;
      if (isFirst && totalRecords > maxRecords && part.slices.length > 1) {
        await abandon(pages);
        return { outcome: 'too_large', pieces: cutPart(part, { totalRecords, maxRecords }) };
      }
      takePage(scan, next.value);
      if (!run.hasTimeLeft()) {
        return { outcome: 'walked', scan: endScan(scan, await abandon(pages)), asOf, startedAt };
      }
    }
  } finally {
    pace.end(run.ports.clock.now(), measure);
  }
}

/** Pages still to come, by the page's own pagination. */
function countPagesAfter({ pagination }: Page): number {
  return pagination === null ? 0 : Math.max(0, pagination.totalPages - pagination.page);
}

/** Records of a page that others follow; null for the last one, which says nothing of the size of pages. */
function fullPageSize({ pagination, records }: Page): number | null {
  return pagination !== null && pagination.totalPages > pagination.page ? records.length : null;
}

async function abandon(pages: AsyncGenerator<Page, WalkEnd>): Promise<WalkEnd> {
  await pages.return(ABANDONED_WALK);
  return ABANDONED_WALK;
}

/**
 * Finds out whether what failed is the fault of its dates, or of the source as a whole. When the last thing was a
 * failure, a date that was read before is fetched once more; when nothing was read at all, one that was not due. If
 * that fails as well, the source or the credential went away, and nothing is said about single dates. True when a date
 * could be read.
 */
async function diagnoseFailures(agenda: Agenda, run: PollRun): Promise<boolean> {
  const { findings } = run.memory;
  const { lastFailure, credentialRejected, fetchedWhole, failures } = findings;
  if (lastFailure === null || credentialRejected || (fetchedWhole.size > 0 && failures === 0)) return false;
  const known = findReadableDate(agenda, run);
  const error = known === undefined ? lastFailure : await tryToRead(known, run);
  addDiagnosis(findings, { error, readableDate: error === null ? (known ?? null) : null });
  return error === null;
}

/**
 * A date that could be read in this poll and did not fail since, or that was read in an earlier one, as far as there
 * is time to fetch it. After each poll in which nothing came it is another one: one failing date must not stand for
 * all others for ever.
 */
function findReadableDate({ window }: Agenda, run: PollRun): string | undefined {
  const { state, memory } = run;
  const { fetchedWhole, readableDate, failed, attempted } = memory.findings;
  const read = readableDate === null ? [...fetchedWhole] : [...fetchedWhole, readableDate];
  const known = read.find((date) => !failed.has(date));
  if (known !== undefined || !run.hasTimeLeft()) return known;
  const others = window.filter((date) => !failed.has(date) && state.failing[date] === undefined);
  const rank = (date: string) =>
    (attempted.has(date) ? 2 : 0) + (memory.heads.get(date)?.baselinedAt == null ? 1 : 0);
  const candidates = others.toSorted((a, b) => rank(a) - rank(b));
  return candidates[state.failedPolls % candidates.length];
}

/** Fetches the first page of a date; null when it came. */
async function tryToRead(date: string, { ports, feed }: PollRun): Promise<SourceError | null> {
  const pages = ports.source.pages(feed.feed, { from: date, to: date });
  const next = await pages.next();
  if (next.done === true) return next.value.error;
  await pages.return(ABANDONED_WALK);
  return null;
}

/** Scans of a date are at least so far apart, however much is expected. */
const MIN_PAUSE_MS = 5_000;

/**
 * Scans the dates of pay periods that moved meanwhile: their own feed was polled beside this one, and may have seen
 * something published. Returns the agenda as it is in the end.
 */
export async function scanPulledDates(agenda: Agenda, run: PollRun): Promise<Agenda> {
  if (run.scope === 'owed' || !hasFollowUps(run)) return agenda;
  const { memory, ports, window } = run;
  await memory.periods.reload();
  const known = { payPeriods: memory.periods.all, now: ports.clock.now(), window };
  const current = { ...agenda, pulls: pullMovedPeriods(agenda, known) };
  const { due, early } = planAgain(current, run);
  const pulled = due.filter(({ isPulled }) => isPulled === true);
  if (pulled.length > 0 && !memory.findings.isStopped)
    await processDueSlices({ agenda: current, due: pulled, early }, run);
  return current;
}

/**
 * When the first date that is expected to change within the minute is scanned again, by a follow-up: waiting for that
 * in this poll would be paid for. Null: not before the next scheduled poll.
 */
export function planFollowUp(agenda: Agenda, run: PollRun): number | null {
  const { findings } = run.memory;
  const now = run.ports.clock.now();
  if (!hasFollowUps(run) || findings.isStopped) return null;
  const { due, early } = planAgain(agenda, run);
  // What was owed and could not be read is left to the next scheduled poll.
  const canBeRead = ({ slice, owedSince }: DueSlice) =>
    findings.completeScans.has(slice) || owedSince > run.startedAt;
  const busy = [...due, ...early].filter((each) => isBusy(each) && canBeRead(each));
  if (busy.length === 0) return null;
  const at = Math.max(Math.min(...busy.map(({ owedSince }) => owedSince)), now + MIN_PAUSE_MS);
  return at >= run.repeatUntil ? null : at;
}

function hasFollowUps({ feed, repeatUntil, startedAt }: PollRun): boolean {
  return feed.feed === 'timesheets' && repeatUntil > startedAt;
}

/** The dates of this poll that can be read, as they are after its scans. */
function planAgain(agenda: Agenda, run: PollRun): DueDates {
  const { startedAt } = run;
  const { findings, claim } = run.memory;
  const input = buildAgendaInput(run, run.ports.clock.now());
  const { due, early } = rescheduleDates(agenda, input, { ...findings, startedAt });
  return { due: selectClaimed(due, claim), early: selectClaimed(early, claim) };
}

/** What the planner needs to know, at an instant. */
export function buildAgendaInput(run: PollRun, now: number): AgendaInput {
  const { feed, scope, repeatUntil, connection, window, state, rates, memory } = run;
  const { timeZone } = connection;
  const known = {
    state,
    heads: memory.heads.all,
    payPeriods: memory.periods.all,
    rates,
    pageSize: memory.pace.cost.size,
  };
  const today = toLocalDate(now, timeZone);
  return { feed: feed.feed, scope, repeatUntil, now, timeZone, today, window, ...known };
}
