import { createPainter, escapeUnprintable, type Style } from '#cli/output.ts';

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
    wrapLine(escapeUnprintable(text), room).map((part) => paint(style, part)),
  );
  return (wrapped.length === 0 ? [''] : wrapped)
    .map((part, index) => {
      const head = index === 0 ? paint(labelStyle, name) : ' '.repeat(name.length);
      return `${INDENT}${head} ${paint('dim', '|')} ${part}`.trimEnd();
    })
    .join('\n');
}

/** Continuation lines of a bullet are indented to its text. */
function wrapLine(text: string, room: number): string[] {
  const hanging = ' '.repeat(BULLET.exec(text)?.[0].length ?? 0);
  const lines: string[] = [];
  let rest = text.trimEnd();
  while (rest.length > room) {
    const space = rest.lastIndexOf(' ', room);
    const end = space > hanging.length ? space : room;
    lines.push(rest.slice(0, end).trimEnd());
    rest = hanging + rest.slice(end).trimStart();
  }
  lines.push(rest);
  return lines;
}
