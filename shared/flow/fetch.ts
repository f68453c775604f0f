import { ABANDONED_WALK, type Page, type WalkEnd } from '../core/pages.ts';
import { halvesOf, type PlanPart, SCAN_MOST_RECORDS } from '../core/plan.ts';
import { beginScan, isComplete, type Scan, takePage } from '../core/scan.ts';
import { hasTimeLeft, type Run } from './run.ts';

/** Pages of a walk that is worth repeating at once when the list moved under it. */
const REPEATABLE_PAGES = 20;

/**
 * Fetches the slices of a part, as one scan or as several smaller ones: a part that turns out to hold more than a
 * scan should is halved, and one whose list moved while it was read is tried again, in halves (rules 7 and 12).
 */
export async function* fetchScans(part: PlanPart, run: Run): AsyncGenerator<Scan, void> {
  const scan = await walk(part, run);
  if (scan === null) {
    for (const half of halvesOf(part)) yield* fetchScans(half, run);
    return;
  }
  if (isComplete(scan) || !isWorthRepeating(scan, run)) {
    yield scan;
    return;
  }
  for (const half of orWhole(part)) {
    const again = await walk(half, run);
    if (again !== null) yield again;
  }
}

function orWhole(part: PlanPart): PlanPart[] {
  const halves = halvesOf(part);
  return halves.length === 0 ? [part] : halves;
}

function isWorthRepeating({ end }: Scan, run: Run): boolean {
  return end?.problem === 'drifted' && end.pagesReceived <= REPEATABLE_PAGES && hasTimeLeft(run);
}

/** One walk over the pages; null when there is too much behind them and the part can be cut. */
async function walk(part: PlanPart, run: Run): Promise<Scan | null> {
  const scan = beginScan(run.definition, part.slices);
  const pages = run.ports.source.pages(run.feed.feed, part.range);
  const requestsBefore = run.ports.source.counts().requests;
  for (;;) {
    const next = await pages.next();
    if (next.done === true) {
      noteEnd(run, next.value);
      scan.end = next.value;
      return scan;
    }
    run.tally.sourceAnswered = true;
    const { pagination } = next.value;
    const tooMuch = pagination !== null && pagination.totalRecords > SCAN_MOST_RECORDS;
    if (tooMuch && part.slices.length > 1 && run.ports.source.counts().requests - requestsBefore <= 1) {
      await abandon(pages);
      return null;
    }
    takePage(scan, next.value);
    if (!hasTimeLeft(run)) {
      run.tally.reasons.add('the time for this poll is over; the next one goes on from here');
      scan.end = await abandon(pages);
      return scan;
    }
  }
}

function noteEnd(run: Run, end: WalkEnd): void {
  if (end.error === null) return;
  run.tally.sourceAnswered ??= false;
  run.tally.errorCode = end.error.code;
  if (end.error.refused) run.tally.refused = true;
}

async function abandon(pages: AsyncGenerator<Page, WalkEnd>): Promise<WalkEnd> {
  await pages.return(ABANDONED_WALK);
  return ABANDONED_WALK;
}
