import { SourceError } from '../../core/errors.ts';

/** Requested if the source does not accept the configured size; most services take it. */
const FALLBACK_PAGE_SIZE = 200;

/** Finds the page size that a source accepts, and keeps it. */
export interface PageSizes {
  /**
   * Fetches a first page with the size that worked last. If the source does not accept it, or the answer is too long to
   * be read, tries smaller ones, and at last none. Throws what the first try threw if no size helps.
   */
  learn<T>(fetchFirst: (size: number | undefined) => Promise<T>): Promise<T>;
}

export function createPageSizes(configured: number): PageSizes {
  let sizes: readonly (number | undefined)[] =
    configured > FALLBACK_PAGE_SIZE ? [configured, FALLBACK_PAGE_SIZE, undefined] : [configured, undefined];
  return {
    async learn(fetchFirst) {
      let refusal: unknown = null;
      const candidates = sizes;
      for (const [index, size] of candidates.entries()) {
        try {
          const page = await fetchFirst(size);
          // Unless another walk has settled a size meanwhile.
          if (index > 0 && sizes === candidates) sizes = candidates.slice(index);
          return page;
        } catch (error) {
          refusal ??= error;
          if (!isAboutSize(error)) throw error;
        }
      }
      throw refusal;
    },
  };
}

/** 400 or 422, which may mean any parameter, or an answer that is too large to be read. */
function isAboutSize(error: unknown): boolean {
  if (!(error instanceof SourceError)) return false;
  return error.code === 'source_bad_request' || error.code === 'source_too_large';
}
