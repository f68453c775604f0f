import { formatCount } from '#shared/people/messages/numbers.ts';
import { formatCommand } from '#shared/terminal/format-command.ts';
import type { RunTotals } from '../output/stats.ts';
import { layOutNote } from './lay-out.ts';
import {
  cutToColumns,
  fitLine,
  measureColumns,
  type Paper,
  padToColumns,
  type ScreenLine,
} from './screen-line.ts';

const GAP = '  ';

/** What a run did, for its end: events by type, what people and systems got, and the next command to try. */
export function layOutClosing(totals: RunTotals, dataFolder: string, paper: Paper): ScreenLine[] {
  const { types, messages, deliveries, events, polls, requests, seconds } = totals;
  const blank = fitLine([], paper);
  const counts = [formatCount(events, 'event'), formatCount(polls, 'poll'), formatCount(requests, 'request')];
  const summary = `${counts.join(', ')}, ${seconds.toFixed(1)} s`;
  const { purpose, command } = findNextCommand(totals, dataFolder);
  return [
    blank,
    ...layOutTable(['published', 'events'], types, paper),
    ...layOutTable(['people', 'messages'], messages, paper),
    ...layOutTable(
      ['systems', 'taken', 'refused'],
      deliveries.map(([label, { taken, refused }]) => [label, taken, refused]),
      paper,
    ),
    fitLine([{ text: summary, style: 'bold' }], paper),
    blank,
    ...layOutNote(`${purpose}:`, paper),
    ...layOutNote(command, paper),
    blank,
  ];
}

type Row = readonly [name: string, ...numbers: (number | string)[]];

/** Names to the left, numbers to the right, and a blank line below; nothing without rows. */
function layOutTable(heading: Row, rows: readonly Row[], paper: Paper): ScreenLine[] {
  if (rows.length === 0) return [];
  const all = [heading, ...rows];
  const widths = heading.map((_, column) =>
    Math.max(...all.map((row) => measureColumns(String(row[column] ?? '')))),
  );
  const numbers = widths.slice(1).reduce((sum, width) => sum + GAP.length + width, 0);
  const [wanted = 0] = widths;
  const room = Math.max(1, Math.min(wanted, paper.columns - numbers));
  const lines = all.map(([name, ...cells], index) => {
    const aligned = cells.map((cell, column) => String(cell).padStart(widths[column + 1] ?? 0));
    const text = [padToColumns(cutToColumns(name, room), room), ...aligned].join(GAP);
    return fitLine([{ text, style: index === 0 ? 'dim' : undefined }], paper);
  });
  return [...lines, fitLine([], paper)];
}

function findNextCommand(
  { events, deliveries, lastRecord }: RunTotals,
  dataFolder: string,
): { readonly purpose: string; readonly command: string } {
  const place = { placeOptions: ['--data', dataFolder] };
  if (deliveries.some(([, { refused }]) => refused > 0)) {
    const purpose = 'to see what was refused, and when it is sent again';
    return { purpose, command: formatCommand(place, 'deliveries') };
  }
  if (lastRecord !== null)
    return {
      purpose: 'to see what happened to one record, and who was told',
      command: formatCommand(place, 'events', lastRecord),
    };
  if (events > 0) return { purpose: 'to see the events again', command: formatCommand(place, 'events') };
  return { purpose: 'to see whether anything is wrong', command: formatCommand(place, 'doctor') };
}
