import { expect, test } from 'vitest';
import { isDeadGeneration } from '#shared/core/snapshot/snapshot.ts';

test.each<[string, string, boolean]>([
  ['the head points to it', '3-run', false],
  ['its revision was committed with other leaves', '10-other', true],
  ['an earlier revision would have pointed to it', '9-run', true],
  ['a later revision may still point to it', '11-run', false],
])('leaves of a generation are dead or not: %s', (_, generation, isDead) => {
  expect(isDeadGeneration(generation, { generation: '3-run', revision: 10 })).toBe(isDead);
});
