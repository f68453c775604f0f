import { expect, test } from 'vitest';
import { ApproximateIdSet } from '#shared/core/compare/approximate-id-set.ts';

const COUNT = 100_000;

test('never misses an id that was added', () => {
  const standing = new ApproximateIdSet();
  for (let number = 0; number < COUNT; number += 1) standing.add(`${number}_7`);
  const denied = Array.from({ length: COUNT }, (_, number) => `${number}_7`).filter(
    (id) => !standing.mayHave(id),
  );
  expect(denied).toEqual([]);
});

test('seems to hold not many more others than thirty bits let through', () => {
  const standing = new ApproximateIdSet();
  for (let number = 0; number < COUNT; number += 1) standing.add(`${number}_7`);
  const others = 5 * COUNT;
  const mistaken = Array.from({ length: others }, (_, number) => `${number}_8`).filter((id) =>
    standing.mayHave(id),
  );
  expect(mistaken.length).toBeLessThan((1.5 * COUNT * others) / 2 ** 30);
});

test.each(['2001_7', '1001_8', '1002_7', '1001_70', ''])('distinguishes 1001_7 from %j', (id) => {
  const standing = new ApproximateIdSet();
  standing.add('1001_7');
  expect(standing.mayHave(id)).toBe(false);
});
