import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';

const run = promisify(execFile);
const MODULE = 'shared/core/look/page-size.ts';

describe('npm run mutate', () => {
  test('kills what a test notices', async () => {
    const printed = await mutate(MODULE, '--tests', 'test/shared/core/look/page-size', '--killed');
    expect(printed).toMatch(/page-size\.ts:\d+ {2}logic: killed by test\/shared\/core\/look\/page-size/);
    expect(printed).toMatch(/100\.0 % {4}18 of 18/);
  });

  test('names what none notices', async () => {
    const printed = await mutate('shared/core/waits.ts', '--tests', 'test/shared/core/waits');
    expect(printed).toMatch(/waits\.ts:\d+ {2}comparison or arithmetic: survived\n {2}- .*\n {2}\+ .*\n/);
  });

  test('looks at nothing where no test imports the module, and says so', async () => {
    await expect(mutate(MODULE, '--tests', 'test/shared/people/messages')).rejects.toMatchObject({
      code: 2,
      stderr: `no test below test/shared/people/messages imports ${MODULE}\n`,
    });
  });
});

async function mutate(...given: readonly string[]): Promise<string> {
  const { stdout } = await run(process.execPath, ['workshop/mutation/main.ts', ...given]);
  return stdout;
}
