import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { CONNECTION } from './synthesized.ts';

const scratch = mkdtempSync(join(tmpdir(), 'notifier-app-'));
const OTHER = writeConfig('other', { stackName: 'other', connections: [{ ...CONNECTION, name: 'east' }] });
const WRONG = writeConfig('wrong', {
  connections: [{ ...CONNECTION, timeZone: 'Auckland' }],
  poll: { memoryMb: 128 },
});

afterAll(() => rmSync(scratch, { recursive: true, force: true }));

test('the environment can name another config, for a template of the same bytes', async () => {
  const first = await runAppAlone({ NOTIFIER_CONFIG: OTHER });
  expect([first.code, first.errors]).toEqual([0, '']);
  const template = readFileSync(join(first.folder, 'other.template.json'), 'utf8');
  expect(Object.keys(JSON.parse(template).Resources).join(' ')).toContain('PollScheduleseast');
  const second = await runApp({ NOTIFIER_CONFIG: OTHER });
  expect(second.code).toBe(0);
  expect(readFileSync(join(second.folder, 'other.template.json'), 'utf8')).toBe(template);
});

test.each([
  [
    'a wrong config',
    WRONG,
    [
      'connections[0].timeZone: unknown time zone "Auckland"; use an IANA name such as Pacific/Auckland',
      'poll.memoryMb: give at least 256, got 128',
    ],
  ],
  ['a missing config', 'nowhere.ts', ['no such file; create it, or name another one']],
])('%s is one line for each fault, without a stack trace', async (_, file, faults) => {
  const { code, errors, folder } = await runApp({ NOTIFIER_CONFIG: file });
  expect(code).toBe(1);
  expect(errors.trimEnd().split('\n')).toEqual(faults.map((fault) => `${file}: ${fault}`));
  expect(readdirSync(folder)).toEqual([]);
});

describe('an existing queue', () => {
  const foreign = writeConfig('foreign', {
    connections: [CONNECTION],
    queues: [
      { name: 'made', topics: ['timesheets'] },
      { name: 'found', topics: ['timesheets'], queueArn: 'arn:aws:sqs:eu-west-1:111122223333:theirs' },
    ],
  });

  test('of another account is refused, as its subscription would stay pending', async () => {
    const { code, errors, folder } = await runApp({
      NOTIFIER_CONFIG: foreign,
      CDK_DEFAULT_ACCOUNT: '444455556666',
    });
    expect([code, errors]).toEqual([
      1,
      'queues[1].queueArn: the queue is in the account 111122223333 and the stack in 444455556666, so SNS would wait for the queue to confirm and deliver nothing; let 111122223333 subscribe with grantSubscribe of the topics, and subscribe the queue from there\n',
    ]);
    expect(readdirSync(folder)).toEqual([]);
  });

  test.each([{ CDK_DEFAULT_ACCOUNT: '111122223333' }, {}])('is subscribed from %j', async (account) => {
    const { code, folder } = await runApp({ NOTIFIER_CONFIG: foreign, ...account });
    expect(code).toBe(0);
    const template = readFileSync(join(folder, 'workforce-notifier.template.json'), 'utf8');
    expect(template).toContain('arn:aws:sqs:eu-west-1:111122223333:theirs');
  });
});

/** A run of the CDK app: what it wrote to standard error, its exit code, and the folder of its assembly. */
interface Ran {
  readonly code: number | null;
  readonly errors: string;
  readonly folder: string;
}

/** Runs the CDK app as `cdk synth` does, without bundling, into a new folder. */
async function runAppAlone(variables: Record<string, string>): Promise<Ran> {
  const { folder, environment } = makePlace(variables);
  const child = spawn(process.execPath, ['infra/app.ts'], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [errors, [code]] = await Promise.all([
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  return { code, errors, folder };
}

let runs = 0;

/** The same in this process, which has loaded the CDK. */
async function runApp(variables: Record<string, string>): Promise<Ran> {
  const { folder, environment } = makePlace(variables);
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  let errors = '';
  const write = (chunk: string) => {
    errors += chunk;
    return true;
  };
  const spies = [
    vi.spyOn(process.stderr, 'write').mockImplementation((chunk) => write(String(chunk))),
    // Elsewhere it writes to standard error; here it has a stream of its own.
    ...(['error', 'warn'] as const).map((name) => vi.spyOn(console, name).mockImplementation(write)),
  ];
  try {
    runs += 1;
    await import(`${new URL('../../infra/app.ts', import.meta.url)}?run=${runs}`);
    return { code: Number(process.exitCode ?? 0), errors, folder };
  } finally {
    process.exitCode = undefined;
    for (const spy of spies) spy.mockRestore();
    vi.unstubAllEnvs();
  }
}

function makePlace(variables: Record<string, string>) {
  const folder = mkdtempSync(join(scratch, 'out-'));
  const CDK_CONTEXT_JSON = JSON.stringify({ 'aws:cdk:bundling-stacks': [] });
  return { folder, environment: { ...variables, CDK_OUTDIR: folder, CDK_CONTEXT_JSON } };
}

function writeConfig(name: string, config: unknown): string {
  const file = join(scratch, `${name}.ts`);
  writeFileSync(file, `export default ${JSON.stringify(config)};\n`);
  return file;
}
