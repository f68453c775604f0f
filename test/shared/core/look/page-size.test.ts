import { expect, test } from 'vitest';
import { SOURCE_ERROR_CODES, SourceError } from '#shared/core/errors.ts';
import { findSmallerSize } from '#shared/core/look/page-size.ts';

const MAY_BE_ABOUT_SIZE = ['source_bad_request', 'source_failed', 'source_unreachable', 'source_too_large'];

test.each(SOURCE_ERROR_CODES)('after %s', (code) => {
  const error = new SourceError(code, 'failed');
  const next = [1_000, 201, 200, 50, null].map((size) => findSmallerSize(size, error));

  expect(next).toEqual(
    MAY_BE_ABOUT_SIZE.includes(code) ? [200, 200, null, null, undefined] : Array(5).fill(undefined),
  );
});
