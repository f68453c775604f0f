import type { DateRange } from '#shared/core/dates.ts';
import { ABANDONED_WALK, type WalkEnd } from '#shared/core/fetch/pages.ts';
import type { PollProgress } from '#shared/core/outcome/poll-progress.ts';
import type { DiagnosisOutcome } from '#shared/core/outcome/stage-outcome.ts';
import type { Agenda } from '#shared/core/plan/agenda.ts';
import { hasTimeLeft, type PollRun } from './poll-run.ts';

/**
 * Whether what failed is the fault of its dates, or of the source as a whole. When the last thing was a failure, a date
 * that was read before is fetched once more; when nothing was read at all, one that was not due. If that fails as
 * well, the source or the credential went away, and nothing is said about single dates. Null: there was nothing to
 * find out.
 */
export async function diagnoseFailures(
  agenda: Agenda,
  progress: PollProgress,
  run: PollRun,
): Promise<DiagnosisOutcome | null> {
  const { lastFailure, credentialRejected, fetchedWhole, failures } = progress;
  if (lastFailure === null || credentialRejected || (fetchedWhole.size > 0 && failures === 0)) return null;
  const known = findReadableDate(agenda, progress, run);
  if (known === undefined) return { stage: 'diagnosis', outcome: 'source_failed', error: lastFailure };
  const end = await fetchFirstPage({ from: known, to: known }, run);
  return end === null || end.error === null
    ? { stage: 'diagnosis', outcome: 'readable', slice: known }
    : { stage: 'diagnosis', outcome: 'source_failed', error: end.error };
}

/**
 * A date that could be read in this poll and did not fail since, or that was read in an earlier one, as far as there is
 * time to fetch it. After each poll in which nothing came it is another one: some date that fails must not speak for
 * all others for ever.
 */
function findReadableDate(
  { window }: Agenda,
  { fetchedWhole, readableDate, failed, attempted }: PollProgress,
  run: PollRun,
): string | undefined {
  const { heads, state } = run;
  const read = readableDate === null ? [...fetchedWhole] : [...fetchedWhole, readableDate];
  const known = read.find((date) => !failed.has(date));
  if (known !== undefined || !hasTimeLeft(run)) return known;
  const others = window.filter((date) => !failed.has(date) && state.failing[date] === undefined);
  const rank = (date: string) =>
    (attempted.has(date) ? 2 : 0) + (heads.get(date)?.baselinedAt == null ? 1 : 0);
  const candidates = others.toSorted((a, b) => rank(a) - rank(b));
  return candidates[state.failedPolls % candidates.length];
}

/** How a walk ended that was to give its first page alone; null when that came. */
async function fetchFirstPage(range: DateRange, { ports, feed }: PollRun): Promise<WalkEnd | null> {
  const pages = ports.source.pages(feed.feed, range);
  const next = await pages.next();
  if (next.done === true) return next.value;
  await pages.return(ABANDONED_WALK);
  return null;
}
