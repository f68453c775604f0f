import { SourceError } from '../errors.ts';
import { isNothing } from '../records/values.ts';
import { createPageSupply, type NumberPages } from './page-supply.ts';

/** docs/source-api.md, Paging. */
export interface Pagination {
  readonly page: number;
  readonly pageSize: number;
  readonly totalPages: number;
  readonly totalRecords: number;
  /** Path of the next page, empty on the last one. */
  readonly nextPage: string;
}

/** One page as received, with unchecked records. Instants in milliseconds since 1970. */
export interface Page {
  readonly records: readonly unknown[];
  /** `null` for lists that come as a bare array. */
  readonly pagination: Pagination | null;
  readonly requestedAt: number;
  readonly receivedAt: number;
}

/** Why a walk over pages is incomplete. */
type WalkProblem =
  | 'source_error' // a request failed; `error` says how
  | 'drifted' // totalRecords changed during the walk, or the distinct ids do not add up to it
  | 'page_loop' // a page pointed to one that was read before, or many more pages came than were announced
  | 'abandoned' // the reader stopped early: it had seen enough, or no time was left
  | 'source_changed_form' // so many records are invalid that the source must have changed its form
  | 'wrong_page'; // the page number is not the requested one

/** How a walk over pages ended. */
export interface WalkEnd {
  readonly complete: boolean;
  readonly problem: WalkProblem | null;
  readonly error: SourceError | null;
  readonly pagesReceived: number;
}

/** The end of a walk whose reader stopped early. */
export const ABANDONED_WALK: WalkEnd = {
  complete: false,
  problem: 'abandoned',
  error: null,
  pagesReceived: 0,
};

/** Pages beyond the announced `totalPages` before it counts as a loop: a list may grow while it is read. */
const EXTRA_PAGES = 3;

/** Fetches the first page (`null`) or the one a `nextPage` path names. Throws `SourceError`. */
export type FetchPage = (nextPage: string | null) => Promise<Page>;

interface Walk {
  readonly ids: Set<string>;
  readonly paths: Set<string>;
  pagesReceived: number;
  unidentified: number;
  /** Copies of a record on the page that has it already. */
  copies: number;
  /** As the last page announced it. */
  totalRecords: number | null;
  drifted: boolean;
  maxPages: number;
}

/**
 * Walks the pages of a list (rule 7): follows `nextPage` for at most `totalPages` plus a small bound, never in a loop,
 * and compares `totalRecords` of every page, and at the end the number of distinct ids. Yields every page that came,
 * also of a walk that ends incomplete: its records are true, only absences prove nothing.
 *
 * With `numberPages`, the pages that page 1 announces are requested ahead by number, as `createPageSupply` says. They
 * are taken in order and judged by the same rules.
 */
export async function* walkPages(
  fetchPage: FetchPage,
  numberPages?: NumberPages<Page>,
): AsyncGenerator<Page, WalkEnd> {
  const walk = startWalk();
  const supply = createPageSupply(fetchPage, numberPages);
  let next: string | null = null;
  try {
    for (;;) {
      let page: Page;
      try {
        page = await supply.take(next);
      } catch (error) {
        if (!(error instanceof SourceError)) throw error;
        // The pages so far still count; the end says that the walk is incomplete.
        return endWalk(walk, 'source_error', error);
      }
      countPage(walk, page);
      yield page;
      const { problem, nextPage } = decideNextPage(walk, page);
      if (nextPage === null) return endWalk(walk, problem);
      next = nextPage;
    }
  } finally {
    supply.stop();
  }
}

function startWalk(): Walk {
  return {
    ids: new Set(),
    paths: new Set(),
    pagesReceived: 0,
    unidentified: 0,
    copies: 0,
    totalRecords: null,
    drifted: false,
    maxPages: 1,
  };
}

/** Where the walk continues after a page; `nextPage` is `null` when it is over. */
function decideNextPage(
  walk: Walk,
  { pagination }: Page,
): { readonly problem: WalkProblem | null; readonly nextPage: string | null } {
  if (pagination !== null && pagination.page !== walk.pagesReceived)
    return { problem: 'wrong_page', nextPage: null };
  const nextPage = pagination?.nextPage ?? '';
  if (nextPage === '') return { problem: findShortfall(walk), nextPage: null };
  if (walk.paths.has(nextPage) || walk.pagesReceived >= walk.maxPages + EXTRA_PAGES)
    return { problem: 'page_loop', nextPage: null };
  walk.paths.add(nextPage);
  return { problem: null, nextPage };
}

function countPage(walk: Walk, page: Page): void {
  walk.pagesReceived += 1;
  const ids = page.records.map(idOf).filter((id) => id !== null);
  const own = new Set(ids);
  for (const id of own) walk.ids.add(id);
  walk.unidentified += page.records.length - ids.length;
  walk.copies += ids.length - own.size;
  if (page.pagination === null) return;
  const { totalRecords, totalPages } = page.pagination;
  // A drifted walk continues: what it reads is true, and a busy list may change during every walk.
  if (walk.totalRecords !== null && walk.totalRecords !== totalRecords) walk.drifted = true;
  walk.totalRecords = totalRecords;
  walk.maxPages = Math.max(walk.maxPages, totalPages);
}

/**
 * A record without a usable id cannot be distinguished from another, but counts towards the announced total. A record
 * that stands twice on one page is no drift; whether the total counts both is not known.
 */
function findShortfall(walk: Walk): WalkProblem | null {
  if (walk.drifted) return 'drifted';
  if (walk.totalRecords === null) return null;
  const missing = walk.totalRecords - walk.ids.size - walk.unidentified;
  return 0 <= missing && missing <= walk.copies ? null : 'drifted';
}

function endWalk(
  { pagesReceived }: Walk,
  problem: WalkProblem | null,
  error: SourceError | null = null,
): WalkEnd {
  return { complete: problem === null, problem, error, pagesReceived };
}

/** The id of an unchecked record; `null` when it has none, one of zeros, or one of more than 100 characters. */
export function idOf(record: unknown): string | null {
  if (typeof record !== 'object' || record === null || !Object.hasOwn(record, 'id')) return null;
  const { id } = record as { id: unknown };
  return typeof id === 'string' && id.length <= 100 && !isNothing(id) ? id : null;
}
