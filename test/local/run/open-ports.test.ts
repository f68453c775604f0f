import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '#test/support/eventually.ts';
import { ask, type Question } from '../ask.ts';
import { createTemporaryFolder } from '../aws/fixture-assembly.ts';

const MAIN = fileURLToPath(new URL('../../../bin/start.ts', import.meta.url));
/** In hexadecimal, as `/proc/net/tcp` has it. */
const LISTENING = '0A';
/** What may be known to everybody: the console's first page, without data. */
const PUBLIC = /^<!doctype html>/i;

let run: ChildProcess;
let ports: readonly string[];
const data = join(createTemporaryFolder('ports'), 'data');

beforeAll(async () => {
  run = spawn(process.execPath, [MAIN, '--data', data, '--time-zone', 'Europe/Berlin'], {
    stdio: ['ignore', 'ignore', 'ignore'],
  });
  await eventually(() => expect(existsSync(join(data, 'machine.json'))).toBe(true));
  // The console is the last to listen: engines, secrets, receivers and the sample company are there.
  await eventually(() => expect(listPorts(run.pid ?? 0).length).toBeGreaterThanOrEqual(6));
  // The table has an address that no page finds; the run says that other users do.
  ports = listPorts(run.pid ?? 0).filter((port) => port.startsWith('127.0.0.1:'));
});

afterAll(async () => {
  run.kill('SIGTERM');
  await once(run, 'exit');
});

describe('whoever is not the run gets nothing from any port of it', () => {
  const AWS = { 'content-type': 'application/x-amz-json-1.0', 'x-amz-date': '20260101T000000Z' };
  const post = (headers: Record<string, string>, body = '{}', path = '/'): Question => ({
    ...{ method: 'POST', path, body },
    headers: { ...AWS, ...headers },
  });
  const signed = (service: string, key = 'local') => ({
    authorization: `AWS4-HMAC-SHA256 Credential=${key}/20260101/us-east-1/${service}/aws4_request, SignedHeaders=host, Signature=x`,
  });
  const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
  const calls = (more: Record<string, string> = {}): Question[] => [
    post({ ...signed('dynamodb'), 'x-amz-target': 'DynamoDB_20120810.ListTables', ...more }),
    post({ ...signed('sqs'), 'x-amz-target': 'AmazonSQS.ListQueues', ...more }),
    post(
      { ...signed('secretsmanager'), 'x-amz-target': 'secretsmanager.GetSecretValue', ...more },
      '{"SecretId":"workforce-notifier/main"}',
    ),
    post({ ...FORM, ...signed('sns'), ...more }, 'Action=ListTopics&Version=2010-03-31'),
    post({ ...more }, '{"text":"10 timesheets approved"}', '/slack/payroll'),
    post({ ...more }, '{}', '/session'),
    ...['/', '/health', '/_fauxqs/queues', '/api/v1/timesheets', '/now', '/stream', '/bucket'].map(
      (path): Question => ({ method: 'GET', path, headers: more }),
    ),
    { method: 'PUT', path: '/bucket', headers: more },
    { method: 'OPTIONS', path: '/', headers: { 'access-control-request-method': 'POST', ...more } },
  ];

  test.each([
    ['another user of the machine', {}],
    ['a web page', { origin: 'https://page.example' }],
    ['a plain form of a page without an origin', { origin: 'null' }],
    ['a name that was pointed at this machine', { host: 'page.example' }],
  ] as const)('%s', async (_, more) => {
    const told: string[] = [];
    for (const port of ports) {
      for (const question of calls(more)) {
        const { status, body, headers, isTelling } = await ask(`http://${port}`, question);
        expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
        if (status < 400 && isTelling && !PUBLIC.test(body))
          told.push(`${port} ${question.method} ${question.path}: ${body}`);
      }
    }
    expect(told).toEqual([]);
  });
});

test('what a run writes is for its user alone', () => {
  const open = readdirSync(data, { recursive: true })
    .map((name) => join(data, String(name)))
    .filter((path) => (statSync(path).mode & 0o077) !== 0);
  expect(open).toEqual([]);
  expect(existsSync(join(data, 'dynamodb.db'))).toBe(true);
});

/** `host:port` of everything that a process and its children listen on. */
function listPorts(root: number): string[] {
  const sockets = new Set(listFamily(root).flatMap(listSockets));
  const lines = ['tcp', 'tcp6'].flatMap((name) =>
    readFileSync(`/proc/net/${name}`, 'utf8').split('\n').slice(1),
  );
  return lines.flatMap((line) => {
    const [, local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/);
    if (state !== LISTENING || !sockets.has(inode)) return [];
    const [host = '', port = ''] = local.split(':');
    const bytes = host.match(/../g) ?? [];
    const address = bytes
      .map((byte) => Number.parseInt(byte, 16))
      .reverse()
      .join('.');
    return [`${address}:${Number.parseInt(port, 16)}`];
  });
}

function listFamily(root: number): number[] {
  const parents = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => {
      const text = readOrEmpty(() => readFileSync(`/proc/${name}/stat`, 'utf8'));
      return [Number(name), Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[1])] as const;
    });
  const below = (pid: number): number[] => [
    pid,
    ...parents.flatMap(([child, parent]) => (parent === pid ? below(child) : [])),
  ];
  return below(root);
}

function listSockets(pid: number): string[] {
  const folder = `/proc/${pid}/fd`;
  const names = readOrEmpty(() => readdirSync(folder).join(' ')).split(' ');
  return names.flatMap(
    (name) => /^socket:\[(\d+)\]$/.exec(readOrEmpty(() => readlinkSync(join(folder, name))))?.[1] ?? [],
  );
}

/** Processes end meanwhile. */
function readOrEmpty(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}
