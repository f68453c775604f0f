import { accessSync, constants, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { NotifierError } from '#shared/core/errors.ts';
import { isOwn } from '../engines/data-folder.ts';

const NAME = 'workforce-change-notifier';
const CACHE_IN_HOME: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  darwin: ['Library', 'Caches'],
  win32: ['AppData', 'Local'],
};

/**
 * The folder for what is built: beside the project, or where that cannot be written, such as a read-only container or the
 * checkout of somebody else, in the user's cache folder, or else in the data folder. Makes it. Throws a `NotifierError`
 * (`cache_unwritable`).
 */
export function makeCacheFolder(project: string, data?: string): string {
  const ofUser = join(findUserCache(process.env), NAME);
  const withData = data === undefined ? [] : [resolve(data, 'built')];
  const folders = [join(project, '.cache', 'synth'), ofUser, ...withData];
  // What is in it is run: nobody else may have made it.
  const found = folders.find((folder) => isWritable(folder) && (folder !== ofUser || isOwn(folder)));
  if (found !== undefined) return found;
  throw new NotifierError(
    'cache_unwritable',
    `what is built cannot be kept in ${folders.join(' or ')}; set XDG_CACHE_HOME to a folder of yours that can be written`,
  );
}

function isWritable(folder: string): boolean {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Where programs keep what they can make again, for one user. */
export function findUserCache(
  { XDG_CACHE_HOME = '', LOCALAPPDATA }: NodeJS.ProcessEnv,
  platform: NodeJS.Platform = process.platform,
): string {
  if (isAbsolute(XDG_CACHE_HOME)) return XDG_CACHE_HOME;
  if (platform === 'win32' && LOCALAPPDATA !== undefined) return LOCALAPPDATA;
  return join(homedir(), ...(CACHE_IN_HOME[platform] ?? ['.cache']));
}
