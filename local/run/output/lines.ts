import { stripVTControlCharacters } from 'node:util';
import { createPainter, escapeUnprintable, type Style } from '#shared/terminal/output.ts';
import type { ReceivedEvent } from '#shared/terminal/received.ts';
import type { Entry, EventEntry } from './entry.ts';

/** What stands between the time and the text: nothing for an event. */
const MARKS = { event: ' ', delivery: '→', message: '│' } as const;
const NO_TIME = '     ';
/** Columns of a time, a mark and the blanks beside it. */
const INDENT = 8;
/** What stands at the end of a line is not further away, to be read well. */
const MAX_COLUMNS = 120;
/** From here on, the type of an event stands before its id. */
const TYPE_COLUMNS = 100;
/** Between a text and what stands at the end of its line. */
const MIN_GAP = 2;

/** A line that says what the marks are. */
export const LEGEND = `time  ${MARKS.event} an event   ${MARKS.delivery} what a system did with it   ${MARKS.message} what people read`;

/** On what lines are written. */
export interface Paper {
  /** Of the terminal; null for a file. */
  readonly columns: number | null;
  readonly colour: boolean;
}

/** Of a message on a terminal: the console has the rest. */
const MESSAGE_ROWS = 3;

/** The lines of an entry, with no control characters but those of their styles. Longer ones go on below their text. */
export function layOutEntry(entry: Entry, paper: Paper): string[] {
  return layOutLines(entry, paper).flatMap((line) => wrap(line, paper.columns));
}

function layOutLines(entry: Entry, paper: Paper): string[] {
  switch (entry.kind) {
    case 'event':
      return [layOutEvent(entry, paper)];
    case 'message':
      return layOutMessage(entry, paper);
    case 'delivery': {
      const { type, which } = entry.delivery;
      const of = type === '' || which === '' ? which : `of ${which}`;
      return [layOutDelivery(entry.delivery, [type, of], paper)];
    }
    case 'note':
      return [escapeUnprintable(entry.text)];
    case 'day':
      return [createPainter(paper.colour)('dim', `── ${entry.date} ──`)];
  }
}

/** Whom it is about, the whole change, and at the end of the line its type and id. */
function layOutEvent({ at, words, colour, type, record }: EventEntry, paper: Paper): string {
  const { columns } = paper;
  const paint = createPainter(paper.colour);
  const texts = words.map((span) => escapeUnprintable(typeof span === 'string' ? span : span.bold));
  const painted = words.map((span, index) =>
    paint(typeof span === 'string' ? colour : toBold(colour), texts[index] ?? ''),
  );
  const named = columns !== null && columns < TYPE_COLUMNS ? [record] : [type, record];
  const ending = escapeUnprintable(named.filter((part) => part !== '').join('  '));
  const room = Math.min(columns ?? 0, MAX_COLUMNS) - INDENT - texts.join('').length - ending.length;
  const gap = ' '.repeat(Math.max(MIN_GAP, room));
  return `${begin(at, MARKS.event, paper)}${painted.join('')}${ending === '' ? '' : gap}${paint('dim', ending)}`;
}

/** Bold in the colour of an event: what it is about. */
export function toBold(colour: EventEntry['colour']): Style {
  return colour === undefined ? 'bold' : ['bold', colour];
}

/** What a webhook did, with these words about the event. */
export function layOutDelivery(
  { webhook, did, isRefused }: ReceivedEvent,
  words: readonly string[],
  paper: Paper,
): string {
  const text = [webhook, did, ...words].filter((part) => part !== '').join(' ');
  const style: Style = isRefused ? 'red' : 'dim';
  return begin(NO_TIME, MARKS.delivery, paper) + createPainter(paper.colour)(style, escapeUnprintable(text));
}

/** Its channel and heading, and below them the rest: on a terminal the first lines, and how many more there are. */
function layOutMessage({ at, message }: Extract<Entry, { kind: 'message' }>, paper: Paper): string[] {
  const paint = createPainter(paper.colour);
  const [heading, ...rest] = message.lines
    .filter(({ text }) => text !== '')
    .map(({ text, style }) => paint(style, escapeUnprintable(text)));
  const lines = [`${paint('cyan', escapeUnprintable(message.channel))}  ${heading ?? ''}`, ...rest];
  const hidden = paper.columns === null || lines.length <= MESSAGE_ROWS ? 0 : lines.length - MESSAGE_ROWS + 1;
  const shown = hidden === 0 ? lines : [...lines.slice(0, -hidden), paint('dim', `${hidden} more lines`)];
  return shown.map((line, index) => begin(index === 0 ? at : NO_TIME, MARKS.message, paper) + line);
}

/** The time and the mark before a text. */
export function begin(at: string, mark: string, { colour }: Paper): string {
  return createPainter(colour)('dim', `${at} ${mark} `);
}

/** Breaks a line between words; a style goes on in the next row. */
function wrap(line: string, columns: number | null): string[] {
  if (columns === null || widthOf(line) <= columns) return [line];
  const rows = [''];
  for (const [index, word] of line.split(' ').entries()) {
    const row = rows.pop() ?? '';
    const longer = index === 0 ? word : `${row} ${word}`;
    const isFull = widthOf(longer) > columns && widthOf(row) > INDENT;
    rows.push(...(isFull ? [row.trimEnd(), ' '.repeat(INDENT) + word] : [longer]));
  }
  return rows;
}

function widthOf(text: string): number {
  return stripVTControlCharacters(text).length;
}
