import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { App, AssetStaging, Stack } from 'aws-cdk-lib';
import { NodejsFunction } from 'aws-cdk-lib/aws-lambda-nodejs';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { codeOf } from '#infra/bundling/bundling.ts';

/** What is reached, so that a bundle that grows beyond it fails; the goal is 400 KB. */
const BUDGET_BYTES = 500 * 1_024;

const FUNCTIONS = ['poll-timesheets', 'poll-pay-periods'];

const scratch = mkdtempSync(join(tmpdir(), 'notifier-bundles-'));
let bundles: ReadonlyMap<string, string>;
let server: Server;
let received: IncomingMessage[];

beforeAll(async () => {
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

test('there is one file for each function, within the budget', () => {
  expect([...bundles.keys()].sort()).toEqual([...FUNCTIONS].sort());
  for (const file of bundles.values()) {
    expect(readFileSync(file).length).toBeGreaterThan(100_000);
    expect(readFileSync(file).length).toBeLessThanOrEqual(BUDGET_BYTES);
  }
});

test('a second build, elsewhere, is the same to the byte', () => {
  const again = build(join(scratch, 'second', 'of', 'two'));
  for (const [name, file] of bundles) {
    expect(readFileSync(again.get(name) ?? '').equals(readFileSync(file))).toBe(true);
  }
});

test.each(FUNCTIONS)('%s signs its requests with the credentials of its environment', async (name) => {
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

test('without credentials it says which are missing, and asks nobody', async () => {
  const errors = await invoke(FUNCTIONS[0] ?? '', {});
  expect(errors).toContain('AWS_ACCESS_KEY_ID or AWS_SECRET_ACCESS_KEY is not set');
  expect(received).toEqual([]);
});

/** Bundles the functions as the stack does, each into a folder of its own under this one. */
function build(folder: string): Map<string, string> {
  AssetStaging.clearAssetHashCache();
  return new Map(FUNCTIONS.map((name) => [name, buildOne(name, join(folder, name))]));
}

/** The one file of a bundle. */
function buildOne(name: string, outdir: string): string {
  new NodejsFunction(new Stack(new App({ outdir })), 'Function', codeOf(name));
  const files = readdirSync(outdir, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  expect(files.map((file) => file.name)).toEqual(['index.mjs']);
  return join(files[0]?.parentPath ?? '', 'index.mjs');
}

/** Runs a bundle as Lambda would, with a poll request. Answers what it wrote to stderr. */
async function invoke(name: string, credentials: Record<string, string>): Promise<string> {
  const file = pathToFileURL(bundles.get(name) ?? '').href;
  const { port } = server.address() as AddressInfo;
  const program = `
    const { handler } = await import(${JSON.stringify(file)});
    const connection = { name: 'main', baseUrl: 'http://127.0.0.1:${port}', timeZone: 'UTC', secretName: 'main' };
    await handler({ connection }, { getRemainingTimeInMillis: () => 10_000 });`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    env: {
      PATH: process.env.PATH,
      AWS_REGION: 'us-east-1',
      AWS_ENDPOINT_URL: `http://127.0.0.1:${port}`,
      AWS_EC2_METADATA_DISABLED: 'false',
      TABLE_NAME: 'table',
      TOPIC_ARN_TIMESHEETS: 'arn:aws:sns:us-east-1:000000000000:timesheets',
      TOPIC_ARN_CLOCKINGS: 'arn:aws:sns:us-east-1:000000000000:clockings',
      TOPIC_ARN_PAY_PERIODS: 'arn:aws:sns:us-east-1:000000000000:pay-periods',
      TOPIC_ARN_OPERATIONS: 'arn:aws:sns:us-east-1:000000000000:operations',
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
