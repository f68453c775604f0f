import { rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { execute } from '#test/cli/execute.ts';
import { startWatchedMachine, type WatchedMachine } from '#test/cli/watched-machine.ts';
import { writeAwsSettings } from '#test/support/aws-settings.ts';

/** Commands on the data folder of a stopped machine. */

let machine: WatchedMachine;
let folder: string;

beforeAll(async () => {
  machine = await startWatchedMachine();
  folder = machine.stage.dataFolder;
  await machine.stop({ keep: true });
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

test('doctor says once that it is stopped, with all that is not checked for it, whatever the user sets for AWS', async () => {
  const { code, lines, stderr } = await execute(['doctor', '--data', folder], {
    environment: writeAwsSettings(),
  });
  expect(stderr).toBe('');
  expect([code, lines.at(-1)]).toEqual([0, expect.stringMatching(/, 0 wrong$/)]);
  const said = lines.flatMap((line, at) => (/not checked|stopped/.test(line) ? [[line, lines[at + 1]]] : []));
  expect(said).toEqual([
    [
      expect.stringMatching(
        /^warning +npm start +.*: source of main, slack payroll, webhook payroll-system$/,
      ),
      `         -> start it with npm start -- --data ${folder}, then try again`,
    ],
  ]);
});
