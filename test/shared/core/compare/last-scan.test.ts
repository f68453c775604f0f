import { expect, test } from 'vitest';
import { applyLastScan } from '#shared/core/compare/differing-leaves.ts';
import { EARLIER, NOW, slice } from '#test/support/builders.ts';

const { head } = slice();

test('a scan that found a slice as committed is kept by the next commit', () => {
  const look = { at: NOW, revision: head.revision };
  expect(applyLastScan(head, look).observedAt).toBe(NOW);
  expect(applyLastScan({ ...head, observedAt: null }, look).observedAt).toBe(NOW);
});

test('a scan of another revision, or one with unreadable records, is not', () => {
  expect(applyLastScan(head, undefined)).toBe(head);
  expect(applyLastScan(head, { at: NOW, revision: head.revision - 1 })).toBe(head);
  expect(applyLastScan(head, { at: NOW, revision: head.revision, unseen: { '1001_7': EARLIER } })).toBe(head);
});

test('an older scan does not replace a later one', () => {
  expect(
    applyLastScan({ ...head, observedAt: NOW }, { at: EARLIER, revision: head.revision }).observedAt,
  ).toBe(NOW);
});
