import { ABANDONED_WALK, type WalkEnd } from '#shared/core/fetch/pages.ts';
import type { DateRange } from '../../core/dates.ts';
import type { SourceError } from '../../core/errors.ts';
import type { Agenda } from '../../core/plan/agenda.ts';
import { hasTimeLeft, type PollRun } from './poll-run.ts';

/**
 * Whether what failed is the fault of its dates, or of the source as a whole. When the last thing was a failure, a date
 * that was read before is asked for once more; when nothing was read at all, one that was not due. If that fails as
 * well, the source or the credential went away, and nothing is said about single dates.
 *
 * Answers with whether the source answers.
 */
export async function diagnoseFailures(agenda: Agenda, run: PollRun): Promise<boolean> {
  const { tally } = run;
  const { lastFailure } = tally;
  if (lastFailure === null || tally.refused) return !tally.refused;
  if (tally.listed.size > 0 && tally.failures === 0) return true;
  const known = findReadableDate(agenda, run);
  const error = known === undefined ? lastFailure : await probeDate(known, run);
  if (error === null) return true;
  tally.failed.clear();
  // Nothing is held against dates that were asked for in vain.
  for (const slice of tally.tried) if (!tally.listed.has(slice)) tally.tried.delete(slice);
  tally.reasons.add(error.message);
  tally.errorCode = error.code;
  tally.refused = error.refused;
  return false;
}

/**
 * A date that could be read in this poll, or in an earlier one, as far as there is time to ask for it. After each poll
 * in which nothing came it is another one: some date that fails must not speak for all others for ever.
 */
function findReadableDate({ window }: Agenda, run: PollRun): string | undefined {
  const { tally, heads, state } = run;
  const [listed] = tally.listed;
  const known = listed ?? tally.readable ?? undefined;
  if (known !== undefined || !hasTimeLeft(run)) return known;
  const others = window.filter((date) => !tally.failed.has(date) && state.failing[date] === undefined);
  const rank = (date: string) =>
    (tally.tried.has(date) ? 2 : 0) + (heads.get(date)?.baselinedAt == null ? 1 : 0);
  const candidates = others.toSorted((a, b) => rank(a) - rank(b));
  return candidates[state.failedPolls % candidates.length];
}

/** The failure of a date that could be read before; null when it can still be read. */
async function probeDate(date: string, run: PollRun): Promise<SourceError | null> {
  const end = await fetchFirstPage({ from: date, to: date }, run);
  if (end !== null) return end.error;
  run.tally.sourceAnswered = true;
  run.tally.readable = date;
  return null;
}

/** How a walk ended that was to give its first page alone; null when that came. */
async function fetchFirstPage(range: DateRange, { ports, feed }: PollRun): Promise<WalkEnd | null> {
  const pages = ports.source.pages(feed.feed, range);
  const next = await pages.next();
  if (next.done === true) return next.value;
  await pages.return(ABANDONED_WALK);
  return null;
}
