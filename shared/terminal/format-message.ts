import { createPainter, escapeUnprintable, type Style } from './output.ts';

/** One line of a message, before wrapping. */
export interface MessageLine {
  readonly text: string;
  readonly style?: Style;
}

/** A message as its receiver got it. */
export interface ReceivedMessage {
  /** The channel, such as `slack #payroll`. */
  readonly label: string;
  readonly labelStyle: Style;
  readonly lines: readonly MessageLine[];
  /** What it says of many events alike, such as `verified  timesheet.approved`; absent when it is like no other. */
  readonly alike?: string;
  /** The attempts to deliver an event that it tells of; absent for a message to people. */
  readonly attempts?: DeliveryAttempts;
}

export interface DeliveryAttempts {
  readonly taken: number;
  readonly refused: number;
}

/** Columns of a line, label included. */
const WIDTH = 100;
/** Room for the text even when the label is long. */
const MIN_TEXT_COLUMNS = 40;
const INDENT = '  ';
const BULLET = /^(?:[•*-]|\d+\.) /;

/**
 * Formats a message as lines between those of events: label and bar before the first line, a bar before the others,
 * wrapped between words, with control characters escaped.
 */
export function formatMessage({ label, labelStyle, lines }: ReceivedMessage, colour: boolean): string {
  const paint = createPainter(colour);
  const name = escapeUnprintable(label);
  const room = Math.max(MIN_TEXT_COLUMNS, WIDTH - INDENT.length - name.length - ' | '.length);
  const wrapped = lines.flatMap(({ text, style }) =>
    wrapText(escapeUnprintable(text), room).map((part) => paint(style, part)),
  );
  return (wrapped.length === 0 ? [''] : wrapped)
    .map((part, index) => {
      const head = index === 0 ? paint(labelStyle, name) : ' '.repeat(name.length);
      return `${INDENT}${head} ${paint('dim', '|')} ${part}`.trimEnd();
    })
    .join('\n');
}

/** Index behind the last character of a text that fits. */
type FittingEnd = (text: string, room: number) => number;

/** Breaks a text between words where it can. Continuation lines of a bullet are indented to its text. */
export function wrapText(
  text: string,
  room: number,
  findEnd: FittingEnd = ({ length }) => Math.min(length, room),
): string[] {
  const bullet = BULLET.exec(text)?.[0].length ?? 0;
  // A line must hold more than its indentation.
  const hanging = ' '.repeat(bullet < room / 2 ? bullet : 0);
  const lines: string[] = [];
  let rest = text.trimEnd();
  for (let end = findEnd(rest, room); end < rest.length; end = findEnd(rest, room)) {
    const space = rest.lastIndexOf(' ', end);
    const cut = space > hanging.length ? space : Math.max(1, end);
    lines.push(rest.slice(0, cut).trimEnd());
    rest = hanging + rest.slice(cut).trimStart();
  }
  lines.push(rest);
  return lines;
}
