import { execFileSync } from 'node:child_process';
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

export interface InstallCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly timeoutMs: number;
  /** What a machine must have for it, for the message when it fails. */
  readonly needs: string;
}

/** Throws, with what the command printed, when it fails. */
export function runInstaller({ command, args, timeoutMs, needs }: InstallCommand): void {
  try {
    execFileSync(command, args, {
      stdio: ['ignore', 'ignore', 'pipe'],
      timeout: timeoutMs,
    });
  } catch (cause) {
    const { stderr = '' } = cause as { stderr?: Buffer | string };
    const tail = String(stderr).slice(-MAX_ERROR_CHARACTERS);
    throw new Error(
      `cannot install the emulator: ${command} ${args.join(' ')} failed; it needs ${needs}\n${tail}`,
      { cause },
    );
  }
}

const MAX_ERROR_CHARACTERS = 2_000;
