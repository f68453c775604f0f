import { SourceError } from '../../core/errors.ts';

/** Asked for when the source does not accept the configured size: what most services take. */
const FALLBACK_PAGE_SIZE = 200;

/** The page size a source accepts, found out once and kept. */
export interface PageSizes {
  /**
   * Fetches a first page with the size that worked last, and with smaller ones, at last with none, when the source
   * does not accept the size or its answer is too long to be read. Throws what the first try threw when none helps.
   */
  settle<T>(fetchFirst: (size: number | undefined) => Promise<T>): Promise<T>;
}

export function createPageSizes(configured: number): PageSizes {
  let sizes: readonly (number | undefined)[] =
    configured > FALLBACK_PAGE_SIZE ? [configured, FALLBACK_PAGE_SIZE, undefined] : [configured, undefined];
  return {
    async settle(fetchFirst) {
      let refusal: unknown = null;
      const candidates = sizes;
      for (const [index, size] of candidates.entries()) {
        try {
          const page = await fetchFirst(size);
          // Another walk may have come further down meanwhile; a refusal of other reasons changes nothing.
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

/** 400 or 422, which may be about any parameter, or an answer with more bytes than are read. */
function isAboutSize(error: unknown): boolean {
  if (!(error instanceof SourceError)) return false;
  return error.code === 'source_bad_request' || (error.code === 'source_bad_response' && !error.retryable);
}
