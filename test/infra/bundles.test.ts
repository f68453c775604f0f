import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { App, AssetStaging, Stack } from 'aws-cdk-lib';
import { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { buildCodeProps } from '#infra/bundling/bundling.ts';
import type { CheckRequestInput } from '#shared/config/requests/check-request.ts';
import { type NotifierConfig, parseNotifierConfig } from '#shared/config/schema/notifier-config.ts';
import type { Message } from '#shared/people/message.ts';
import { exampleEvent } from '#test/support/example-event.ts';
import { CONNECTION, EVERYTHING, environmentOf, type Synthesized, synthesize } from './synthesized.ts';

const KB = 1_024;

/** A message of a queue, as Lambda hands it to a function. */
const buildBatch = (body: string) => ({ Records: [{ messageId: 'm-1', body, messageAttributes: {} }] });
const CLOSED = JSON.stringify(exampleEvent('workforce.pay_period.closed'));
const MESSAGE: Message = {
  id: 'm-1',
  heading: 'Pay period closed',
  lines: [],
  more: 0,
  urgent: false,
  at: 0,
  timeZone: 'UTC',
};

/** Every function: its construct, an event, and the largest size of its bundle in bytes. The goal is 400 KB each. */
const FUNCTIONS = {
  poll: { path: 'Poll', maxBytes: 710 * KB, event: pollRequest },
  'collect-alerts': { path: 'People/Collect', maxBytes: 480 * KB, event: () => buildBatch(CLOSED) },
  'release-alerts': { path: 'People/Release', maxBytes: 480 * KB, event: () => ({ scope: 'due' }) },
  'deliver-chat': {
    path: 'People/Slack-payroll',
    maxBytes: 440 * KB,
    event: () => buildBatch(JSON.stringify(MESSAGE)),
  },
  'check-deliveries': { path: 'DeliveryCheck', maxBytes: 380 * KB, event: checkRequest },
  'deliver-webhook': { path: 'Webhook-system', maxBytes: 492 * KB, event: () => buildBatch(CLOSED) },
} as const;
type Name = keyof typeof FUNCTIONS;
const NAMES = Object.keys(FUNCTIONS) as Name[];

const CONFIG: NotifierConfig = JSON.parse(
  JSON.stringify(parseNotifierConfig({ connections: [CONNECTION], ...EVERYTHING })),
);
const scratch = mkdtempSync(join(tmpdir(), 'notifier-bundles-'));
let bundles: ReadonlyMap<Name, string>;
let template: Synthesized;
let server: Server;
let received: IncomingMessage[];

beforeAll(async () => {
  template = synthesize(EVERYTHING);
  bundles = build(join(scratch, 'first'));
  server = createServer((request, response) => {
    received.push(request);
    response.writeHead(400, { 'content-type': 'application/x-amz-json-1.0' });
    response.end(JSON.stringify({ __type: 'AccessDeniedException', message: 'not here' }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});

beforeEach(() => {
  received = [];
});

afterAll(() => {
  server.close();
  rmSync(scratch, { recursive: true, force: true });
});

test('every file of functions/ is a function of the template, and no other is', () => {
  const files = readdirSync('functions', { withFileTypes: true }).filter((entry) => entry.isFile());
  expect(files.map(({ name }) => name).sort()).toEqual(NAMES.map((name) => `${name}.ts`).sort());
  const paths = NAMES.map((name) => `${FUNCTIONS[name].path}/Function`);
  const inTemplate = template.ofType('AWS::Lambda::Function').map(({ path }) => path);
  expect(inTemplate.sort()).toEqual(paths.sort());
});

test.each(NAMES)('%s is one file within its budget', (name) => {
  const { length } = readFileSync(bundles.get(name) ?? '');
  expect(length).toBeGreaterThan(100_000);
  expect(length).toBeLessThanOrEqual(FUNCTIONS[name].maxBytes);
});

test('a build in another folder has the same bytes', () => {
  const again = build(join(scratch, 'second', 'of', 'two'));
  for (const [name, file] of bundles) {
    expect(readFileSync(again.get(name) ?? '').equals(readFileSync(file))).toBe(true);
  }
});

test.each(NAMES)('%s signs its requests with the credentials of its environment', async (name) => {
  await invoke(name, {
    AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
    AWS_SECRET_ACCESS_KEY: 'secret',
    AWS_SESSION_TOKEN: 'session',
  });
  expect(received.length).toBeGreaterThan(0);
  for (const { headers } of received) {
    expect(headers.authorization).toMatch(/^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\//);
    expect(headers['x-amz-security-token']).toBe('session');
  }
});

test('without credentials the error names them, and nothing is requested', async () => {
  const errors = await invoke('poll', {});
  expect(errors).toContain('AWS_ACCESS_KEY_ID or AWS_SECRET_ACCESS_KEY is not set');
  expect(received).toEqual([]);
});

/** Bundles the functions as the stack does, each into its own folder below `folder`. */
function build(folder: string): Map<Name, string> {
  AssetStaging.clearAssetHashCache();
  return new Map(NAMES.map((name) => [name, buildOne(name, join(folder, name))]));
}

/** Returns the path of the bundle. */
function buildOne(name: Name, outdir: string): string {
  new LambdaFunction(new Stack(new App({ outdir })), 'Function', buildCodeProps(name, CONFIG));
  const files = readdirSync(outdir, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  expect(files.map((file) => file.name)).toEqual(['config.json', 'index.mjs']);
  const folder = files[0]?.parentPath ?? '';
  expect(JSON.parse(readFileSync(join(folder, 'config.json'), 'utf8'))).toEqual(CONFIG);
  return join(folder, 'index.mjs');
}

function sourceAddress(): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function connection() {
  return { name: 'main', baseUrl: sourceAddress(), timeZone: 'UTC', secretName: 'main' };
}

function pollRequest() {
  return { connection: connection(), feeds: [{ name: 'timesheets', silent: false }] };
}

function checkRequest(): CheckRequestInput {
  return {
    connections: ['main'],
    webhooks: [{ name: 'system', topics: ['timesheets'], filter: {}, paused: false }],
    subscriptions: [],
  };
}

/** Runs a bundle as Lambda does, in the environment of the template. Returns what it wrote to stderr. */
async function invoke(name: Name, credentials: Record<string, string>): Promise<string> {
  const file = pathToFileURL(bundles.get(name) ?? '').href;
  const { path, event } = FUNCTIONS[name];
  const program = `
    const { handler } = await import(${JSON.stringify(file)});
    await handler(${JSON.stringify(event())}, { getRemainingTimeInMillis: () => 10_000 });`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    env: {
      PATH: process.env.PATH,
      AWS_REGION: 'us-east-1',
      AWS_ENDPOINT_URL: sourceAddress(),
      AWS_EC2_METADATA_DISABLED: 'false',
      LAMBDA_TASK_ROOT: dirname(bundles.get(name) ?? ''),
      ...environmentOf(template.at(`${path}/Function`)),
      ...credentials,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  await once(child, 'close');
  return errors;
}
