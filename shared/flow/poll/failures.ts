import type { DateRange } from '../../core/dates.ts';
import type { SourceError } from '../../core/errors.ts';
import { ABANDONED_WALK, type WalkEnd } from '../../core/pages.ts';
import type { Run } from '../run.ts';

/**
 * Whether what failed is the fault of its dates, or of the source as a whole. A poll in which nothing was answered
 * says nothing about single dates. When the last thing was a failure, a date that was read before is asked for once
 * more: if it fails as well, the source or the credential went away in between.
 */
export async function judgeFailures(run: Run): Promise<void> {
  const { tally } = run;
  const { lastFailure } = tally;
  if (lastFailure === null || tally.refused) return;
  if (tally.sourceAnswered === true && tally.failures === 0) return;
  const error = tally.sourceAnswered === true ? await askAgain(run) : lastFailure;
  if (error === null) return;
  tally.failed.clear();
  // Nothing is held against dates that were asked for in vain.
  for (const slice of tally.tried) if (!tally.listed.has(slice)) tally.tried.delete(slice);
  tally.errorCode = error.code;
  tally.refused = error.refused;
}

/** The failure of a date that could be read a moment ago; null when it can still be read, or there is none. */
async function askAgain(run: Run): Promise<SourceError | null> {
  const [known] = run.tally.listed;
  if (known === undefined) return null;
  const end = await firstPage({ from: known, to: known }, run);
  return end?.error ?? null;
}

/** How a walk ended that was to give its first page alone; null when that came. */
async function firstPage(range: DateRange, { ports, feed }: Run): Promise<WalkEnd | null> {
  const pages = ports.source.pages(feed.feed, range);
  const next = await pages.next();
  if (next.done === true) return next.value;
  await pages.return(ABANDONED_WALK);
  return null;
}
