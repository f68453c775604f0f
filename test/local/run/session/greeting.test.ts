import { expect, test } from 'vitest';
import { openTarget } from '#bin/open-target.ts';
import { openTargetConsole } from '#console/server/open-console.ts';
import { readOptions } from '#local/run/options.ts';
import { LEGEND } from '#local/run/output/lines.ts';
import { greet, listAddresses, serveConsole } from '#local/run/session/greeting.ts';
import type { Machine } from '#local/run/session/machine.ts';
import { createTemporaryFolder } from '../../aws/fixture-assembly.ts';

const REAL = ['--base-url', 'https://a.example'];
const OPEN = { aws: { exposure: 'every user can read' } };
const TO_OWN = ['--once', '--webhook', 'http://localhost:3000/hook'];
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

test.each<[string, readonly string[], object, readonly string[]]>([
  ['connections that it leaves out', ['--once'], { leftOut: ['a', 'b'] }, ['polls main alone, not a, b']],
  [
    'that others reach the table of a real source',
    REAL,
    OPEN,
    ['open to others: every user can read', LEGEND],
  ],
  ['nothing of that where nobody does', REAL, {}, [LEGEND]],
  ['nothing of that of the sample company', ['--once'], OPEN, []],
  [
    'where webhooks go, and a secret that it made',
    TO_OWN,
    {},
    ['webhook system goes to http://localhost:3000/hook, signed with whsec_made'],
  ],
  [
    'no secret of the user',
    TO_OWN,
    { secret: SECRET },
    ['webhook system goes to http://localhost:3000/hook, signed with your secret'],
  ],
])('a run says %s', async (_, args, given, expected) => {
  const { leftOut = [], aws = { exposure: null }, secret } = given as Record<string, never>;
  const options = await parse(args, { WEBHOOK_SECRET: secret });
  const polling = { request: { connection: { name: 'main' } }, leftOut };
  const machine = { polling, aws, signingSecret: 'whsec_made', config: { webhooks: [{ name: 'system' }] } };
  const { said, notes } = openNotes();
  greet(machine as unknown as Machine, { options, notes });
  expect(said).toEqual(expected);
});

test('a run for people prints the address of its console, which is served until the run ends', async () => {
  const { served, said } = await serve([]);
  expect(said).toEqual([`console  ${served?.address}`]);
  const { origin } = new URL(served?.address ?? '');
  expect(await (await fetch(origin)).text()).toContain('<title>Notifier</title>');
  await served?.stop();
  await expect(fetch(origin)).rejects.toThrow();
});

test.each([[['--once']], [['--output', 'ndjson']]])('a run with %j has none', async (args) => {
  expect(await serve(args)).toEqual({ served: null, said: [] });
});

test('the addresses are the console, and lines that a shell takes to receive from each queue of the stack', () => {
  const machine = {
    aws: { endpoints: { messaging: 'http://127.0.0.1:4100', accessKeyId: 'KEY' } },
    config: {
      stackName: 'notifier',
      queues: [{ name: 'payroll' }, { name: 'other', queueArn: 'arn:aws:sqs:us-east-1:1:other' }],
    },
  } as unknown as Machine;
  const queue = [
    'queue    payroll, to receive from it:',
    '  export AWS_ACCESS_KEY_ID=KEY',
    '  export AWS_SECRET_ACCESS_KEY=local AWS_DEFAULT_REGION=us-east-1',
    '  aws sqs receive-message --endpoint-url http://127.0.0.1:4100 \\',
    '    --queue-url http://127.0.0.1:4100/000000000000/notifier-payroll',
  ].join('\n');
  expect(listAddresses(machine, 'http://a/#token=b')).toEqual(['console  http://a/#token=b', queue]);
  expect(listAddresses(machine, null)).toEqual([queue]);
});

async function parse(args: readonly string[], environment: NodeJS.ProcessEnv = {}) {
  const options = await readOptions(args, { WORKFORCE_API_TOKEN: 'a-token', ...environment });
  if (options === null) throw new Error('help was printed');
  return options;
}

function openNotes() {
  const said: string[] = [];
  const say = (text: string) => void said.push(text);
  return { said, notes: { say, progress: say } };
}

async function serve(args: readonly string[]) {
  const { said, notes } = openNotes();
  const options = await parse(['--data', createTemporaryFolder('data'), ...args]);
  const open = (data: string) => openTargetConsole(() => openTarget({ data }), { isLazy: true });
  return { served: await serveConsole(options, notes, open), said };
}
