import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { loadNotifierConfig } from '#infra/load-config.ts';
import { createTemporaryFolder } from '#test/local/aws/fixture-assembly.ts';
import { buildStack, type Given, readTemplate } from './synthesized.ts';

const scratch = createTemporaryFolder('app');

test('the environment names another config, of which each fault is one line, without a stack trace', async () => {
  const wrong = writeConfig('wrong', 'export default { connections: [], poll: { memoryMb: 128 } };');
  const { code, errors, folder } = await runApp(wrong);
  expect(code).toBe(1);
  expect(errors.trimEnd().split('\n')).toEqual([
    expect.stringMatching(`^${wrong}: connections: `),
    `${wrong}: poll.memoryMb: give at least 256, got 128`,
  ]);
  expect(readdirSync(folder)).toEqual([]);
});

test('the config of this repository is the default', async () => {
  expect((await loadNotifierConfig()).stackName).toBe('workforce-notifier');
});

test.each([
  ['is missing', null, 'no such file; create it, or name another one'],
  [
    'exports nothing',
    'export const config = {};',
    'has no default export; write export default defineNotifierConfig({ ... })',
  ],
  ['throws', "throw new Error('boom');", 'boom'],
  ['is wrong', 'export default {};', 'connections: is missing; give a list'],
])('a file that %s is an error that names it and says what to do', async (name, module, message) => {
  const file = module === null ? join(scratch, 'nowhere.ts') : writeConfig(name.replaceAll(' ', '-'), module);
  await expect(loadNotifierConfig(file)).rejects.toThrow(`${file}: ${message}`);
});

test('an existing queue of another account is refused, as its subscription would stay pending', () => {
  const queueArn = 'arn:aws:sqs:eu-west-1:111122223333:theirs';
  const config: Given = { queues: [{ name: 'found', topics: ['timesheets'], queueArn }] };
  const build = (account: string) => buildStack(config, { env: { account, region: 'eu-west-1' } });
  expect(() => build('444455556666')).toThrow(
    'queues[0].queueArn: the queue is in the account 111122223333 and the stack in 444455556666, so SNS would wait for the queue to confirm and deliver nothing; let 111122223333 subscribe with grantSubscribe of the topics, and subscribe the queue from there',
  );
  expect(JSON.stringify(readTemplate(build('111122223333')))).toContain(queueArn);
});

/** Runs the CDK app as `cdk synth` does, without bundling, into a new folder. */
async function runApp(config: string) {
  const folder = createTemporaryFolder('out');
  const child = spawn(process.execPath, ['infra/app.ts'], {
    env: {
      ...process.env,
      ...{ NOTIFIER_CONFIG: config, CDK_OUTDIR: folder },
      CDK_CONTEXT_JSON: JSON.stringify({ 'aws:cdk:bundling-stacks': [] }),
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [errors, [code]] = await Promise.all([
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  return { code, errors, folder };
}

function writeConfig(name: string, module: string): string {
  const file = join(scratch, `${name}.ts`);
  writeFileSync(file, module);
  return file;
}
