import { parseArgs } from 'node:util';
import { type RunOptions, readOptions } from '#local/run/options.ts';
import { createOptionsError } from '#shared/terminal/options.ts';
import { INCIDENTS, type Incident } from './incidents.ts';

const NAMES = INCIDENTS.map(({ name }) => name);

export const HELP = `usage: npm run drill -- [PARTS] [options]

Breaks one part after another of the notifier on this machine, in simulated time, and shows what sounds, what waits and
how it recovers. PARTS are some of ${NAMES.join(',')}.

  --connection NAME, --time-zone ZONE, --window-back DAYS, --window-forward DAYS   as of npm start`;

export interface DrillOptions {
  /** In the order of the drill. */
  readonly incidents: readonly Incident[];
  readonly run: RunOptions;
}

/** Reads the command line of a drill; `null` when it asks for help. A drill has a company and receivers of its own. */
export async function readDrillOptions(args: readonly string[]): Promise<DrillOptions | null> {
  const { values, positionals } = parse(args);
  if (values.help === true) return null;
  const run = await readOptions(
    Object.entries(values).map(([name, value]) => `--${name}=${value}`),
    {},
  );
  return run === null ? null : { incidents: readIncidents(positionals), run };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        connection: { type: 'string' },
        'time-zone': { type: 'string' },
        'window-back': { type: 'string' },
        'window-forward': { type: 'string' },
        help: { type: 'boolean' },
      },
    });
  } catch (error) {
    throw createOptionsError(`${(error as Error).message}; see npm run drill -- --help`, error);
  }
}

function readIncidents(given: readonly string[]): readonly Incident[] {
  if (given.length === 0) return INCIDENTS;
  const names = given.flatMap((text) => text.split(',')).map((name) => name.trim());
  const unknown = names.find((name) => !NAMES.includes(name));
  if (unknown === undefined) return INCIDENTS.filter(({ name }) => names.includes(name));
  throw createOptionsError(`there is no ${JSON.stringify(unknown)}; use some of ${NAMES.join(', ')}`);
}
