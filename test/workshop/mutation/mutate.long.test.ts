import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';

const run = promisify(execFile);
const MODULE = 'shared/core/commit/commit-order.ts';

describe('npm run mutate', () => {
  test('kills what a test notices, and names the mutant that none can notice', async () => {
    const printed = await mutate('--tests', 'test/shared/core/commit/commit-order', '--killed');
    expect(printed).toMatch(
      /commit-order\.ts:10 {2}method: killed by test\/shared\/core\/commit\/commit-order/,
    );
    expect(printed).toMatch(/commit-order\.ts:11 {2}number: survived\n {2}- 0,\n {2}\+ 1,\n/);
    expect(printed).toMatch(/93\.8 % {4}15 of 16/);
  });

  test('looks at nothing where no test imports the module, and says so', async () => {
    await expect(mutate('--tests', 'test/shared/people/messages')).rejects.toMatchObject({
      code: 2,
      stderr: `no test below test/shared/people/messages imports ${MODULE}\n`,
    });
  });
});

async function mutate(...given: readonly string[]): Promise<string> {
  const { stdout } = await run(process.execPath, ['workshop/mutation/main.ts', MODULE, ...given]);
  return stdout;
}
