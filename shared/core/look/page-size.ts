import type { SourceError, SourceErrorCode } from '../errors.ts';

/** Most services take it. */
const USUAL_PAGE_SIZE = 200;

/**
 * 400, 413 or 422, which may mean any parameter; an answer that is too large to be read; or what becomes of a service that
 * has neither the time nor the memory for a large page.
 */
const MAY_BE_ABOUT_SIZE: readonly SourceErrorCode[] = [
  'source_bad_request',
  'source_too_large',
  'source_failed',
  'source_unreachable',
];

/**
 * Records on a page to ask for after a failure (docs/source-api.md, Not specified): 200 after a larger size, then null,
 * which leaves it to the service. Undefined when no smaller one can help.
 */
export function findSmallerSize(
  asked: number | null,
  { code }: Pick<SourceError, 'code'>,
): number | null | undefined {
  if (asked === null || !MAY_BE_ABOUT_SIZE.includes(code)) return undefined;
  return asked > USUAL_PAGE_SIZE ? USUAL_PAGE_SIZE : null;
}
