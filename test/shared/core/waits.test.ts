import { expect, test } from 'vitest';
import { computeBackoff } from '#shared/core/waits.ts';

test('a wait doubles with every try, up to its bound', () => {
  const waits = [1, 2, 3, 4, 5, 6, 2_000].map((tries) => computeBackoff(tries, { firstMs: 3, maxMs: 50 }));
  expect(waits).toEqual([3, 6, 12, 24, 48, 50, 50]);
});
