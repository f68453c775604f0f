import { formatCommand } from '#cli/targets/format-command.ts';
import type { RunTotals } from '../output/stats.ts';
import { cutToColumns, measureColumns, padToColumns } from './columns.ts';
import { layOutNote } from './lay-out.ts';
import { fitLine, type Paper, type ScreenLine } from './screen-line.ts';

const GAP = '  ';

/** What a run did, for its end: events by type, messages by receiver, and the next command to try. */
export function layOutClosing(totals: RunTotals, dataFolder: string, paper: Paper): ScreenLine[] {
  const { types, events, receivers, polls, requests, seconds } = totals;
  const published = types.map(([type, count]) => [type, String(count)]);
  const delivered = receivers.map(({ label, taken, refused }) => [label, String(taken), String(refused)]);
  const blank = fitLine([], paper);
  const summary = `${events} events, ${polls} polls, ${requests} requests, ${seconds.toFixed(1)} s`;
  const { reason, command } = findNextCommand(totals, dataFolder);
  return [
    blank,
    ...layOutTable(['published', 'events'], published, paper),
    ...layOutTable(['delivered to', 'taken', 'refused'], delivered, paper),
    fitLine([{ text: summary, style: 'bold' }], paper),
    blank,
    ...layOutNote(`${reason}:`, paper),
    ...layOutNote(command, paper),
    blank,
  ];
}

/** Names to the left, numbers to the right, and a blank line below; nothing without rows. */
function layOutTable(
  heading: readonly string[],
  rows: readonly (readonly string[])[],
  paper: Paper,
): ScreenLine[] {
  if (rows.length === 0) return [];
  const all = [heading, ...rows];
  const widths = heading.map((_, column) => Math.max(...all.map((row) => measureColumns(row[column] ?? ''))));
  const numbers = widths.slice(1).reduce((sum, width) => sum + GAP.length + width, 0);
  const [wanted = 0] = widths;
  const room = Math.max(1, Math.min(wanted, paper.columns - numbers));
  const lines = all.map(([name = '', ...cells], index) => {
    const aligned = cells.map((cell, column) => cell.padStart(widths[column + 1] ?? 0));
    const text = [padToColumns(cutToColumns(name, room), room), ...aligned].join(GAP);
    return fitLine([{ text, style: index === 0 ? 'dim' : undefined }], paper);
  });
  return [...lines, fitLine([], paper)];
}

function findNextCommand(
  { events, receivers, lastRecord }: RunTotals,
  dataFolder: string,
): { readonly reason: string; readonly command: string } {
  const format = (...words: string[]) => formatCommand({ placeOptions: ['--data', dataFolder] }, ...words);
  if (receivers.some(({ refused }) => refused > 0))
    return { reason: 'what was refused, and when it is tried again', command: format('deliveries') };
  if (lastRecord !== null)
    return {
      reason: 'what happened to one record, and who was told',
      command: format('explain', lastRecord),
    };
  if (events > 0) return { reason: 'these events again, and older ones', command: format('events') };
  return { reason: 'whether anything is wrong', command: format('doctor') };
}
