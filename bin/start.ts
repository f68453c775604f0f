/** Runs the whole notifier on one machine. */
import { readOptions } from '#local/run/options.ts';
import { NotifierError } from '#shared/core/errors.ts';
import { escapeLines } from '#shared/terminal/output.ts';
import { useProxies } from './proxies.ts';
import { startNotifier } from './start-command.ts';

async function main(): Promise<number> {
  // Tables, logs and messages hold hours and names of people: nobody else on this machine reads them.
  process.umask(0o077);
  useProxies();
  const options = await readOptions(process.argv.slice(2), process.env);
  if (options === null) return 0;
  return await startNotifier(options);
}

function fail(error: unknown): number {
  if (error instanceof NotifierError) console.error(escapeLines(error.message));
  else console.error('unexpected error:', error);
  return 1;
}

process.exit(await main().catch(fail));
