import { expect, test } from 'vitest';
import { applyLastScan } from '#shared/core/compare/differing-leaves.ts';
import { EARLIER, NOW, slice } from '#test/support/builders.ts';

const { head } = slice();

test('a look that found a slice as committed is kept by the next commit', () => {
  const look = { at: NOW, revision: head.revision };
  expect(applyLastScan(head, look).observedAt).toBe(NOW);
  expect(applyLastScan({ ...head, observedAt: null }, look).observedAt).toBe(NOW);
});

test('a look at another revision, or one that could not read everybody, is not', () => {
  expect(applyLastScan(head, undefined)).toBe(head);
  expect(applyLastScan(head, { at: NOW, revision: head.revision - 1 })).toBe(head);
  expect(applyLastScan(head, { at: NOW, revision: head.revision, unseen: { '1001_7': EARLIER } })).toBe(head);
});

test('an older look does not take a later one back', () => {
  expect(
    applyLastScan({ ...head, observedAt: NOW }, { at: EARLIER, revision: head.revision }).observedAt,
  ).toBe(NOW);
});
