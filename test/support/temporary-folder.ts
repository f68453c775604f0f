import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Tests, and the programs that they start and kill, leave files behind: a run has a folder for all, which ends with it. */
export function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'notifier-tests-'));
  process.env.TMPDIR = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
