import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
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
  file(name: string): string;
  /** Stores the process id of an engine, so that the next run can end it if this one is killed; `null` removes it. */
  rememberEngine(pid: number | null): void;
  release(): void;
}

/** The path of a folder that a machine has used. Creates nothing. Throws a `NotifierError` when none has, or it is unsafe. */
export function findDataFolder(directory: string): string {
  const path = resolve(directory);
  if (existsSync(path)) refuseForeignFolder(path);
  if (isDataFolder(path)) {
    refuseUnsafeFolder(path);
    return path;
  }
  throw new NotifierError(
    'data_folder_empty',
    `${path} is not a data folder; run \`npm start\` first, or name its folder with --data`,
  );
}

function isDataFolder(path: string): boolean {
  return existsSync(join(path, LOCK_FILE));
}

/**
 * Opens a data folder for this process alone and ends an engine that a killed run left behind in it. Throws a
 * `NotifierError` when another run uses the folder, it is not writable, it is unsafe, or it is of another format.
 */
export async function openDataFolder(directory: string): Promise<DataFolder> {
  const path = resolve(directory);
  const file = (name: string) => join(path, name);
  makeFolder(path);
  if (isDataFolder(path)) refuseOtherFormat(path);
  const lock = takeLock(path);
  await endOrphanedEngine(file(ENGINE_FILE), path);
  return {
    path,
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

function makeFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    refuseUnsafeFolder(path);
  } catch (cause) {
    throw cause instanceof NotifierError ? cause : toFolderError(path, cause);
  }
}

function refuse(path: string, what: 'foreign' | 'open' | 'link' | 'format', why: string): never {
  throw new NotifierError(`data_folder_${what}`, `data folder ${path} ${why}`);
}

/**
 * Refuses a folder that another user can read or change, or could before: one who left a link in it would have us write
 * elsewhere. Once it is ours alone, nobody else makes one, so that every file in it is opened without following links,
 * also by the engines.
 */
function refuseUnsafeFolder(path: string): void {
  refuseForeignFolder(path);
  const { mode } = statSync(path);
  // Windows has no such modes.
  if (process.platform !== 'win32' && (mode & OTHERS) !== 0) {
    const shown = (mode & 0o777).toString(8);
    refuse(
      path,
      'open',
      `is open to other users of this machine (mode ${shown}), and holds hours and names of people; close it with: chmod -R go= ${path}`,
    );
  }
  const entries = readdirSync(path, { recursive: true, withFileTypes: true });
  const link = entries.find((entry) => entry.isSymbolicLink());
  if (link !== undefined) {
    refuse(
      path,
      'link',
      `holds the link ${link.name}, and what is written to a data folder stays in it; remove the link, or name another folder with --data`,
    );
  }
}

/** Windows has no owners as others do. */
function refuseForeignFolder(path: string): void {
  const { uid } = statSync(path);
  if (process.geteuid === undefined || uid === process.geteuid()) return;
  refuse(
    path,
    'foreign',
    `belongs to another user of this machine (${uid}), who can change what is in it; name a folder of your own with --data`,
  );
}

function refuseOtherFormat(path: string): void {
  const file = join(path, FORMAT_FILE);
  const format = existsSync(file) ? readFileSync(file, 'utf8').trim() : null;
  if (format === String(FORMAT)) return;
  const found = format === null ? 'names no format' : `is of format ${format}`;
  refuse(
    path,
    'format',
    `${found}, and this version reads format ${FORMAT} alone; name a new folder with --data: its baseline is silent`,
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
