import { ABANDONED_WALK, type WalkEnd } from '#shared/core/fetch/pages.ts';
import type { DateRange } from '../../core/dates.ts';
import type { SourceError } from '../../core/errors.ts';
import type { Agenda } from '../../core/plan/agenda.ts';
import { hasTimeLeft, type PollRun } from './poll-run.ts';

/**
 * Whether what failed is the fault of its dates, or of the source as a whole. When the last thing was a failure, a date
 * that was read before is asked for once more; when nothing was read at all, one that was not due. If that fails as
 * well, the source or the credential went away, and nothing is said about single dates.
 */
export async function diagnoseFailures(agenda: Agenda, run: PollRun): Promise<void> {
  const { tally } = run;
  const { lastFailure } = tally;
  if (lastFailure === null || tally.refused) return;
  if (tally.listed.size > 0 && tally.failures === 0) return;
  const known = findReadableDate(agenda, run);
  const error = known === undefined ? lastFailure : await probeDate(known, run);
  if (error === null) return;
  tally.failed.clear();
  // Nothing is held against dates that were asked for in vain.
  for (const slice of tally.tried) if (!tally.listed.has(slice)) tally.tried.delete(slice);
  tally.reasons.add(error.message);
  tally.errorCode = error.code;
  tally.refused = error.refused;
}

/** A date that could be read in this poll, or in an earlier one, as far as there is time to ask for it. */
function findReadableDate({ window }: Agenda, run: PollRun): string | undefined {
  const { tally, heads, state } = run;
  const [listed] = tally.listed;
  if (listed !== undefined || !hasTimeLeft(run)) return listed;
  const others = window.filter((date) => !tally.failed.has(date) && state.failing[date] === undefined);
  const untried = others.filter((date) => !tally.tried.has(date));
  return untried.find((date) => heads.get(date)?.baselinedAt != null) ?? untried[0] ?? others[0];
}

/** The failure of a date that could be read before; null when it can still be read. */
async function probeDate(date: string, run: PollRun): Promise<SourceError | null> {
  const end = await fetchFirstPage({ from: date, to: date }, run);
  if (end !== null) return end.error;
  run.tally.sourceAnswered = true;
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
