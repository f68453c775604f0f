import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { NotifierError } from '#shared/core/errors.ts';
import { checkDatabase } from './check-database.ts';
import type { DataFolder } from './data-folder.ts';
import { openDoor, SERVICES } from './door.ts';
import { chooseLoopbackHost, findFreePort } from './processes.ts';

const ENGINE_BINARY = '@dynoxide/linux-x64/dynoxide';
const DATABASE_FILE = 'dynamodb.db';
const START_ATTEMPTS = 5;
const START_TIMEOUT_MS = 15_000;

/** A local service that listens at `endpoint` until it is stopped. */
export interface Engine {
  readonly endpoint: string;
  stop(): Promise<void>;
}

export interface DynamoDbOptions {
  readonly environment: NodeJS.ProcessEnv;
  /** Without which it answers nothing. */
  readonly accessKeyId: string;
}

/**
 * DynamoDB with its data in the folder: the embedded engine, or the DynamoDB that `AWS_ENDPOINT_URL_DYNAMODB`
 * names. Acknowledged writes survive a kill of this process, of the engine, or of both.
 */
export async function startDynamoDb(
  folder: DataFolder,
  { environment, accessKeyId }: DynamoDbOptions,
): Promise<Engine> {
  const external = environment.AWS_ENDPOINT_URL_DYNAMODB ?? '';
  const engine = external === '' ? await startEmbedded(folder) : { endpoint: external, stop: async () => {} };
  const rules = { accessKeyId: () => accessKeyId, services: SERVICES.dynamoDb };
  const { endpoint, stop } = await openDoor(engine.endpoint, rules);
  return {
    endpoint,
    stop: async () => {
      await stop();
      await engine.stop();
    },
  };
}

async function startEmbedded(folder: DataFolder): Promise<Engine> {
  checkTable(folder, { thorough: false });
  const binary = findEngineBinary();
  for (let attempt = 1; ; attempt += 1) {
    const host = chooseLoopbackHost();
    const engine = await launch(binary, { folder, host, port: await findFreePort(host) });
    if (engine !== null) return engine;
    // Another process may have taken the port before the engine did.
    if (attempt === START_ATTEMPTS) {
      throw new NotifierError(
        'engine_not_started',
        `the embedded DynamoDB did not start (${binary}); check that this machine may execute it, or set AWS_ENDPOINT_URL_DYNAMODB to another DynamoDB`,
      );
    }
  }
}

/** Throws a `NotifierError` `data_folder_damaged` when the table of the embedded engine cannot be read. */
export function checkTable(folder: Pick<DataFolder, 'file'>, how: { readonly thorough: boolean }): void {
  checkDatabase(folder.file(DATABASE_FILE), how);
}

function findEngineBinary(): string {
  try {
    return createRequire(import.meta.url).resolve(ENGINE_BINARY);
  } catch (cause) {
    throw new NotifierError(
      'engine_missing',
      `there is no embedded DynamoDB for ${process.platform}-${process.arch}; start another one, such as DynamoDB Local, and set AWS_ENDPOINT_URL_DYNAMODB to its address`,
      { cause },
    );
  }
}

async function launch(
  binary: string,
  { folder, host, port }: { folder: DataFolder; host: string; port: number },
) {
  const args = ['serve', '--host', host, '--port', String(port), '--db-path', folder.file(DATABASE_FILE)];
  const [command = binary, ...rest] = [...findSignalBlocker(), binary, ...args];
  const child = spawn(command, rest, { stdio: ['ignore', 'ignore', 'pipe'] });
  if (child.pid !== undefined) folder.rememberEngine(child.pid);
  if (!(await waitUntilListening(child))) {
    folder.rememberEngine(null);
    return null;
  }
  child.unref();
  // Ends the engine also when this process ends unexpectedly, except by SIGKILL.
  const end = () => void child.kill('SIGKILL');
  process.once('exit', end);
  child.once('exit', () => process.off('exit', end));
  return { endpoint: `http://${host}:${port}`, stop: () => stopEngine(child, folder) } satisfies Engine;
}

/**
 * Ctrl-C reaches every process of the terminal, and the engine would stop while functions still commit. It installs its
 * own handlers, so ignored signals would not stay ignored; blocked ones stay blocked over `exec`.
 */
function findSignalBlocker(): string[] {
  const shield = ['env', '--block-signal=INT,TERM'];
  const [command = '', ...args] = shield;
  return spawnSync(command, [...args, 'true'], { stdio: 'ignore' }).status === 0 ? shield : [];
}

/** Whether the process reports that it listens, before it ends or the timeout passes. */
async function waitUntilListening(child: ChildProcess): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), START_TIMEOUT_MS);
  child.once('error', () => resolve(false));
  child.once('exit', () => resolve(false));
  child.stderr?.on('data', (chunk: Buffer) => {
    if (chunk.includes('listening')) resolve(true);
  });
  const listens = await promise;
  clearTimeout(timer);
  if (!listens) child.kill('SIGKILL');
  return listens;
}

async function stopEngine(child: ChildProcess, folder: DataFolder): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    const ended = once(child, 'exit');
    child.ref();
    // SIGTERM is blocked, and every acknowledged write is already in its file.
    child.kill('SIGKILL');
    await ended;
  }
  folder.rememberEngine(null);
}
