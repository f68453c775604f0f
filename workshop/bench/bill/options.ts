import { parseArgs } from 'node:util';
import { NotifierError } from '#shared/core/errors.ts';

/** More people than this would have more timesheets than the fortnight was ever run with. */
const MAX_EMPLOYEES = 50_000;
const MAX_CALENDARS = 7;

export const HELP = `Usage: npm run cost -- --employees <number> [--calendars <number>] [--json]
       npm run cost -- --write

Prints the model of a month: what is used, at the prices of workshop/bench/prices.ts, with notifier.config.ts.

  --employees <number>  people with timesheets in one connection, 1 to ${MAX_EMPLOYEES.toLocaleString('en')}
  --calendars <number>  weekly pay calendars, 1 to ${MAX_CALENDARS} (default: 1)
  --json                print JSON
  --write               replace the table of three sizes in README.md`;

/** The table of the README, or one size. */
export type CostOptions = { readonly kind: 'write' } | SizeOptions;

interface SizeOptions {
  readonly kind: 'size';
  readonly people: number;
  readonly calendars: number;
  readonly json: boolean;
}

/** Reads the command line; null when help is asked for. Throws a `NotifierError` that says how to fix an option. */
export function readCostOptions(args: readonly string[]): CostOptions | null {
  const { employees, calendars, json, write, help } = parse(args);
  if (help) return null;
  if (write && employees === undefined) return { kind: 'write' };
  if (write) throw createError('--write and --employees exclude each other; omit one of them');
  if (employees === undefined)
    throw createError('--employees is missing; give the number of people, such as 2000');
  return {
    kind: 'size',
    people: readCount('--employees', employees, MAX_EMPLOYEES),
    calendars: readCount('--calendars', calendars, MAX_CALENDARS),
    json,
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        employees: { type: 'string' },
        calendars: { type: 'string', default: '1' },
        json: { type: 'boolean', default: false },
        write: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    throw createError(`${error instanceof Error ? error.message : error}; see --help`);
  }
}

function readCount(name: string, text: string, max: number): number {
  const count = Number(text);
  if (/^\d+$/.test(text) && count >= 1 && count <= max) return count;
  throw createError(
    `${name} ${JSON.stringify(text)} cannot be used; give a whole number from 1 to ${max.toLocaleString('en')}`,
  );
}

function createError(message: string): NotifierError {
  return new NotifierError('options_wrong', message);
}
