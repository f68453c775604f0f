import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { CONNECTION } from './synthesized.ts';

const scratch = mkdtempSync(join(tmpdir(), 'notifier-app-'));
const OTHER = writeConfig('other', { stackName: 'other', connections: [{ ...CONNECTION, name: 'east' }] });
const WRONG = writeConfig('wrong', {
  connections: [{ ...CONNECTION, timeZone: 'Auckland' }],
  schedules: { timesheets: { everyMinutes: 0 } },
});

afterAll(() => rmSync(scratch, { recursive: true, force: true }));

test('the environment or the context of the CDK can name another config, for a template of the same bytes', async () => {
  const first = await runApp({ NOTIFIER_CONFIG: OTHER });
  expect([first.code, first.errors]).toEqual([0, '']);
  const text = readFileSync(join(first.folder, 'other.template.json'), 'utf8');
  expect(Object.keys(JSON.parse(text).Resources).join(' ')).toContain('PollTimesheetsScheduleseast');
  const second = await runApp({}, { notifierConfig: OTHER });
  expect(second.code).toBe(0);
  expect(readFileSync(join(second.folder, 'other.template.json'), 'utf8')).toBe(text);
});

test.each([
  [
    'a wrong config',
    WRONG,
    [
      'connections[0].timeZone: unknown time zone "Auckland"; use an IANA name such as Pacific/Auckland',
      'schedules.timesheets.everyMinutes: give at least 1, got 0',
    ],
  ],
  ['a missing config', 'nowhere.ts', ['no such file; create it, or name another one']],
])('%s is one line for each fault, without a stack trace', async (_, file, faults) => {
  const { code, errors, folder } = await runApp({ NOTIFIER_CONFIG: file });
  expect(code).toBe(1);
  expect(errors.trimEnd().split('\n')).toEqual(faults.map((fault) => `${file}: ${fault}`));
  expect(readdirSync(folder)).toEqual([]);
});

describe('a config with stages', () => {
  const stages = writeConfig('stages', {
    connections: [CONNECTION],
    stages: { test: {}, production: { account: '111122223333', region: 'eu-west-1' } },
  });
  const stacksOf = async (variables: Record<string, string>) => {
    const { code, errors, folder } = await runApp({ NOTIFIER_CONFIG: stages, ...variables });
    expect([code, errors]).toEqual([0, '']);
    const { artifacts } = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));
    return Object.entries<{ type: string; environment: string }>(artifacts).flatMap(([name, artifact]) =>
      artifact.type === 'aws:cloudformation:stack' ? [[name, artifact.environment]] : [],
    );
  };

  test('is a stack for each, which the CDK deploys by its name', async () => {
    expect(await stacksOf({})).toEqual([
      ['workforce-notifier-test', 'aws://unknown-account/unknown-region'],
      ['workforce-notifier-production', 'aws://111122223333/eu-west-1'],
    ]);
  });

  test('is one stack where the environment names a stage', async () => {
    expect(await stacksOf({ NOTIFIER_STAGE: 'test' })).toEqual([
      ['workforce-notifier-test', 'aws://unknown-account/unknown-region'],
    ]);
  });

  test('is not synthesized for a stage that it does not have', async () => {
    const { code, errors, folder } = await runApp({ NOTIFIER_CONFIG: stages, NOTIFIER_STAGE: 'prod' });
    expect([code, errors]).toEqual([
      1,
      '--stage prod: there is no such stage; use one of test, production\n',
    ]);
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('an existing queue', () => {
  const foreign = writeConfig('foreign', {
    connections: [CONNECTION],
    subscriptions: [
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
      'subscriptions[1].queueArn: the queue is in the account 111122223333 and the stack in 444455556666, so SNS would wait for the queue to confirm and deliver nothing; name 111122223333 in subscriberAccounts, and subscribe the queue from there\n',
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

/** Runs the CDK app as `cdk synth` does, without bundling, into a new folder. */
async function runApp(variables: Record<string, string>, context: Record<string, unknown> = {}) {
  const folder = mkdtempSync(join(scratch, 'out-'));
  const child = spawn(process.execPath, ['infra/app.ts'], {
    env: {
      ...process.env,
      ...variables,
      CDK_OUTDIR: folder,
      CDK_CONTEXT_JSON: JSON.stringify({ ...context, 'aws:cdk:bundling-stacks': [] }),
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, errors, folder };
}

function writeConfig(name: string, config: unknown): string {
  const file = join(scratch, `${name}.ts`);
  writeFileSync(file, `export default ${JSON.stringify(config)};\n`);
  return file;
}
