import { table } from '#shared/terminal/output.ts';
import { PRICE_LIST, PRICES, type Priced } from '../prices.ts';
import { describeCount } from '../row.ts';
import { BASELINE_MINUTES, type Month } from './month.ts';

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
    `US dollars a month; prices of ${PRICE_LIST.region} on ${PRICE_LIST.asOf}.`,
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
    `Prices of ${PRICE_LIST.region} on ${PRICE_LIST.asOf}.`,
  ];
}
