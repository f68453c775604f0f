/**
 * Compares the Node that the package `node` installed with its pinned digest, and removes another one; for a platform
 * without a digest it says so. Removes the archive that it was unpacked from: bin/node is linked to it, and the rest is
 * headers, 67 MB that nothing here compiles with. The package fetches it in an install script, past the lock file. `npm ci` runs this at
 * its end as `prepare`, on the Node that npm itself runs on, since the one to be checked cannot vouch for itself: old
 * syntax, and nothing but Node's own modules.
 */
import { createHash } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const { version, sha256 } = JSON.parse(readFileSync(new URL('digests.json', import.meta.url), 'utf8'));
const platform = `${process.platform}-${process.arch}`;
const file = process.platform === 'win32' ? 'node.exe' : 'node';
// npm runs it in the folder of the project: this repository, or one that `npm create workforce-notifier` made.
const installed = join(process.cwd(), 'node_modules', 'node');
const binary = join(installed, 'bin', file);

const found = createHash('sha256').update(readFileSync(binary)).digest('hex');
const pinned = sha256[platform];
if (pinned === undefined) {
  process.stderr.write(
    `${binary} is not compared: no digest of Node ${version} is pinned for ${platform}. Compare it with bin/node of the archive of nodejs.org, and add its digest to ${fileURLToPath(new URL('digests.json', import.meta.url))} if it is ${found}\n`,
  );
} else if (found !== pinned) {
  rmSync(binary);
  process.stderr.write(
    `${binary} is removed: its SHA-256 is ${found}, and ${pinned} is pinned for Node ${version} on ${platform}; do not run it, and find out who changed the package "node" or your registry\n`,
  );
  process.exitCode = 1;
}

rmSync(join(installed, 'node_modules'), { recursive: true, force: true });
