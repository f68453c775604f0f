import { expect, test } from 'vitest';
import { passesFence } from '#shared/core/snapshot/watermark-memory.ts';

const AHEAD = 1_000;
const CHECK = { hot: 500, all: 400, ahead: AHEAD };

test.each([
  ['lets pass what was first seen after it', { hot: 499, all: 399 }, true],
  ['holds back what was seen when it was told, on hot slices', { hot: 500, all: 399 }, false],
  ['or on any', { hot: 499, all: 400 }, false],
  ['says nothing where a wrong clock set it, on hot slices', { hot: AHEAD + 1, all: 399 }, true],
  ['or on any', { hot: 499, all: AHEAD + 1 }, true],
  ['holds back up to where a right clock may be', { hot: AHEAD, all: 399 }, false],
  ['on any slice as well', { hot: 499, all: AHEAD }, false],
])('a fence %s: %j', (_, fence, passes) => {
  expect(passesFence(fence, CHECK)).toBe(passes);
});
