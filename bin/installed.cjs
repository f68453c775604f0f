/**
 * Says in one sentence that nothing is installed. Required before any other file, by whatever Node the host has: `npm ci`
 * brings the packages and the Node that runs the rest, so old syntax, and nothing but what every Node has.
 */
function isInstalled() {
  try {
    const installed = require('node/package.json').version;
    return Number.parseInt(process.versions.node, 10) >= Number.parseInt(installed, 10);
  } catch (_) {
    return false;
  }
}

if (!isInstalled()) {
  console.error('run npm ci first: it brings the packages, and the Node that runs them');
  process.exit(1);
}
