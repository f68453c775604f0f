import { expect, test } from 'vitest';
import { createRowPlaces } from '#console/page/parts/row-places.ts';

test('rows are as high as they were measured, and others as estimated', () => {
  const places = createRowPlaces(40);
  places.list(rows('a', 'b', 'c', 'd'));
  expect([places.findTop(3), places.height]).toEqual([120, 160]);
  expect(places.measure(1, [100, 40.2])).toBe(true);
  expect([0, 1, 2, 3, 4].map(places.findTop)).toEqual([0, 40, 140, 180, 220]);
  // A fraction of a pixel is no news, nor is the same height again.
  expect(places.measure(1, [100, 40])).toBe(false);
  expect(places.measure(2, [30, 60])).toBe(true);
  expect([0, 1, 2, 3, 4].map(places.findTop)).toEqual([0, 40, 140, 170, 230]);
});

test('a row keeps its height when others come, and is found by its place', () => {
  const places = createRowPlaces(40);
  places.list(rows('a', 'b', 'c'));
  places.measure(0, [10, 100]);
  places.list(rows('new', 'a', 'b', 'c'));
  expect([0, 1, 2, 3, 4].map(places.findTop)).toEqual([0, 40, 50, 150, 190]);
  expect([-5, 0, 39, 40, 49, 50, 149, 150, 189, 1_000].map(places.findRow)).toEqual([
    0, 0, 0, 1, 1, 2, 2, 3, 3, 3,
  ]);
});

test('a list may be empty, or shorter than what was drawn', () => {
  const places = createRowPlaces(40);
  places.list([]);
  expect([places.height, places.findRow(10), places.measure(0, [50])]).toEqual([0, 0, false]);
  places.list(rows('a'));
  expect(places.measure(0, [50, 60])).toBe(true);
  expect(places.height).toBe(50);
});

test('heights of rows that are gone are forgotten some time', () => {
  const places = createRowPlaces(40);
  const old = Array.from({ length: 3_000 }, (_, index) => ({ key: `old ${index}` }));
  places.list(old);
  places.measure(
    0,
    old.map(() => 50),
  );
  places.list(rows('a'));
  places.list(old);
  expect(places.height).toBe(3_000 * 40);
});

function rows(...keys: string[]) {
  return keys.map((key) => ({ key }));
}
