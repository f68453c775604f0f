/**
 * Takes out of the lock file which Node each package asks for: all of them run on the pinned one, and npm would warn that
 * the Node of the host is too old for some. Optional packages keep it, since npm installs them by it.
 */
import { readFileSync, writeFileSync } from 'node:fs';

const FILE = new URL('../../package-lock.json', import.meta.url);
const lockFile = JSON.parse(readFileSync(FILE, 'utf8'));
for (const [path, entry] of Object.entries(lockFile.packages)) {
  if (path.startsWith('node_modules/') && entry.optional !== true) delete entry.engines;
}
writeFileSync(FILE, `${JSON.stringify(lockFile, null, 2)}\n`);
