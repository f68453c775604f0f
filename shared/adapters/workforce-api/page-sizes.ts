import { isMisdated } from '#shared/core/clock-tolerance.ts';
import { SourceError } from '#shared/core/errors.ts';
import type { LearnedPace } from '#shared/core/snapshot/learned-state.ts';

/** Requested if a source does not take the configured size; most services take it. */
const FALLBACK_PAGE_SIZE = 200;
/** A size that was too large is tried again after this: sources are mended, and bounds raised. */
const TOO_LARGE_KEPT_MS = 3 * 24 * 3_600_000;

/** The size of a service is undefined: none is requested. */
type PageSize = number | undefined;
type FetchFirst<T> = (size: PageSize) => Promise<T>;

/** Finds the page size that a source takes, and keeps it. */
export interface PageSizes {
  /**
   * Fetches a first page with the configured size, unless that is known to be too large. If the source refuses it, fails
   * at it, or sends more than can be read, tries smaller ones, and at last none. Throws what the last try threw, or the
   * first if the last got no answer.
   */
  learn<T>(fetchFirst: FetchFirst<T>): Promise<T>;
  /** For later polls. */
  readonly tooLarge: LearnedPace['tooLarge'];
  /** Continues with what another poll found out. */
  resume(known: LearnedPace['tooLarge']): void;
}

export function createPageSizes(configured: number, now: () => number): PageSizes {
  const sizes: readonly PageSize[] =
    configured > FALLBACK_PAGE_SIZE ? [configured, FALLBACK_PAGE_SIZE, undefined] : [configured, undefined];
  let tooLarge: LearnedPace['tooLarge'];
  /** No size helped in this poll: the source fails, whatever is requested. */
  let isDown = false;
  const isTooLarge = (size: PageSize) =>
    size !== undefined && tooLarge !== undefined && size >= tooLarge.pageSize;

  /**
   * `page` is of a smaller size than the one that failed. That may have been an outage that is over, so the larger page is
   * asked for once more: if it comes it is taken, and nothing was learned.
   */
  const settle = async <T>(page: T, larger: PageSize, fetchFirst: FetchFirst<T>): Promise<T> => {
    if (larger === undefined || isTooLarge(larger)) return page;
    const again = await tryTo(() => fetchFirst(larger));
    if ('page' in again) return again.page;
    if (isAboutSize(again.error)) tooLarge = { pageSize: larger, at: now() };
    return page;
  };

  return {
    async learn(fetchFirst) {
      const errors: SourceError[] = [];
      const candidates = sizes.filter((size) => !isTooLarge(size));
      for (const [index, size] of candidates.entries()) {
        const tried = await tryTo(() => fetchFirst(size));
        if ('page' in tried) return await settle(tried.page, candidates[index - 1], fetchFirst);
        errors.push(tried.error);
        if (!isAboutSize(tried.error) || (isDown && isFailure(tried.error))) break;
      }
      const [first, last] = [errors.at(0), errors.at(-1)];
      isDown ||= last !== undefined && isFailure(last);
      // What has no status got no answer, maybe for want of time.
      throw last?.status === null ? first : last;
    },
    get tooLarge() {
      return tooLarge;
    },
    resume(known) {
      if (known === undefined || isMisdated(known.at, now())) return;
      if (now() - known.at < TOO_LARGE_KEPT_MS) tooLarge = known;
    },
  };
}

/** A page, or what the source did instead. */
async function tryTo<T>(fetch: () => Promise<T>): Promise<{ page: T } | { error: SourceError }> {
  try {
    return { page: await fetch() };
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    return { error };
  }
}

/**
 * 400, 413 or 422, which may mean any parameter; an answer that is too large to be read; or what becomes of a service that
 * has neither the time nor the memory for a large page.
 */
function isAboutSize(error: SourceError): boolean {
  return error.code === 'source_bad_request' || error.code === 'source_too_large' || isFailure(error);
}

/** What an outage looks like as well. */
function isFailure({ code }: SourceError): boolean {
  return code === 'source_failed' || code === 'source_unreachable';
}
