/** What a supply reads of a page. */
interface Paged {
  readonly pagination: {
    readonly page: number;
    readonly totalPages: number;
    /** Path of the next page, empty on the last one. */
    readonly nextPage: string;
  } | null;
}

/** Pages that are asked for or held at most before the one that is read next came: each is a whole answer in memory. */
const MAX_PAGES_AHEAD = 8;

/**
 * Fetches a page by its number, from 2 on. Throws `SourceError`. Once the signal is aborted nobody waits for the page
 * and no request may start for it.
 */
type FetchNumbered<Page> = (page: number, signal: AbortSignal) => Promise<Page>;

/** How pages are fetched by number when page 1 names its next page so; `null` when that list can only be followed. */
export type NumberPages<Page> = (nextPage: string) => FetchNumbered<Page> | null;

/** The pages of one walk, in their order. */
export interface PageSupply<Page> {
  /** The next page: `nextPage` is what the one before said, `null` for the first. Throws what fetching it threw. */
  take(nextPage: string | null): Promise<Page>;
  /** Pages asked for so far, those included that nobody will take. */
  asked(): number;
  /** The walk is over: no further request starts, and answers that still come are dropped. */
  stop(): void;
}

/**
 * Follows `nextPage` in turn. With `numberPages`, the pages that page 1 announces are asked for by their numbers from
 * the moment the second one is wanted; those beyond are followed in turn again, and so is everything from the first
 * answer on that is another page than was asked for.
 */
export function createPageSupply<Page extends Paged>(
  fetchPage: (nextPage: string | null) => Promise<Page>,
  numberPages?: NumberPages<Page>,
): PageSupply<Page> {
  let asked = 0;
  let taken = 0;
  let ahead: PagesAhead<Page> | null = null;
  const countAsked = () => {
    asked += 1;
  };

  const takeNumbered = async (): Promise<Page | null> => {
    const page = (await ahead?.take()) ?? null;
    const isAskedFor = page?.pagination?.page === taken + 1;
    if (isAskedFor) return page;
    ahead?.stop();
    ahead = null;
    return null;
  };

  const takeInTurn = async (nextPage: string | null): Promise<Page> => {
    countAsked();
    const page = await fetchPage(nextPage);
    if (nextPage === null) ahead = startAhead(page, { numberPages, countAsked });
    return page;
  };

  return {
    async take(nextPage) {
      const page = (await takeNumbered()) ?? (await takeInTurn(nextPage));
      taken += 1;
      return page;
    },
    asked: () => asked,
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
  options: { readonly numberPages: NumberPages<Page> | undefined; readonly countAsked: () => void },
): PagesAhead<Page> | null {
  if (pagination === null || pagination.nextPage === '') return null;
  const fetchNumbered = options.numberPages?.(pagination.nextPage) ?? null;
  if (fetchNumbered === null) return null;
  const abort = new AbortController();
  const coming: Promise<Fetched<Page>>[] = [];
  let last = 1;
  const requestMore = (): void => {
    while (last < pagination.totalPages && coming.length < MAX_PAGES_AHEAD) {
      last += 1;
      options.countAsked();
      // Settled here, so that a failure nobody comes to read is no unhandled rejection.
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
