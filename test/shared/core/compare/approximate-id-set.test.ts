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

test('seems to hold few others', () => {
  const standing = new ApproximateIdSet();
  for (let number = 0; number < COUNT; number += 1) standing.add(`${number}_7`);
  const mistaken = Array.from({ length: COUNT }, (_, number) => `${number}_8`).filter((id) =>
    standing.mayHave(id),
  );
  expect(mistaken.length).toBeLessThan(COUNT / 1_000);
});
