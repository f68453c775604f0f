import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { mutateModule } from '#workshop/mutation/mutants.ts';

const run = promisify(execFile);
const MODULE = 'shared/core/commit/commit-order.ts';

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

describe('npm run mutate', () => {
  test('kills what a test notices, and names the mutant that none can notice', async () => {
    const printed = await mutate('--tests', 'test/shared/core/commit/commit-order', '--killed');
    expect(printed).toMatch(
      /commit-order\.ts:10 {2}method: killed by test\/shared\/core\/commit\/commit-order/,
    );
    expect(printed).toMatch(/commit-order\.ts:11 {2}number: survived\n {2}- 0,\n {2}\+ 1,\n/);
    expect(printed).toMatch(/95\.2 % {4}20 of 21/);
  });

  test('looks at nothing where no test imports the module, and says so', async () => {
    await expect(mutate('--tests', 'test/shared/core/messages')).rejects.toMatchObject({
      code: 2,
      stderr: `no test below test/shared/core/messages imports ${MODULE}\n`,
    });
  });
});

async function mutate(...given: readonly string[]): Promise<string> {
  const { stdout } = await run(process.execPath, ['workshop/mutation/main.ts', MODULE, ...given]);
  return stdout;
}
