import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_ROOT } from '#infra/project-root.ts';

export interface Installation {
  readonly name: string;
  /** Everything that decides what is installed: when it changes, it is installed anew. */
  readonly pinned: string;
  /** Runs the commands that install it into a folder. */
  readonly install: (folder: string) => void;
}

/** Returns the folder under `.cache` in which it is installed. */
export function ensureInstalled({ name, pinned, install }: Installation): string {
  const hash = createHash('sha256').update(pinned).digest('hex').slice(0, 12);
  const folder = join(PROJECT_ROOT, '.cache', `${name}-${hash}`);
  const complete = join(folder, 'installed');
  if (existsSync(complete)) return folder;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  install(folder);
  writeFileSync(complete, '');
  return folder;
}
