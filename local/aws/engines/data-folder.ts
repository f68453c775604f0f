import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { FORMAT } from '#shared/adapters/dynamo/attributes.ts';
import { NotifierError } from '#shared/core/errors.ts';
import { endProcess } from './processes.ts';

const LOCK_FILE = 'lock';
/** Holds the number of the format in which the folder is stored. */
const FORMAT_FILE = 'format';
const OWNER_FILE = 'owner.pid';
const ENGINE_FILE = 'engine.pid';
/** The bits of a mode for the group and everybody else. */
const OTHERS = 0o077;
/** In which the functions of the machine log. */
export const FUNCTIONS_LOG = 'functions.log';

/** The folder with all data of one machine: table, topics, queues, messages, simulated time. */
export interface DataFolder {
  /** Absolute path. */
  readonly path: string;
  /** Whether it was empty when it was opened. */
  readonly fresh: boolean;
  file(name: string): string;
  /** Stores the process id of an engine, so that the next run can end it if this one is killed; `null` removes it. */
  rememberEngine(pid: number | null): void;
  release(): void;
}

/** Whether a machine has ever used a folder. Creates nothing. */
export function isDataFolder(directory: string): boolean {
  return existsSync(join(directory, LOCK_FILE));
}

/**
 * Opens a data folder for this process alone and ends an engine that a killed run left behind in it. Throws a
 * `NotifierError` when another run uses the folder, it is not writable, others can read it, or it is of another format.
 */
export async function openDataFolder(directory: string): Promise<DataFolder> {
  const path = resolve(directory);
  const file = (name: string) => join(path, name);
  const fresh = !isDataFolder(path);
  refuseOpenFolder(path);
  if (!fresh) refuseOtherFormat(path);
  const lock = takeLock(path);
  await endOrphanedEngine(file(ENGINE_FILE), path);
  return {
    path,
    fresh,
    file,
    rememberEngine: (pid) => {
      if (pid === null) rmSync(file(ENGINE_FILE), { force: true });
      else writeFileSync(file(ENGINE_FILE), String(pid));
    },
    release: () => {
      rmSync(file(OWNER_FILE), { force: true });
      lock.close();
    },
  };
}

/** Windows has no such modes. */
function refuseOpenFolder(path: string): void {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
  if (process.platform === 'win32' || (mode & OTHERS) === 0) return;
  throw new NotifierError(
    'data_folder_open',
    `data folder ${path} is open to other users of this machine (mode ${(mode & 0o777).toString(8)}), and holds hours and names of people; close it with: chmod -R go= ${path}`,
  );
}

function refuseOtherFormat(path: string): void {
  const file = join(path, FORMAT_FILE);
  const format = existsSync(file) ? readFileSync(file, 'utf8').trim() : null;
  if (format === String(FORMAT)) return;
  const found = format === null ? 'names no format' : `is of format ${format}`;
  throw new NotifierError(
    'data_folder_format',
    `data folder ${path} ${found}, and this version reads format ${FORMAT} alone; name a new folder with --data: its baseline is silent`,
  );
}

/**
 * The lock is SQLite's exclusive lock on a file. The operating system releases it when the process dies in any way, so
 * there are no stale locks to detect and no race between two runs that both see one. The process id beside it is only
 * for the error message.
 */
function takeLock(path: string): DatabaseSync {
  let lock: DatabaseSync | undefined;
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    if (!isDataFolder(path)) writeFileSync(join(path, FORMAT_FILE), String(FORMAT));
    lock = new DatabaseSync(join(path, LOCK_FILE));
    lock.exec('BEGIN EXCLUSIVE');
  } catch (cause) {
    lock?.close();
    throw toFolderError(path, cause);
  }
  writeFileSync(join(path, OWNER_FILE), String(process.pid));
  return lock;
}

function toFolderError(path: string, cause: unknown): NotifierError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  if (!reason.includes('locked')) {
    return new NotifierError(
      'data_folder_unusable',
      `data folder ${path} cannot be used (${reason}); name a writable folder with --data`,
      { cause },
    );
  }
  const owner = readPid(join(path, OWNER_FILE));
  const who = owner === null ? 'another run' : `another run (process ${owner})`;
  return new NotifierError(
    'data_folder_locked',
    `data folder ${path} is in use by ${who}; stop that run or name another folder with --data`,
    { cause },
  );
}

async function endOrphanedEngine(file: string, mark: string): Promise<void> {
  const pid = readPid(file);
  if (pid !== null) await endProcess(pid, mark);
  rmSync(file, { force: true });
}

function readPid(file: string): number | null {
  if (!existsSync(file)) return null;
  const number = Number.parseInt(readFileSync(file, 'utf8'), 10);
  return Number.isSafeInteger(number) && number > 1 ? number : null;
}
