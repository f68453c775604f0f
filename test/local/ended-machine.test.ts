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

test('doctor only warns about what it can check on a running machine alone, whatever the user sets for AWS', async () => {
  const { code, lines } = await execute(['doctor', '--data', folder], { environment: writeAwsSettings() });
  const mend = `         -> start it with npm start -- --data ${folder}, then try again`;
  const warnings = lines.flatMap((line, at) => (/not checked/.test(line) ? [[line, lines[at + 1]]] : []));
  expect(warnings).toEqual([
    [
      expect.stringMatching(
        /^warning +source of main +not checked: the secret .* is known only while npm start is running on the data folder /,
      ),
      mend,
    ],
    [
      expect.stringMatching(
        /^warning +slack payroll +not checked: the secret .* is known only while npm start is running on /,
      ),
      mend,
    ],
    [
      expect.stringMatching(
        /^warning +webhook payroll-system +not checked: the secret .* is known only while npm start is running on /,
      ),
      mend,
    ],
  ]);
  expect([code, lines.at(-1)]).toEqual([0, expect.stringMatching(/, 0 wrong$/)]);
});
