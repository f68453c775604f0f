import { PRICE_LIST } from '../prices.ts';
import { describeCount } from '../row.ts';
import type { Month } from './month.ts';

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
