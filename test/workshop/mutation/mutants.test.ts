import { describe, expect, test } from 'vitest';
import { countKills } from '#workshop/mutation/matrix.ts';
import { mutateModule } from '#workshop/mutation/mutants.ts';

describe('mutants of', () => {
  test.each<[string, readonly string[]]>([
    ['const f = (a) => { if (a < 1) g(); };', ['true', 'false', 'a <= 1', 'a >= 1', '2', '']],
    ['const f = (a, b) => a?.b ?? b;', ['undefined', 'a?.b', 'b', 'a.b']],
    ['const f = (a) => a?.[0]?.(1);', ['undefined', 'a[0](1)', '1', '2']],
    ['const f = (a, b) => a && !b;', ['undefined', 'a', '!b', '(a) || (!b)', 'b']],
    ["const f = (a) => [...a, 'x'];", ['undefined', '[]', '[]', "''"]],
    ['const f = (a) => a.filter(Boolean).some(g);', ['undefined', 'a.filter(Boolean).every(g)', 'a']],
    ['const f = (a) => { g(a); return a + 1; };', ['{}', '', 'undefined', 'a - 1', '2']],
    ['const f = (a) => a.toString();', ['undefined']],
    ['const f = (a, b) => (a as B).some(b);', ['undefined', '(a as B).every(b)']],
    ['const f = (a) => { return false; };', ['true']],
    ["const f = (a) => { throw new Error('for people'); };", []],
    ["import { g } from './g.ts';\ntype A = 'a' | 1;\nconst b: A = 1;", []],
    ["const NAMES = ['a'];", ['[]', "''"]],
  ])('%s', (text, expected) => {
    const { mutants } = mutateModule(text, 'a.ts', 0);
    expect(mutants.map((mutant) => mutant.text).sort()).toEqual([...expected].sort());
  });

  test('a module are all in it, and the module is as it was while they sleep', () => {
    const text =
      "const f = (a, b) => { let c = 0; if (a > b || a?.n === 'x') c += [a, ...b].length; return c * 2; };";
    const { text: woven, mutants } = mutateModule(text, 'a.ts', 100);
    const ids = [...woven.matchAll(/isMutated\((\d+)\)/g)].map(([, id]) => Number(id));
    expect(ids.toSorted((a, b) => a - b)).toEqual(mutants.map(({ id }) => id));
    const build = new Function('isMutated', `${woven}; return f;`) as (
      isMutated: (id: number) => boolean,
    ) => (a: unknown, b: unknown) => number;
    expect(build(() => false)({ n: 'x' }, [1, 2])).toBe(6);
    const times = mutants.find(({ text: its }) => its === 'c / 2');
    expect(build((id) => id === times?.id)({ n: 'x' }, [1, 2])).toBe(1.5);
  });
});

test('of a test file counts what no other file notices, however many of its tests do', () => {
  const [a, b] = [
    { file: 'a', name: 'one' },
    { file: 'b', name: 'two' },
  ];
  const linesOf = new Map([
    ['a', 10],
    ['b', 5],
    ['c', 7],
  ]);
  expect(countKills([[a, b], [a, a], [b], []], linesOf)).toEqual([
    { file: 'c', lines: 7, killed: 0, alone: 0 },
    { file: 'a', lines: 10, killed: 2, alone: 1 },
    { file: 'b', lines: 5, killed: 2, alone: 1 },
  ]);
});
