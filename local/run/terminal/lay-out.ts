import { type ReceivedMessage, wrapText } from '#shared/terminal/format-message.ts';
import { escapeUnprintable } from '#shared/terminal/output.ts';
import type { Entry, EventEntry } from './entry.ts';
import {
  cutToColumns,
  findFittingEnd,
  fitLine,
  measureColumns,
  type Paper,
  padToColumns,
  type ScreenLine,
  type Span,
} from './screen-line.ts';
import { type Block, type BurstSummary, isBurst } from './transcript.ts';

const GAP = '  ';
const INDENT = '  ';
/** From here on, dates and whole types have room. */
const FULL_COLUMNS = 120;
/** From here on, the columns of events are aligned. */
const ALIGNED_COLUMNS = 96;
const FULL_WIDTHS = { when: 19, type: 29, who: 12 };
/** A time has room for a date before it, when that is not today. */
const ALIGNED_WIDTHS = { when: 14, type: 19, who: 12 };
const NARROW_WIDTHS = { when: 8, type: 19, who: 0 };
/** Messages are not wider, to be read well. */
const MAX_MESSAGE_COLUMNS = 100;
/** With less room beside its label, the text of a message begins below it. */
const MIN_TEXT_COLUMNS = 30;
/** What a longer message has more is only counted. */
const MAX_MESSAGE_ROWS = 12;
/** So that wrapping always gets on, however narrow the terminal. */
const MIN_ROOM = 10;
const DATE_LENGTH = '2026-11-20'.length;
const MOMENT = /^(?<date>\d{4}-\d\d-\d\d)(?: (?<time>\S+))?$/;

/** The lines of a block: one that counts when it is a burst, else those of its entries. */
export function layOutBlock(block: Block, paper: Paper): ScreenLine[] {
  const [first] = block.entries;
  if (isBurst(block) && first !== undefined) return layOutBurst(first, block, paper);
  return block.entries.flatMap((entry) => layOutEntry(entry, paper));
}

export function layOutNote(text: string, paper: Paper): ScreenLine[] {
  return text
    .split('\n')
    .flatMap((line) => wrap(escapeUnprintable(line), paper.columns))
    .map((line) => fitLine([{ text: line }], paper));
}

function layOutEntry(entry: Entry, paper: Paper): ScreenLine[] {
  switch (entry.kind) {
    case 'event':
      return [layOutEvent(entry, paper)];
    case 'message':
      return layOutMessage(entry.message, paper);
    case 'note':
      return layOutNote(entry.text, paper);
    case 'day':
      // Wide lines have the date themselves.
      return paper.columns >= FULL_COLUMNS
        ? []
        : [fitLine([{ text: `── ${entry.date} ──`, style: 'dim' }], paper)];
  }
}

function layOutBurst(first: Entry, block: Block, paper: Paper): ScreenLine[] {
  switch (first.kind) {
    case 'event':
      return [layOutEvents(first, block, paper)];
    case 'message': {
      const { label, labelStyle, alike = '' } = first.message;
      const lines = [{ text: `${block.count} ${alike}` }];
      return layOutMessage({ label, labelStyle, lines }, paper);
    }
    case 'note':
    case 'day':
      return layOutEntry(first, paper);
  }
}

function layOutEvent(event: EventEntry, paper: Paper): ScreenLine {
  const { id, type, style, who, what, context, isLate } = event;
  const widths = findWidths(paper);
  const when = formatWhen(event.when, event, paper);
  const room = paper.columns - measureColumns(when) - 2 * GAP.length;
  // The type is cut before the id of the record is.
  const typeRoom = Math.max(1, room - measureColumns(id) - 1);
  const name = cutToColumns(padToColumns(nameType(type, paper), Math.min(typeRoom, widths.type)), typeRoom);
  const joinTail = (...marks: readonly string[]) =>
    [padToColumns(who, widths.who), ...marks, what].filter((part) => part !== '').join(GAP);
  // Said at the end of what changed, where that fits.
  const isCut = measureColumns(name) + measureColumns(joinTail()) > room;
  const tail = isLate && isCut ? joinTail('[late]') : joinTail();
  const spans: Span[] = [
    { text: when, style: 'dim' },
    { text: GAP },
    { text: name, style },
    { text: GAP + tail },
    { text: context === '' ? '' : GAP + context, style: 'dim' },
  ];
  return fitLine(spans, paper);
}

/** Such as `08:29:10  102 payroll_approved until 08:50:44, 4 departments, 31 employees`. */
function layOutEvents(event: EventEntry, { count, summary }: Block, paper: Paper): ScreenLine {
  const { type, style } = event;
  const { from, to } = summary;
  const until = to === from ? '' : ` until ${shortenMoment(to, from.slice(0, DATE_LENGTH))}`;
  const spread = [until, ...describeSpread(summary)];
  const spans: Span[] = [
    { text: formatWhen(from, event, paper), style: 'dim' },
    { text: GAP },
    { text: `${count} `, style: 'bold' },
    { text: nameType(type, paper), style },
    { text: spread.join(', ') },
  ];
  return fitLine(spans, paper);
}

function describeSpread({ departments, employees, late }: BurstSummary): string[] {
  const count = (number: number, noun: string) =>
    number === 0 ? [] : [`${number} ${noun}${number === 1 ? '' : 's'}`];
  return [
    ...count(departments.size, 'department'),
    ...count(employees.size, 'employee'),
    ...(late === 0 ? [] : [`${late} late`]),
  ];
}

function findWidths({ columns }: Paper): typeof FULL_WIDTHS {
  if (columns >= FULL_COLUMNS) return FULL_WIDTHS;
  return columns >= ALIGNED_COLUMNS ? ALIGNED_WIDTHS : NARROW_WIDTHS;
}

function nameType(type: string, { columns }: Paper): string {
  return columns >= FULL_COLUMNS ? type : type.replace(/^timesheet\./, '');
}

function formatWhen(moment: string, { today }: EventEntry, paper: Paper): string {
  const { when } = findWidths(paper);
  return paper.columns >= FULL_COLUMNS ? moment.padEnd(when) : shortenMoment(moment, today).padStart(when);
}

/** `08:35:30` of the day that is known; on others `11-19 08:35:30`, and `11-19` without a time. */
function shortenMoment(moment: string, day: string): string {
  const { date, time } = MOMENT.exec(moment)?.groups ?? {};
  if (date === undefined) return moment;
  if (time !== undefined && date === day) return time;
  return moment.slice('2026-'.length);
}

/** As without a terminal, but as wide as this one. */
function layOutMessage({ label, labelStyle, lines }: ReceivedMessage, paper: Paper): ScreenLine[] {
  const columns = Math.min(paper.columns, MAX_MESSAGE_COLUMNS);
  const name = escapeUnprintable(label);
  const beside = columns - INDENT.length - measureColumns(name) - ' | '.length;
  const isBeside = beside >= MIN_TEXT_COLUMNS;
  const room = isBeside ? beside : columns - INDENT.length - '  | '.length;
  const wrapped = lines.flatMap(({ text, style }) =>
    wrap(escapeUnprintable(text), room).map((part) => ({ text: part, style })),
  );
  const blank = ' '.repeat(isBeside ? measureColumns(name) : 1);
  const rows = cutRows(wrapped).map((part, index) => {
    const head: Span = isBeside && index === 0 ? { text: name, style: labelStyle } : { text: blank };
    return fitLine(
      [{ text: INDENT }, head, { text: ' ' }, { text: '|', style: 'dim' }, { text: ' ' }, part],
      paper,
    );
  });
  return isBeside ? rows : [fitLine([{ text: INDENT }, { text: name, style: labelStyle }], paper), ...rows];
}

function cutRows(rows: readonly Span[]): readonly Span[] {
  if (rows.length === 0) return [{ text: '' }];
  if (rows.length <= MAX_MESSAGE_ROWS) return rows;
  const shown = rows.slice(0, MAX_MESSAGE_ROWS - 1);
  return [...shown, { text: `… ${rows.length - shown.length} more lines`, style: 'dim' }];
}

function wrap(text: string, room: number): string[] {
  return wrapText(text, Math.max(MIN_ROOM, room), findFittingEnd);
}
