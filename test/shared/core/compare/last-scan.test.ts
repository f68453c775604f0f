import { expect, test } from 'vitest';
import { clampToScanStart, findLastScan, laterOf } from '#shared/core/compare/detect-changes.ts';
import { applyLastScan } from '#shared/core/compare/differing-leaves.ts';
import { createSnapshot, DATE, DAY_MS, EARLIER, MINUTE_MS, NOW, slice } from '#test/support/builders.ts';

const { head } = slice();

test('a scan that found a slice as committed is kept by the next commit', () => {
  const look = { at: NOW, revision: head.revision };
  expect(applyLastScan(head, look).observedAt).toBe(NOW);
  expect(applyLastScan({ ...head, observedAt: null }, look).observedAt).toBe(NOW);
});

test('a scan of another revision is not', () => {
  expect(applyLastScan(head, undefined)).toBe(head);
  expect(applyLastScan(head, { at: NOW, revision: head.revision - 1 })).toBe(head);
});

test('of a scan with unreadable records, what is known is kept: when the one that is longest unseen was seen', () => {
  const look = { at: NOW, revision: head.revision };
  const unseen = { '1001_7': NOW - MINUTE_MS, '1002_7': NOW - 2 * MINUTE_MS };
  const first = { ...head, observedAt: null };
  expect(applyLastScan(first, { ...look, unseen }).observedAt).toBe(NOW - 2 * MINUTE_MS);
  expect(applyLastScan(first, { ...look, unseen: { ...unseen, '1003_7': null } })).toBe(first);
});

test('all else of a head stays as it is', () => {
  const look = { at: NOW, revision: head.revision };
  expect(applyLastScan(head, look)).toEqual({ ...head, observedAt: NOW });
});

test('an older scan does not replace a later one', () => {
  expect(
    applyLastScan({ ...head, observedAt: NOW }, { at: EARLIER, revision: head.revision }).observedAt,
  ).toBe(NOW);
});

test.each<[string, number | null, number | null]>([
  ['before the scan is itself', EARLIER, EARLIER],
  ['at its start, too', NOW, NOW],
  ['a little ahead is its start', NOW + MINUTE_MS, NOW],
  ['further ahead came from a wrong clock', NOW + MINUTE_MS + 1, null],
  ['that is unknown stays unknown', null, null],
])('an instant %s', (_, at, expected) => {
  expect(clampToScanStart(at, { scan: { startedAt: NOW } })).toBe(expected);
});

test('an instant is itself where there is no scan to hold it against', () => {
  expect(clampToScanStart(NOW + DAY_MS, {})).toBe(NOW + DAY_MS);
  expect(clampToScanStart(NOW + DAY_MS, { scan: { startedAt: null } })).toBe(NOW + DAY_MS);
});

test('of two instants the later one counts, and any instead of none', () => {
  expect([laterOf(1, 2), laterOf(2, 1), laterOf(-1, null), laterOf(null, -1)]).toEqual([2, 2, -1, -1]);
  expect(laterOf(null, null)).toBeNull();
});

test('a slice without a head was never scanned', () => {
  const input = { snapshot: createSnapshot(slice({ slice: '2026-03-06' })), coverage: {} };
  expect(findLastScan('1_7', DATE, input)).toBeNull();
});
