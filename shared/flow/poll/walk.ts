import { ABANDONED_WALK, type Page, type WalkEnd } from '#shared/core/fetch/pages.ts';
import { beginScan, endScan, takePage } from '#shared/core/fetch/scan.ts';
import type { WalkResult } from '#shared/core/outcome/judge-walk.ts';
import { cutPart } from '#shared/core/plan/parts.ts';
import type { Assignment } from '#shared/core/plan/work-list.ts';
import { hasTimeLeft, type PollRun } from './poll-run.ts';

/** Walks the pages of a part, to their end or until the time for fetching is over (rules 7, 12 and 15). */
export async function walkPart({ part, maxRecords }: Assignment, run: PollRun): Promise<WalkResult> {
  const asOf = new Map(run.heads);
  const scan = beginScan(run.definition, part.slices, run.absences);
  const pages = run.ports.source.pages(run.feed.feed, part.range);
  const startedAt = run.ports.clock.now();
  const expectedPages = Math.max(1, Math.ceil(part.expectedRecords / run.pace.cost.size));
  const measure = { isHot: part.isHot, startedAt, size: null as number | null, missing: expectedPages };
  run.pace.begin(startedAt);
  run.pace.expect(expectedPages);
  try {
    for (;;) {
      const next = await pages.next();
      if (next.done === true) {
        return { outcome: 'walked', scan: endScan(scan, next.value), asOf, startedAt };
      }
      run.pace.arrive(next.value.receivedAt);
      measure.size = fullPageSize(next.value) ?? measure.size;
      const missing = countPagesAfter(next.value);
      run.pace.expect(missing - measure.missing);
      measure.missing = missing;
      const isFirst = scan.startedAt === null;
      const totalRecords = next.value.pagination?.totalRecords ?? 0;
      if (isFirst && totalRecords > maxRecords && part.slices.length > 1) {
        await abandon(pages);
        return { outcome: 'too_large', pieces: cutPart(part, { totalRecords, maxRecords }) };
      }
      takePage(scan, next.value);
      if (!hasTimeLeft(run)) {
        return { outcome: 'walked', scan: endScan(scan, await abandon(pages)), asOf, startedAt };
      }
    }
  } finally {
    run.pace.end(run.ports.clock.now(), measure);
  }
}

/** Pages that follow one, as it says itself. */
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
