import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { conformCommand } from '#cli/commands/conform.ts';
import { type Receiver, startReceiver } from '#test/kit/conform/receivers.ts';
import { createTemporaryFolder } from '#test/local/aws/fixture-assembly.ts';
import { CLI_EXAMPLES } from '#workshop/documents/cli-page.ts';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const FILE = fileWith(SECRET);
const CANARY = fileWith('canary');

let receiver: Receiver;
let printed: string[];

beforeEach(() => {
  printed = [];
  vi.spyOn(console, 'log').mockImplementation((text: string) => void printed.push(text));
});

afterEach(async () => {
  await receiver?.close();
  process.exitCode = undefined;
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

test('a correct receiver gets one line per check, and exit code 0', async () => {
  receiver = await startReceiver([SECRET]);

  await run(receiver.url, '--secret', FILE, '--probe', receiver.probeUrl);

  expect(printed[0]).toMatch(/^ok {5}an example of workforce\.timesheet\.created: 204 in \d+ ms$/);
  expect(printed.at(-1)).toBe(`\n${printed.length - 1} of ${printed.length - 1} checks hold`);
  expect(process.exitCode).toBeUndefined();
});

test('a faulty one gets what was sent, answered and expected, and how to fix it', async () => {
  receiver = await startReceiver([SECRET], 'refuses unknown fields');

  await run(receiver.url, '--secret', FILE);

  const wrong = printed.filter((line) => line.startsWith('wrong'));
  expect(wrong.map((line) => line.replace(/in \d+ ms/, 'in 1 ms'))).toEqual([
    'wrong  unknown fields: 422 in 1 ms, expected 2xx\n       -> ignore unknown fields: new ones are added, none is ever renamed or removed',
  ]);
  expect(process.exitCode).toBe(1);
});

test('without a probe the summary says what was not checked', async () => {
  receiver = await startReceiver([SECRET], 'applies in order of arrival');

  await run(receiver.url, '--secret', FILE);

  const lines = printed.filter((line) => line.startsWith('ok '));
  // docs/cli.md shows as many.
  expect(CLI_EXAMPLES.conform?.endsWith(printed.at(-1) ?? '')).toBe(true);
  expect(printed.at(-1)).toBe(
    `\n${lines.length} of ${lines.length} checks hold\nnot checked: whether repeats are dropped and order is kept (10 checks); pass --probe`,
  );
  expect(lines.map((line) => line.replace(/ in \d+ ms/, ''))).toEqual(
    expect.arrayContaining([
      'ok     the same event twice is answered: 204',
      'ok     the events of a record, reordered, are answered: 204',
    ]),
  );
  expect(process.exitCode).toBeUndefined();
});

test('a receiver with another secret gets advice on verification, whatever was sent', async () => {
  receiver = await startReceiver([`whsec_${Buffer.alloc(32, 8).toString('base64')}`]);

  await run(receiver.url, '--secret', FILE, '--probe', receiver.probeUrl);

  const advice = printed.flatMap((line) =>
    /^wrong {2}an example/.test(line) ? (line.split('-> ')[1] ?? '') : [],
  );
  expect(advice.length).toBeGreaterThan(10);
  expect(new Set(advice)).toEqual(
    new Set([
      'a valid signature was refused: compare the secret with that of your receiver, verify the raw bytes of the body, and check the clock of its machine',
    ]),
  );
  expect(printed.filter((line) => line.includes('sequence is higher'))).toEqual([]);
});

test('an unreachable probe ends the run before the first check', async () => {
  const gone = await startReceiver([SECRET]);
  await gone.close();
  receiver = await startReceiver([SECRET]);

  await expect(run(receiver.url, '--secret', FILE, '--probe', gone.probeUrl)).rejects.toMatchObject({
    code: 'probe_unreachable',
    message: `nothing answers at ${gone.probeUrl} (ECONNREFUSED); pass with --probe the address where your receiver reports its state, or omit --probe`,
  });
  expect(printed).toEqual([]);
});

test('a receiver that stops is reported once, with exit code 1', async () => {
  receiver = await startReceiver([SECRET], 'stops at an unknown type');

  await run(receiver.url, '--secret', FILE, '--probe', receiver.probeUrl);

  const wrong = printed.filter((line) => line.startsWith('wrong'));
  expect(wrong).toEqual([
    expect.stringMatching(/^wrong {2}an unknown type: nothing \(/),
    expect.stringMatching(/^wrong {2}unknown fields: nothing \(ECONNREFUSED after/),
  ]);
  expect(printed.at(-1)).toMatch(
    /checks hold\nyour receiver stopped answering at "unknown fields": \d\d checks not run$/,
  );
  expect(process.exitCode).toBe(1);
});

test('--json prints one JSON object without the secret', async () => {
  receiver = await startReceiver([SECRET], 'ignores timestamps');
  vi.stubEnv('WEBHOOK_SECRET', SECRET);

  await run(receiver.url, '--json');

  expect(printed).toHaveLength(1);
  const report = JSON.parse(printed[0] ?? '');
  expect(report.holding).toBe(report.of - 2);
  expect(report.checks).toHaveLength(report.of);
  expect(report.skipped).toBe(10);
  expect(printed[0]).not.toContain(SECRET.slice('whsec_'.length));
});

describe('a wrong command line is refused with a clear message', () => {
  test.each([
    [['http://127.0.0.1:1/hook'], 'secret_missing', 'conform needs the signing secret of your receiver'],
    [
      ['http://127.0.0.1:1/', '--secret', SECRET],
      'options_wrong',
      '--secret names a file, and was given the secret',
    ],
    [['localhost:3000', '--secret', FILE], 'address_invalid', '<url> is "localhost:3000"'],
    [['http://127.0.0.1:1/', '--secret', FILE, '--probe', 'x'], 'address_invalid', '--probe is "x"'],
    [['http://127.0.0.1:1/', '--secret', CANARY], 'secret_invalid', '--secret is not a signing secret'],
    [
      ['http://127.0.0.1:1/', '--secret', FILE, '--previous-secret', CANARY],
      'secret_invalid',
      '--previous-secret is not a signing secret',
    ],
    [
      ['http://127.0.0.1:1/', '--secret', FILE],
      'receiver_unreachable',
      'nothing answers at http://127.0.0.1:1/',
    ],
  ])('%j', async (parameters, code, message) => {
    vi.stubEnv('WEBHOOK_SECRET', undefined);

    await expect(run(...parameters)).rejects.toMatchObject({
      code,
      message: expect.stringContaining(message),
    });
    expect(printed).toEqual([]);
  });
});

function fileWith(text: string): string {
  const file = join(createTemporaryFolder('secret'), 'secret');
  writeFileSync(file, text);
  return file;
}

async function run(...parameters: string[]): Promise<void> {
  await conformCommand().parseAsync(parameters, { from: 'user' });
}
