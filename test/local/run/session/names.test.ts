import { expect, test, vi } from 'vitest';
import { createNameFinder } from '#local/run/session/names.ts';
import { type Names, NO_NAMES } from '#shared/people/names/names.ts';

const ANA: Names = { ...NO_NAMES, employees: new Map([['1_1', 'Ana Lee']]) };

test('names are loaded when one is missing, at most once a second, and again after a minute', async () => {
  let now = 0;
  const load = vi.fn(async () => ANA);
  const find = createNameFinder(load, () => now);
  expect((await find('1_1')).employees.get('1_1')).toBe('Ana Lee');
  await find('1_1');
  await find('2_1');
  await find(null);
  expect(load).toHaveBeenCalledTimes(1);
  now = 1_000;
  await find('2_1');
  expect(load).toHaveBeenCalledTimes(2);
  await find('1_1');
  now = 60_999;
  await find('1_1');
  expect(load).toHaveBeenCalledTimes(2);
  now = 61_000;
  await find('1_1');
  expect(load).toHaveBeenCalledTimes(3);
});

test('names that cannot be loaded are those of before', async () => {
  let now = 0;
  const load = vi.fn(async () => ANA);
  const find = createNameFinder(load, () => now);
  await find('1_1');
  load.mockRejectedValue(new Error('no table'));
  now = 60_000;
  expect(await find('1_1')).toBe(ANA);
});
