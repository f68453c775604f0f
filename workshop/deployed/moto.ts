/**
 * The AWS that this project did not write: https://github.com/getmoto/moto, from the Python package index, with everything
 * it needs pinned. It runs in one process and keeps the account in memory.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { openSync, readFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Engine } from '#local/aws/engines/dynamodb-engine.ts';
import { findFreePort } from '#local/aws/engines/processes.ts';
import { LOCAL_ACCOUNT } from '#local/aws/template/local-account.ts';
import { runCommand } from '../recipes/run-command.ts';
import { ensureInstalled } from './install.ts';

const REQUIREMENTS = fileURLToPath(new URL('./requirements.txt', import.meta.url));
const START_TIMEOUT_MS = 300_000;
const START_PAUSE_MS = 200;

/** With its exact version: `moto 5.2.5`. */
export const MOTO = `moto ${/^moto==(.+)$/m.exec(readFileSync(REQUIREMENTS, 'utf8'))?.[1] ?? ''}`;

/**
 * Installs it under `.cache` if it is not there yet, and starts it on a free loopback port. Throws when it cannot be had, or
 * does not come up within five minutes.
 */
export async function startMoto(logFile: string): Promise<Engine> {
  const pinned = readFileSync(REQUIREMENTS, 'utf8');
  const program = join(ensureInstalled({ name: 'moto', pinned, install }), 'bin', 'moto_server');
  const port = await findFreePort();
  const log = openSync(logFile, 'w');
  const child = spawn(program, ['-H', '127.0.0.1', '-p', String(port)], {
    stdio: ['ignore', log, log],
    env: { ...process.env, MOTO_ACCOUNT_ID: LOCAL_ACCOUNT, PYTHONUNBUFFERED: '1', PYTHONWARNINGS: 'ignore' },
  });
  // Also after Ctrl-C, of which a process of its own hears nothing.
  process.once('exit', () => child.kill('SIGKILL'));
  const endpoint = `http://127.0.0.1:${port}`;
  await waitUntilUp(`${endpoint}/moto-api/data.json`, child);
  return { endpoint, stop: () => end(child) };
}

function install(folder: string): void {
  runCommand(['python3', '-m', 'venv', folder], { cwd: '.' });
  runCommand([join(folder, 'bin', 'pip'), 'install', '--quiet', '--requirement', REQUIREMENTS], { cwd: '.' });
}

async function waitUntilUp(url: string, child: ChildProcess): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (Date.now() < deadline && child.exitCode === null) {
    const up = await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    );
    if (up) return;
    await new Promise((resolve) => setTimeout(resolve, START_PAUSE_MS));
  }
  child.kill('SIGKILL');
  throw new Error(`the emulator did not start within ${START_TIMEOUT_MS / 1_000} s; see its log`);
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

const DELETED =
  '<DeleteChangeSetResponse xmlns="http://cloudformation.amazonaws.com/doc/2010-05-15/"><DeleteChangeSetResult/></DeleteChangeSetResponse>';

/** The beginning of an answer to `DescribeTable`. */
const DESCRIBED_TABLE = /^\{\s*"Table"\s*:\s*\{/;
const DESCRIBED_BYTES = 32;

/**
 * Puts right what moto answers about a change set that is not there: a crash when it is to be deleted, and an error of
 * another name when it is described. The CDK CLI does both before each change of a stack. And it gives each table the id
 * that moto leaves out. `request`: its body.
 */
export function correctMotoAnswer(request: string, answer: Answer): Answer {
  if (answer.status === 200 && DESCRIBED_TABLE.test(answer.body.toString('utf8', 0, DESCRIBED_BYTES))) {
    return addTableId(answer);
  }
  const action = /(?:^|&)Action=(\w+)/.exec(request)?.[1];
  if (action === 'DeleteChangeSet' && answer.status === 500) {
    return { status: 200, headers: { 'content-type': 'text/xml' }, body: Buffer.from(DELETED) };
  }
  if (action !== 'DescribeChangeSet' || answer.status !== 400) return answer;
  const { 'content-length': _, ...headers } = answer.headers;
  const body = Buffer.from(answer.body.toString().replaceAll('ValidationError', 'ChangeSetNotFound'));
  return { status: 404, headers, body };
}

/** A table that is made anew, or restored, is another one. */
function addTableId({ status, headers, body }: Answer): Answer {
  const { 'content-length': _, ...kept } = headers;
  const answered = JSON.parse(body.toString()) as { Table: { TableArn: string; CreationDateTime: number } };
  const { Table } = answered;
  const hash = createHash('sha256').update(`${Table.TableArn} ${Table.CreationDateTime}`).digest('hex');
  const TableId = hash.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*/, '$1-$2-$3-$4-$5');
  return { status, headers: kept, body: Buffer.from(JSON.stringify({ Table: { ...Table, TableId } })) };
}
