import { escapeUnprintable, type Style } from '#shared/terminal/output.ts';
import type { ReceivedEvent } from '#shared/terminal/received.ts';
import type { Entry, EventEntry } from './entry.ts';
import { fitLine, measureColumns, type Paper, type ScreenLine, type Span, wrapSpans } from './screen-line.ts';
import { type Block, isBurst } from './transcript.ts';

/** What stands between the time and the text: nothing for an event. */
const MARKS = { event: ' ', delivery: '→', message: '│' } as const;
const NO_TIME = '     ';
/** Columns of a time, a mark and the blanks beside it. */
const INDENT = 8;
/** Lines are not wider, to be read well. */
const MAX_COLUMNS = 120;
/** From here on, the type of an event stands before its id. */
const TYPE_COLUMNS = 100;
/** Between a text and what stands at the end of its line. */
const MIN_GAP = 2;

/** A line that says what the marks are. */
export const LEGEND = `time  ${MARKS.event} an event   ${MARKS.delivery} what a system did with it   ${MARKS.message} what people read`;

/** The lines of a block: one that counts when it is a burst, else those of its entries. */
export function layOutBlock(block: Block, paper: Paper): ScreenLine[] {
  const [first] = block.entries;
  if (isBurst(block) && first?.kind === 'event') return layOutEvents(first, block, paper);
  if (isBurst(block) && first?.kind === 'delivery') return layOutDeliveries(first.delivery, block, paper);
  return block.entries.flatMap((entry) => layOutEntry(entry, paper));
}

export function layOutEntry(entry: Entry, paper: Paper): ScreenLine[] {
  switch (entry.kind) {
    case 'event':
      return layOutEvent(entry, paper);
    case 'message':
      return layOutMessage(entry, paper);
    case 'delivery':
      return layOutDelivery(entry.delivery, paper);
    case 'note':
      return layOutNote(entry.text, paper);
    case 'day':
      return [fitLine([{ text: `── ${entry.date} ──`, style: 'dim' }], paper)];
  }
}

export function layOutNote(text: string, paper: Paper): ScreenLine[] {
  return text
    .split('\n')
    .flatMap((line) => wrapSpans([{ text: escapeUnprintable(line) }], paper.columns))
    .map((spans) => fitLine(spans, paper));
}

/** Whom it is about, the whole change, and at the end of the line its type and id, as far as they fit. */
function layOutEvent({ at, words, colour, type, record }: EventEntry, paper: Paper): ScreenLine[] {
  const spans = words.map((span): Span => {
    if (typeof span === 'string') return { text: escapeUnprintable(span), style: colour };
    return { text: escapeUnprintable(span.bold), style: toBold(colour) };
  });
  const ending = paper.columns < TYPE_COLUMNS ? [record] : [type, record];
  const endings = [ending, [record]].map((parts) =>
    escapeUnprintable(parts.filter((part) => part !== '').join('  ')),
  );
  return layOutText({ at, mark: MARKS.event, spans, endings }, paper);
}

/** `5 timesheets approved, 08:24 to 08:28, 4 people`. */
function layOutEvents({ at, colour, counted }: EventEntry, block: Block, paper: Paper): ScreenLine[] {
  const { count, summary } = block;
  const { from, to, employees, late } = summary;
  const moments = [...new Set([from, to].map((moment) => moment?.text ?? ''))];
  const people =
    employees.size === 0 ? [] : [`${employees.size} ${employees.size === 1 ? 'person' : 'people'}`];
  const details = [moments.join(' to '), ...people, ...(late === 0 ? [] : [`${late} late`])];
  const spans: Span[] = [
    {
      text: `${count} ${escapeUnprintable(counted[1])}`,
      style: toBold(colour),
    },
    { text: `, ${details.join(', ')}` },
  ];
  return layOutText({ at, mark: MARKS.event, spans }, paper);
}

function toBold(colour: EventEntry['colour']): Style {
  return colour === undefined ? 'bold' : ['bold', colour];
}

function layOutDelivery({ did, type, which, ...delivery }: ReceivedEvent, paper: Paper): ScreenLine[] {
  const of = type === '' || which === '' ? which : `of ${which}`;
  return layOutText(describeDelivery(delivery, [did, type, of]), paper);
}

function layOutDeliveries(
  { did, type, ...delivery }: ReceivedEvent,
  { count }: Block,
  paper: Paper,
): ScreenLine[] {
  return layOutText(describeDelivery(delivery, [did, String(count), type]), paper);
}

function describeDelivery(
  { webhook, refused }: Pick<ReceivedEvent, 'webhook' | 'refused'>,
  parts: readonly string[],
): Text {
  const style: Style = refused > 0 ? 'red' : 'dim';
  const text = parts.filter((part) => part !== '').join(' ');
  const spans: Span[] = [{ text: `${escapeUnprintable(webhook)} ${escapeUnprintable(text)}`, style }];
  return { at: NO_TIME, mark: MARKS.delivery, spans };
}

/** Its channel and heading, and as many lines as there is room for: what it has more is counted. */
function layOutMessage({ at, message }: Extract<Entry, { kind: 'message' }>, paper: Paper): ScreenLine[] {
  const room = findRoom(paper);
  const [heading, ...lines] = message.lines.filter(({ text }) => text !== '');
  const title: Span[] = [
    { text: `${escapeUnprintable(message.channel)}  `, style: 'cyan' },
    { text: escapeUnprintable(heading?.text ?? ''), style: heading?.style },
  ];
  const rows = [
    title,
    ...lines.map(({ text, style }): Span[] => [{ text: escapeUnprintable(text), style }]),
  ].flatMap((spans) => wrapSpans(spans, room));
  const { messageRows } = paper;
  const hidden = rows.length > messageRows ? rows.length - messageRows + 1 : 0;
  const more: Span[] = [{ text: `${hidden} more ${hidden === 1 ? 'line' : 'lines'}`, style: 'dim' }];
  const shown = hidden === 0 ? rows : [...rows.slice(0, -hidden), more];
  return shown.map((spans, index) =>
    fitLine([...begin(index === 0 ? at : NO_TIME, MARKS.message), ...spans], paper),
  );
}

interface Text {
  readonly at: string;
  readonly mark: string;
  readonly spans: readonly Span[];
  /** What may stand at the end of the last line, the best first. */
  readonly endings?: readonly string[];
}

function layOutText({ at, mark, spans, endings = [] }: Text, paper: Paper): ScreenLine[] {
  const room = findRoom(paper);
  const wrapped = wrapSpans(spans, room);
  const last = measureColumns((wrapped.at(-1) ?? []).map(({ text }) => text).join(''));
  const fitting = endings.find((text) => last + MIN_GAP + measureColumns(text) <= room);
  const ending = fitting ?? endings.at(-1) ?? '';
  // Below the text where it has no room beside it.
  const isBeside = fitting !== undefined || ending === '';
  const lines = isBeside ? wrapped : [...wrapped, []];
  const taken = isBeside ? last : 0;
  return lines.map((line, index) => {
    const isLast = index === lines.length - 1;
    const end = isLast && ending !== '' ? layOutEnding(ending, room - taken) : [];
    return fitLine([...begin(index === 0 ? at : NO_TIME, index === 0 ? mark : ' '), ...line, ...end], paper);
  });
}

/** At the edge of the paper where it has one. */
function layOutEnding(text: string, room: number): Span[] {
  const gap = Number.isFinite(room) ? Math.max(0, room - measureColumns(text)) : MIN_GAP;
  return [{ text: ' '.repeat(gap) }, { text, style: 'dim' }];
}

function begin(at: string, mark: string): Span[] {
  return [
    { text: at, style: 'dim' },
    { text: ` ${mark} `, style: 'dim' },
  ];
}

/** Columns for the text of a line. */
function findRoom({ columns }: Paper): number {
  return (Number.isFinite(columns) ? Math.min(columns, MAX_COLUMNS) : columns) - INDENT;
}
