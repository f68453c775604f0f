import { listDates } from '#shared/core/dates.ts';
import { describeFailure, NotifierError, SourceError } from '#shared/core/errors.ts';
import type { Look } from '#shared/core/look/look.ts';
import type { LookReason } from '#shared/core/outcome/look-reasons.ts';
import { CADENCE_MS, findCadence } from '#shared/core/plan/cadence.ts';
import { chooseRequest, type PlannedRequest, planSlices } from '#shared/core/plan/plan.ts';
import { WHOLE_LIST } from '#shared/core/records/feed-definition.ts';
import { nameSlice, type SliceKey } from '#shared/core/snapshot/head.ts';
import { computeBackoff, WAITS } from '#shared/core/waits.ts';
import { completeBaselines } from './complete-baselines.ts';
import { lookAt, pageSizeOf } from './look-at.ts';
import { hasTimeLeft, noteReason, type PollRun, toPlanInput } from './run.ts';
import { takeIn } from './take-in.ts';

/** A source that fails so many requests in a row is silent: the poll ends (rule 13). */
const SILENT_AFTER = 3;

/** Reads slice after slice, the most overdue first, until none is due or time runs out. */
export async function readSlices(run: PollRun): Promise<void> {
  while (hasTimeLeft(run)) {
    const input = toPlanInput(run);
    const request = chooseRequest(
      planSlices(input),
      input,
      pageSizeOf(run) ?? run.connection.requests.pageSize,
    );
    if (request === null) return;
    await readRequest(request, run);
    await completeBaselines(run);
  }
}

async function readRequest(request: PlannedRequest, run: PollRun): Promise<void> {
  let looks: readonly Look[] | null;
  try {
    looks = await lookAt(request, run);
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    noteFailure(request, error, run);
    return;
  }
  run.memory.failuresInRow = 0;
  const { feed, range } = request;
  if (feed === 'pay-periods') run.memory.totals = looks?.[0]?.totals ?? new Map();
  // A record without a date is on one of these dates: each alone says which.
  const isUndated = looks?.some(({ problem }) => problem === 'undated') === true;
  if (looks === null || (looks.length > 1 && isUndated)) {
    for (const date of range === null ? [] : listDates(range))
      await readRequest({ feed, range: { from: date, to: date } }, run);
    return;
  }
  for (const look of looks) await takeInSafely(look, run);
}

/** What is stored of a slice that cannot be read, and whatever else nobody foresaw, keeps that slice alone waiting. */
async function takeInSafely(look: Look, run: PollRun): Promise<void> {
  let isWhole: boolean;
  try {
    isWhole = await takeIn(look, run);
  } catch (error) {
    if (!isOfSlice(error)) throw error;
    const { feed, slice } = look;
    const reason = describeFailure(error);
    run.ports.telemetry.report({
      outcome: 'slice.failed',
      connection: run.lease.connection,
      feed,
      slice,
      reason,
    });
    noteReason(run, 'slice_failed', look);
    noteFailing(look, 'slice_failed', run);
    return;
  }
  noteLook(look, isWhole, run);
}

const CODES_OF_SLICE: readonly string[] = ['store_item_unreadable', 'store_transaction_too_large'];

function isOfSlice(error: unknown): boolean {
  if (error instanceof NotifierError) return CODES_OF_SLICE.includes(error.code);
  return error instanceof TypeError || error instanceof RangeError;
}

function noteLook(look: Look, isWhole: boolean, run: PollRun): void {
  const { memory } = run;
  const name = nameSlice(look);
  memory.counts.slices += 1;
  if (isWhole) {
    const { [name]: _, ...failing } = memory.state.failing;
    memory.state = {
      ...memory.state,
      failing,
      lookedAt: { ...memory.state.lookedAt, [name]: look.startedAt },
    };
    return;
  }
  const problem = look.problem ?? 'absences_unknown';
  noteReason(run, problem, look);
  noteFailing(look, problem, run);
}

function noteFailure({ feed, range }: PlannedRequest, error: SourceError, run: PollRun): void {
  const { memory } = run;
  memory.failuresInRow += 1;
  memory.lastFailure = error;
  const isOfSource = error.code === 'source_unauthorised' || error.code === 'source_throttled';
  for (const slice of range === null ? [WHOLE_LIST] : listDates(range)) {
    noteReason(run, error.code, { feed, slice });
    // What the credential may not read keeps its own time (rule 13).
    if (!isOfSource) noteFailing({ feed, slice }, error.code, run);
  }
  if (isOfSource || memory.failuresInRow >= SILENT_AFTER) memory.ended = error;
}

/** A slice that failed has its own backoff; one that moved while it was read is read again soon. */
function noteFailing(key: SliceKey, code: LookReason, run: PollRun): void {
  const { memory, ports } = run;
  const now = ports.clock.now();
  const name = nameSlice(key);
  const before = memory.state.failing[name];
  const attempts = (before?.attempts ?? 0) + 1;
  const isMoving = code === 'drifted' || code === 'no_time';
  // The list itself came: what of it could not be found out is asked again with it.
  const tries = code === 'absences_unknown' ? 1 : attempts;
  const waitMs = isMoving ? WAITS.movingSlice.firstMs : findBackoff(key, tries, run);
  const failing = { since: before?.since ?? now, attempts, nextAt: now + waitMs, code };
  memory.state = { ...memory.state, failing: { ...memory.state.failing, [name]: failing } };
}

/** Some cadences at most: what changes often is tried often. */
const MAX_BACKOFF_CADENCES = 5;

function findBackoff(key: SliceKey, attempts: number, run: PollRun): number {
  const cadence = findCadence(key, run.memory.heads.get(nameSlice(key)), toPlanInput(run));
  return Math.min(
    computeBackoff(attempts, WAITS.unreadableSlice),
    MAX_BACKOFF_CADENCES * CADENCE_MS[cadence],
  );
}
