#!/usr/bin/env node
/** The commands of operators and integration engineers: `npm run notifier -- --help`. */
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

// What commands write holds hours and names of people: nobody else on this machine reads it.
process.umask(0o077);
// Imported late, so that what is compiled is kept for the next command: each starts in half the time. Beside the program:
// in the folder for temporary files, other users of this machine could put there what we run.
enableCompileCache(fileURLToPath(new URL('../.cache/compiled', import.meta.url)));
const { isReaderGone } = await import('#shared/terminal/output.ts');
process.stdout.on('error', (error) => {
  if (!isReaderGone(error)) throw error;
});
const { runNotifier } = await import('./program.ts');
await runNotifier(process.argv.slice(2));
