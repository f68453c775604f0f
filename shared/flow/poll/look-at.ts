import { SourceError } from '#shared/core/errors.ts';
import { type Look, Looking } from '#shared/core/look/look.ts';
import { findSmallerSize } from '#shared/core/look/page-size.ts';
import type { PlannedRequest } from '#shared/core/plan/plan.ts';
import { keepLease } from './lease.ts';
import type { Page } from './ports.ts';
import { hasTimeLeft, type PollRun } from './run.ts';

/** Pages of one slice that are asked for side by side. */
const PAGES_AT_ONCE = 4;
/** Pages beyond the announced ones before it counts as a loop: a list may grow while it is read. */
const EXTRA_PAGES = 3;
/** The configured size is tried again so long after a smaller one was needed. */
const SMALL_PAGES_MS = 24 * 3_600_000;

/**
 * Looks at the slices of a request. Null where its dates do not fit on a page: each is looked at alone, since a date is all
 * that is held in memory (rule 15). Throws `SourceError` when not even the first page came, and `LeaseLost`.
 */
export async function lookAt(request: PlannedRequest, run: PollRun): Promise<readonly Look[] | null> {
  const { timeZone } = run.connection;
  const { page: first, size } = await readFirstPage(request, run);
  if (isOfSeveralDates(request) && first.totalPages > 1) return null;
  const looking = new Looking(request.feed, request.range, { timeZone, startedAt: first.requestedAt });
  looking.take(first);
  let receivedAt = first.receivedAt;
  let announced = first.totalPages;
  for (let next = 2; next <= announced; next += PAGES_AT_ONCE) {
    const problem =
      announced > first.totalPages + EXTRA_PAGES ? 'page_loop' : hasTimeLeft(run) ? null : 'no_time';
    if (problem !== null) {
      looking.fail(problem);
      break;
    }
    const count = Math.min(PAGES_AT_ONCE, announced - next + 1);
    const numbers = Array.from({ length: count }, (_, place) => next + place);
    const { pages, error } = await readPages(numbers, { ...request, size }, run);
    for (const page of pages) looking.take(page);
    receivedAt = Math.max(receivedAt, ...pages.map((page) => page.receivedAt));
    announced = Math.max(announced, ...pages.map(({ totalPages }) => totalPages));
    if (error !== null) {
      looking.fail(error.code);
      break;
    }
  }
  run.memory.counts.records += looking.records;
  return looking.end(receivedAt);
}

function isOfSeveralDates({ range }: PlannedRequest): boolean {
  return range !== null && range.from !== range.to;
}

interface SizedRequest extends PlannedRequest {
  readonly size: number | null;
}

/** Asks for a smaller page where the source refuses the size, or fails at it, and remembers that it takes it. */
async function readFirstPage(
  request: PlannedRequest,
  run: PollRun,
): Promise<{ page: Page; size: number | null }> {
  const { memory, ports } = run;
  const asked = pageSizeOf(run);
  let firstError: SourceError | null = null;
  for (let size: number | null | undefined = asked; size !== undefined; ) {
    const { pages, error } = await readPages([1], { ...request, size }, run);
    const [page] = pages;
    if (page !== undefined) {
      if (size !== asked) memory.state = { ...memory.state, smallPages: { size, since: ports.clock.now() } };
      return { page, size };
    }
    firstError ??= error;
    size = error === null || request.range === null ? undefined : findSmallerSize(size, error);
  }
  throw firstError ?? new Error('no page and no error');
}

/** Records on a page, as the source takes them. */
export function pageSizeOf({ memory, connection, ports }: PollRun): number | null {
  const { smallPages } = memory.state;
  const isKnown = smallPages !== null && ports.clock.now() - smallPages.since < SMALL_PAGES_MS;
  return isKnown ? smallPages.size : connection.requests.pageSize;
}

/** Pages side by side, in their order, and the first error among them. */
async function readPages(
  numbers: readonly number[],
  request: SizedRequest,
  run: PollRun,
): Promise<{ readonly pages: readonly Page[]; readonly error: SourceError | null }> {
  await keepLease(run);
  const answers = await Promise.all(
    numbers.map((page) =>
      run.ports.source.page({ ...request, page }).catch((error: unknown) => {
        if (error instanceof SourceError) return error;
        throw error;
      }),
    ),
  );
  const error = answers.find((answer) => answer instanceof SourceError) ?? null;
  return { pages: answers.filter((answer): answer is Page => !(answer instanceof SourceError)), error };
}
