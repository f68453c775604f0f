/** What a supply needs of a page. */
interface Paged {
  readonly pagination: {
    readonly page: number;
    readonly totalPages: number;
    /** Path of the next page, empty on the last one. */
    readonly nextPage: string;
  } | null;
}

/** Pages that are requested or held ahead of the next one: each is a whole answer in memory. */
const MAX_PAGES_AHEAD = 8;

/**
 * Fetches a page by its number, from 2 on. Throws `SourceError`. Once the signal is aborted, the page is not awaited
 * and no request for it may start.
 */
type FetchNumbered<Page> = (page: number, signal: AbortSignal) => Promise<Page>;

/** From the `nextPage` of page 1, how to fetch pages by number; `null` when the list can only be followed. */
export type NumberPages<Page> = (nextPage: string) => FetchNumbered<Page> | null;

/** The pages of one walk, in their order. */
export interface PageSupply<Page> {
  /** The next page. `nextPage`: from the page before, `null` for the first. Throws what fetching it threw. */
  take(nextPage: string | null): Promise<Page>;
  /** Ends the walk: no further request starts, and answers that still come are dropped. */
  stop(): void;
}

/**
 * Follows `nextPage` page by page. With `numberPages`, the pages that page 1 announces are requested ahead by number
 * once the second page is taken. Pages beyond the announced ones are followed again, and so is everything after an
 * answer that is not the requested page.
 */
export function createPageSupply<Page extends Paged>(
  fetchPage: (nextPage: string | null) => Promise<Page>,
  numberPages?: NumberPages<Page>,
): PageSupply<Page> {
  let taken = 0;
  let ahead: PagesAhead<Page> | null = null;

  const takeNumbered = async (): Promise<Page | null> => {
    const page = (await ahead?.take()) ?? null;
    if (page?.pagination?.page === taken + 1) return page;
    ahead?.stop();
    ahead = null;
    return null;
  };

  const takeInTurn = async (nextPage: string | null): Promise<Page> => {
    const page = await fetchPage(nextPage);
    if (nextPage === null) ahead = startAhead(page, numberPages);
    return page;
  };

  return {
    async take(nextPage) {
      const page = (await takeNumbered()) ?? (await takeInTurn(nextPage));
      taken += 1;
      return page;
    },
    stop: () => ahead?.stop(),
  };
}

interface PagesAhead<Page> {
  /** The next page by number, `null` after the last one announced. */
  take(): Promise<Page | null>;
  stop(): void;
}

type Fetched<Page> = { readonly page: Page } | { readonly error: unknown };

function startAhead<Page extends Paged>(
  { pagination }: Page,
  numberPages: NumberPages<Page> | undefined,
): PagesAhead<Page> | null {
  if (pagination === null || pagination.nextPage === '') return null;
  const fetchNumbered = numberPages?.(pagination.nextPage) ?? null;
  if (fetchNumbered === null) return null;
  const abort = new AbortController();
  const coming: Promise<Fetched<Page>>[] = [];
  let last = 1;
  const requestMore = (): void => {
    while (last < pagination.totalPages && coming.length < MAX_PAGES_AHEAD) {
      last += 1;
      // Settled here, so that the failure of a page that is never taken is no unhandled rejection.
      const settled = fetchNumbered(last, abort.signal).then(
        (page) => ({ page }),
        (error: unknown) => ({ error }),
      );
      coming.push(settled);
    }
  };
  return {
    async take() {
      requestMore();
      const fetched = await coming[0];
      if (fetched === undefined) return null;
      void coming.shift();
      if ('error' in fetched) throw fetched.error;
      return fetched.page;
    },
    stop: () => abort.abort(),
  };
}
