import { renameSync, writeFileSync } from 'node:fs';

/** Writes a file so that a kill at any moment leaves either the old or the new content. */
export function replaceFile(file: string, text: string, mode?: number): void {
  writeFileSync(`${file}.new`, text, { mode });
  renameSync(`${file}.new`, file);
}
