import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { NotifierError } from '#shared/core/errors.ts';
import { DYNAMODB_VARIABLE } from '../user-settings.ts';
import { checkDatabase, compactDatabase } from './check-database.ts';
import type { DataFolder } from './data-folder.ts';
import { openDoor, SERVICES } from './door.ts';
import { chooseLoopbackHost, findFreePort } from './processes.ts';

const DATABASE_FILE = 'dynamodb.db';
const OPEN_TO_USERS =
  'every user of this machine can read and change the table of this run: the embedded DynamoDB asks nobody for a key; run it where nobody else logs in';
const OPEN_ELSEWHERE =
  'the table of this run is in the DynamoDB of AWS_ENDPOINT_URL_DYNAMODB: whoever reaches that reads hours and names, so let nobody else reach it';
/** Of a machine that is busy. */
const START_TIMEOUT_MS = 60_000;
/** Between the choice of a port and its use another process may take it. */
const MAX_STARTS = 5;

/** A local service that listens at `endpoint` until it is stopped. */
export interface Engine {
  readonly endpoint: string;
  stop(): Promise<void>;
}

/** A DynamoDB behind its door. */
export interface TableEngine extends Engine {
  /** Who else reaches the engine itself, which asks nobody for a key; null when nobody does. */
  readonly exposure: string | null;
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
): Promise<TableEngine> {
  const external = environment[DYNAMODB_VARIABLE] ?? '';
  const engine =
    external === ''
      ? await startEmbedded(folder)
      : { endpoint: external, stop: async () => {}, exposure: OPEN_ELSEWHERE };
  const rules = { accessKeyId: () => accessKeyId, services: SERVICES.dynamoDb };
  const { endpoint, stop } = await openDoor(engine, rules);
  return {
    endpoint,
    exposure: engine.exposure,
    stop: async () => {
      await stop();
      await engine.stop();
    },
  };
}

async function startEmbedded(folder: DataFolder): Promise<TableEngine> {
  checkDatabase(folder.file(DATABASE_FILE));
  const binary = findEngineBinary();
  for (let start = 1; ; start += 1) {
    const host = chooseLoopbackHost();
    const engine = await launch(binary, { folder, host, port: await findFreePort(host) });
    if (typeof engine !== 'string') return { ...engine, exposure: OPEN_TO_USERS };
    if (start === MAX_STARTS) {
      throw new NotifierError(
        'engine_not_started',
        `the embedded DynamoDB did not start (${binary}): ${engine}; check that this machine may execute it, or set AWS_ENDPOINT_URL_DYNAMODB to another DynamoDB`,
      );
    }
  }
}

interface EnginePlace {
  readonly folder: DataFolder;
  readonly host: string;
  readonly port: number;
}

/** Settles once the engine listens; with why not when it ends before. */
async function launch(binary: string, { folder, host, port }: EnginePlace): Promise<Engine | string> {
  const serve = ['serve', '--host', host, '--port', String(port), '--db-path', folder.file(DATABASE_FILE)];
  const [command = binary, ...rest] = [...findSignalBlocker(), binary, ...serve];
  const child = spawn(command, rest, { stdio: ['ignore', 'ignore', 'pipe'] });
  if (child.pid !== undefined) folder.rememberEngine(child.pid);
  const failure = await waitUntilListening(child);
  if (failure !== null) {
    folder.rememberEngine(null);
    return failure;
  }
  child.unref();
  // Ends the engine also when this process ends unexpectedly, except by SIGKILL.
  const end = () => void child.kill('SIGKILL');
  process.once('exit', end);
  child.once('exit', () => process.off('exit', end));
  return { endpoint: `http://${host}:${port}`, stop: () => stopEngine(child, folder) };
}

let signalBlocker: readonly string[] | undefined;

/**
 * Ctrl-C reaches every process of the terminal, and the engine would stop while functions still commit. It installs its
 * own handlers, so ignored signals would not stay ignored; blocked ones stay blocked over `exec`.
 */
function findSignalBlocker(): readonly string[] {
  const shield = ['env', '--block-signal=INT,TERM'];
  signalBlocker ??=
    spawnSync('env', [...shield.slice(1), 'true'], { stdio: 'ignore' }).status === 0 ? shield : [];
  return signalBlocker;
}

/** Null once the process reports that it listens; what it said when it ends before, or the timeout passes. */
async function waitUntilListening(child: ChildProcess): Promise<string | null> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), START_TIMEOUT_MS);
  let said = '';
  child.once('error', ({ message }) => {
    said = message;
    resolve(false);
  });
  // Once all that it said is read.
  child.once('close', () => resolve(false));
  const read = (chunk: Buffer) => {
    said += chunk.toString();
    if (said.includes('listening')) resolve(true);
  };
  child.stderr?.on('data', read);
  const listens = await promise;
  clearTimeout(timer);
  // What it says afterwards is read by nobody, and must not fill its pipe.
  child.stderr?.off('data', read).resume();
  if (listens) return null;
  child.kill('SIGKILL');
  return said.trim().split('\n').at(-1) || 'it said nothing';
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
  compactDatabase(folder.file(DATABASE_FILE));
}

const INSTEAD =
  'where there is none, start another one, such as DynamoDB Local, and set AWS_ENDPOINT_URL_DYNAMODB to its address';

/** Path of the embedded DynamoDB for a platform: each is an optional package. Throws a `NotifierError` `engine_missing`. */
export function findEngineBinary(
  { platform, arch }: Pick<NodeJS.Process, 'platform' | 'arch'> = process,
  resolve: (path: string) => string = createRequire(import.meta.url).resolve,
): string {
  const name = `${platform}-${arch}`;
  try {
    return resolve(`@dynoxide/${name}/dynoxide${platform === 'win32' ? '.exe' : ''}`);
  } catch (cause) {
    throw new NotifierError(
      'engine_missing',
      `the embedded DynamoDB for ${name} is not installed: run npm install without --omit=optional; ${INSTEAD}`,
      { cause },
    );
  }
}
