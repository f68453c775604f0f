import { readFileSync, writeFileSync } from 'node:fs';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { loadNotifierConfig } from '#infra/load-config.ts';
import { NotifierError } from '#shared/core/errors.ts';
import { table } from '#shared/terminal/output.ts';
import { BASELINE_MINUTES, computeMonth, type Month } from './bill/month.ts';
import { createSize, type FortnightSize } from './fortnight/trace/size.ts';
import { PRICE_LIST, PRICES, type Priced } from './prices.ts';
import { describeCount } from './row.ts';

/**
 * Prints what a month costs for an organisation of a size, with the config of this repository:
 *
 *     npm run cost -- --employees 2000 --calendars 2
 *     NOTIFIER_CONFIG=other.config.ts npm run cost -- --employees 50 --json
 *     npm run cost -- --write    # replaces the table of sizes in docs/cost.md
 */

const DOCUMENT = 'docs/cost.md';
/** Sizes that the document shows. Above 2,000 people notifier.config.ts asks for 512 MB. */
const SHOWN = [
  { people: 30, calendars: 1, memoryMb: 256 },
  { people: 50, calendars: 1, memoryMb: 256 },
  { people: 2_000, calendars: 2, memoryMb: 256 },
  { people: 50_000, calendars: 2, memoryMb: 512 },
];

async function run(): Promise<void> {
  const options = readCostOptions(process.argv.slice(2));
  if (options.kind === 'write') {
    const months: Month[] = [];
    for (const { memoryMb, ...size } of SHOWN) months.push(await compute(createSize(size), memoryMb));
    writeFileSync(DOCUMENT, replaceSizes(readFileSync(DOCUMENT, 'utf8'), months));
    return;
  }
  const month = await compute(createSize(options));
  const file = process.env.NOTIFIER_CONFIG ?? 'notifier.config.ts';
  console.log(options.json ? JSON.stringify(month) : describeMonth(month, file).join('\n'));
}

/** With the memory of the config, unless it is given. */
async function compute(size: FortnightSize, memoryMb?: number): Promise<Month> {
  console.error(`running the flow for ${size.name}; this takes minutes`);
  const config = await loadNotifierConfig(process.env.NOTIFIER_CONFIG);
  const poll = { ...config.poll, ...(memoryMb === undefined ? {} : { memoryMb }) };
  return computeMonth(size, { ...config, poll });
}

const CENTS = 2;
const COLUMN = 11;

/** Lines for a terminal. `file` is the config. */
export function describeMonth({ traffic, usage, bill, baseline }: Month, file: string): string[] {
  const { size, eventsPerDay, recordsInWindow, delays } = traffic;
  const [half, most] = delays.map((seconds) => Math.round(seconds));
  const rows = bill.items.map(([name, dollars]) => [
    describePriced(name),
    describeCount(usage[name] ?? 0).padStart(COLUMN),
    describePrice(name),
    dollars.toFixed(CENTS).padStart(COLUMN),
  ]);
  const total = (text: string, dollars: number) => [text, '', '', dollars.toFixed(CENTS).padStart(COLUMN)];
  return [
    `Employees: ${describeCount(size.people)}. Pay calendars: ${size.calendars}. Config: ${file}.`,
    `US dollars a month; prices of ${PRICE_LIST.region}, ${PRICE_LIST.asOf}.`,
    '',
    ...table([
      ...rows,
      [''],
      total('all of it', bill.total),
      total('after the free tier', bill.afterFreeTier),
      total('one item per timesheet', baseline.total),
    ]).map((row) => row.trimEnd()),
    '',
    `The model: ${describeCount(Math.round(eventsPerDay))} events a day, ${describeCount(recordsInWindow)} timesheets in the window; half of`,
    `the clockings are published within ${half} s, 99 % within ${most} s. The free tier is that of an account that uses`,
    `nothing else. One item per timesheet is another design, which reads all of them every ${BASELINE_MINUTES} minutes.`,
  ];
}

/** `lambdaGbSeconds` as `lambda GB seconds`. */
function describePriced(name: Priced): string {
  return name
    .replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
    .replaceAll(/\b(gb|sqs|sns)\b/g, (word) => word.toUpperCase());
}

function describePrice(name: Priced): string {
  const { dollars, per } = PRICES[name];
  return per === 1 ? `${dollars} each` : `${dollars} for ${describeCount(per)}`;
}

const BEGIN = '<!-- cost:begin -->';
const END = '<!-- cost:end -->';

/** Replaces the table of sizes between the markers of a document. */
export function replaceSizes(document: string, months: readonly Month[]): string {
  const [begin, end] = [document.indexOf(BEGIN) + BEGIN.length, document.indexOf(END)];
  if (begin < BEGIN.length || end < begin) throw new Error(`the document has no ${BEGIN} ... ${END}`);
  return `${document.slice(0, begin)}\n${buildTable(months).join('\n')}\n${document.slice(end)}`;
}

function buildTable(months: readonly Month[]): string[] {
  return [
    '| Employees | Events a day | Notifier | After the free tier | One item per timesheet |',
    '|---|---|---|---|---|',
    ...months.map(({ traffic, bill, baseline }) => {
      const dollars = [bill.total, bill.afterFreeTier, baseline.total].map((each) => `$${each.toFixed(2)}`);
      const cells = [
        describeCount(traffic.size.people),
        describeCount(Math.round(traffic.eventsPerDay)),
        ...dollars,
      ];
      return `| ${cells.join(' | ')} |`;
    }),
    '',
    `Prices of ${PRICE_LIST.region}, ${PRICE_LIST.asOf}.`,
  ];
}

/** More people than this would have more timesheets than the fortnight was ever run with. */
const MAX_EMPLOYEES = 50_000;
const MAX_CALENDARS = 7;

/** The table of the document, or one size. */
export type CostOptions = { readonly kind: 'write' } | SizeOptions;

interface SizeOptions {
  readonly kind: 'size';
  readonly people: number;
  readonly calendars: number;
  readonly json: boolean;
}

interface Flags {
  readonly employees?: number;
  readonly calendars: number;
  readonly json?: true;
  readonly write?: true;
}

/** Reads the command line. Throws commander's error for a wrong option, after it said how to fix it, and after help. */
export function readCostOptions(args: readonly string[]): CostOptions {
  const program = new Command('npm run cost --')
    .description(
      'Prints the model of a month: what is used, at the prices of workshop/bench/prices.ts, with notifier.config.ts.',
    )
    .option(
      '--employees <number>',
      `people with timesheets in one connection, 1 to ${MAX_EMPLOYEES.toLocaleString('en')}`,
      readCountUpTo(MAX_EMPLOYEES),
    )
    .option(
      '--calendars <number>',
      `weekly pay calendars, 1 to ${MAX_CALENDARS}`,
      readCountUpTo(MAX_CALENDARS),
      1,
    )
    .option('--json', 'print JSON')
    .addOption(new Option('--write', 'replace the table of sizes in docs/cost.md').conflicts('employees'))
    .exitOverride()
    .parse(args, { from: 'user' });
  const { employees, calendars, json = false, write } = program.opts<Flags>();
  if (write === true) return { kind: 'write' };
  if (employees === undefined)
    return program.error('error: --employees is missing; give the number of people, such as 2000');
  return { kind: 'size', people: employees, calendars, json };
}

function readCountUpTo(max: number): (text: string) => number {
  return (text) => {
    const count = Number(text);
    if (/^\d+$/.test(text) && count >= 1 && count <= max) return count;
    throw new InvalidArgumentError(`Give a whole number from 1 to ${max.toLocaleString('en')}.`);
  };
}

try {
  await run();
} catch (error) {
  if (error instanceof NotifierError) console.error(error.message);
  else if (!(error instanceof CommanderError)) throw error;
  process.exitCode = error instanceof CommanderError ? error.exitCode : 1;
}
