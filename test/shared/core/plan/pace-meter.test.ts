import { expect, test } from 'vitest';
import { PaceMeter } from '#shared/core/plan/pace-meter.ts';

const walk = { isHot: false, startedAt: 0, size: null, missing: 0 };

test('a page that never came says nothing about what pages take', () => {
  const meter = new PaceMeter(undefined);
  meter.begin(0);
  meter.arrive(400);
  meter.end(400, walk);
  meter.begin(1_000);
  meter.end(21_000, walk);

  expect(meter.cost.ms).toBe(400);
  expect(meter.remembered?.ms).toBe(400);
});

test('concurrent walks share their time', () => {
  const meter = new PaceMeter({ ms: 9_000, size: 50 });
  meter.begin(0);
  meter.begin(0);
  for (const at of [100, 200, 300, 400]) meter.arrive(at);
  meter.end(400, walk);
  meter.end(400, { ...walk, isHot: true });

  expect(meter.cost).toEqual({ ms: 100, size: 50 });
  expect(meter.remembered?.ms).toBe(4_550);
  expect(meter.hotMs).toBe(400);
});

test("time in which no walk is under way is nobody's, and a walk that joins another shares its time", () => {
  const meter = new PaceMeter(undefined);
  meter.begin(1_000);
  meter.arrive(1_100);
  meter.begin(1_150);
  meter.arrive(1_200);
  meter.end(1_200, { ...walk, isHot: true, startedAt: 1_000 });
  meter.end(1_200, { ...walk, isHot: true, startedAt: 1_150 });
  expect(meter.cost.ms).toBe(100);
  expect(meter.hotMs).toBe(250);

  meter.begin(9_000);
  meter.arrive(9_400);
  expect(meter.cost.ms).toBe(200);
});

test('the pages that walks still expect are worth the time that they are thought to take', () => {
  const meter = new PaceMeter({ ms: 50, size: 100 });
  expect([meter.pledgedPages, meter.pledgedMs]).toEqual([0, 0]);
  meter.begin(0);
  meter.expect(4);
  meter.expect(-1);
  expect([meter.pledgedPages, meter.pledgedMs]).toEqual([3, 150]);
  meter.end(100, { ...walk, missing: 2 });
  expect([meter.pledgedPages, meter.pledgedMs]).toEqual([1, 50]);
});

test.each<[string, readonly (number | null)[], number]>([
  ['that the largest did', [40, 100, 60], 100],
  ['that the only one did', [1], 1],
  ['that earlier polls knew, where no page but the last came', [null], 50],
  ['that earlier polls knew, where pages were empty', [0], 50],
])('a page holds as many records as one %s', (_, sizes, expected) => {
  const meter = new PaceMeter({ ms: 50, size: 50 });
  for (const size of sizes) {
    meter.begin(0);
    meter.end(100, { ...walk, size });
  }
  expect(meter.cost.size).toBe(expected);
});

test('what nobody measured is guessed, and not remembered', () => {
  expect(new PaceMeter(undefined).cost).toEqual({ ms: 300, size: 200 });
  expect(new PaceMeter(undefined).remembered).toBeUndefined();
  expect(new PaceMeter({ ms: 40, size: 50 }).cost).toEqual({ ms: 40, size: 50 });
  expect(new PaceMeter({ ms: 40, size: 50 }).remembered).toEqual({ ms: 40, size: 50 });
});

test('what a page takes is a guess until one comes, unless a walk is under way', () => {
  const meter = new PaceMeter({ ms: 45_000, size: 50 });
  expect(meter.isGuessing).toBe(true);
  meter.begin(0);
  expect(meter.isGuessing).toBe(false);
  meter.end(100, walk);
  expect(meter.isGuessing).toBe(true);
  meter.begin(100);
  meter.arrive(200);
  meter.end(200, walk);
  expect(meter.isGuessing).toBe(false);
});
