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
