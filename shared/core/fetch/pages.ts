import { SourceError } from '../errors.ts';
import { createPageSupply, type NumberPages } from './page-supply.ts';

/** Section 2.2 of the specification. */
export interface Pagination {
  readonly page: number;
  readonly pageSize: number;
  readonly totalPages: number;
  readonly totalRecords: number;
  /** Path of the next page, empty on the last one. */
  readonly nextPage: string;
}

/** One page as it came: records unchecked, and when it was asked for and received (ms since 1970). */
export interface Page {
  readonly records: readonly unknown[];
  /** `null` for feeds that answer with a bare array. */
  readonly pagination: Pagination | null;
  readonly requestedAt: number;
  readonly receivedAt: number;
}

/** Why a walk over pages did not see everything. */
type WalkProblem =
  | 'source_error' // a request failed; `error` says how
  | 'drifted' // totalRecords changed while we read, or distinct ids do not add up to it
  | 'page_loop' // a page pointed to one that was already read, or more pages came than were announced
  | 'abandoned' // who read it had seen enough, or had no more time
  | 'source_changed_form' // so many records cannot be read that the source must have changed its form
  | 'wrong_page'; // the page number, or the end of the pages, contradicts what was announced

/** How a walk over pages ended, with what is needed to judge it (design, section 3: the receipt). */
export interface WalkEnd {
  readonly complete: boolean;
  readonly problem: WalkProblem | null;
  readonly error: SourceError | null;
  readonly pagesAsked: number;
  readonly pagesReceived: number;
  readonly totalRecordsAtStart: number | null;
  readonly totalRecordsAtEnd: number | null;
  readonly distinctIds: number;
  readonly duplicates: number;
}

/** The end of a walk that was given up by who read it. */
export const ABANDONED_WALK: WalkEnd = {
  complete: false,
  problem: 'abandoned',
  error: null,
  pagesAsked: 0,
  pagesReceived: 0,
  totalRecordsAtStart: null,
  totalRecordsAtEnd: null,
  distinctIds: 0,
  duplicates: 0,
};

/** Pages beyond the announced `totalPages` that are followed before it counts as a loop: lists grow while we read. */
const EXTRA_PAGES = 3;

/** Fetches the first page (`null`) or the one a `nextPage` path names. Throws `SourceError`. */
export type FetchPage = (nextPage: string | null) => Promise<Page>;

interface Walk {
  readonly ids: Set<string>;
  readonly paths: Set<string>;
  pagesReceived: number;
  records: number;
  unidentified: number;
  totalRecordsAtStart: number | null;
  totalRecordsAtEnd: number | null;
  drifted: boolean;
  maxPages: number;
}

/**
 * Walks the pages of a list (rule 7): follows `nextPage` at most `totalPages` plus a small bound, never in a loop,
 * and compares `totalRecords` of every page and at the end the number of distinct ids. Yields every page that came,
 * also of a walk that ends incomplete: their states are true, only absences prove nothing.
 *
 * With `numberPages`, the pages that page 1 announces are asked for ahead by their numbers as soon as the second one
 * is wanted, at most 8 of them at a time. They are taken in their order and judged by the same rules. Pages beyond
 * the announced ones are followed in turn, and so is a list that answers with other pages than were asked for.
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
        // What was seen until here still counts; the end says that it is not all.
        return endWalk(walk, 'source_error', { error, pagesAsked: supply.asked() });
      }
      countPage(walk, page);
      yield page;
      const { problem, nextPage } = decideNextPage(walk, page);
      if (nextPage === null) return endWalk(walk, problem, { error: null, pagesAsked: supply.asked() });
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
    records: 0,
    unidentified: 0,
    totalRecordsAtStart: null,
    totalRecordsAtEnd: null,
    drifted: false,
    maxPages: 1,
  };
}

/** Where the walk goes after a page that was taken in; `null` when it is over, with what is wrong with it. */
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
  walk.records += page.records.length;
  for (const record of page.records) {
    const id = idOf(record);
    if (id === null) walk.unidentified += 1;
    else walk.ids.add(id);
  }
  if (page.pagination === null) return;
  const { totalRecords, totalPages } = page.pagination;
  // A drifted walk goes on: what it sees is true, and a busy source may never hold still for a whole walk.
  if (walk.totalRecordsAtEnd !== null && walk.totalRecordsAtEnd !== totalRecords) walk.drifted = true;
  walk.totalRecordsAtStart ??= totalRecords;
  walk.totalRecordsAtEnd = totalRecords;
  walk.maxPages = Math.max(walk.maxPages, totalPages);
}

/** A record without a usable id cannot be told from another, but it is one of the announced total. */
function findShortfall(walk: Walk): WalkProblem | null {
  if (walk.drifted) return 'drifted';
  if (walk.totalRecordsAtEnd === null) return null;
  return walk.ids.size + walk.unidentified === walk.totalRecordsAtEnd ? null : 'drifted';
}

function endWalk(
  walk: Walk,
  problem: WalkProblem | null,
  requests: Pick<WalkEnd, 'error' | 'pagesAsked'>,
): WalkEnd {
  return {
    complete: problem === null,
    problem,
    ...requests,
    pagesReceived: walk.pagesReceived,
    totalRecordsAtStart: walk.totalRecordsAtStart,
    totalRecordsAtEnd: walk.totalRecordsAtEnd,
    distinctIds: walk.ids.size,
    duplicates: walk.records - walk.unidentified - walk.ids.size,
  };
}

/** The id of a record as the source gave it, or `null` when it has none that can be used. */
export function idOf(record: unknown): string | null {
  if (typeof record !== 'object' || record === null || !Object.hasOwn(record, 'id')) return null;
  const { id } = record as { id: unknown };
  return typeof id === 'string' && id !== '' && id.length <= 100 ? id : null;
}
