import { styleText } from 'node:util';

type Style = Parameters<typeof styleText>[0];

/** One line of a message, before it is broken. */
export interface MessageLine {
  readonly text: string;
  /** How it is painted where there is colour. */
  readonly style?: Style;
}

/** A message as somebody got it: through what, and what it says. */
export interface ReceivedMessage {
  /** Such as `slack #payroll`. */
  readonly label: string;
  readonly labelStyle: Style;
  readonly lines: readonly MessageLine[];
}

/** Columns of a line, the gutter included. */
const WIDTH = 100;
/** A label may be long; what is said still gets this much room. */
const MIN_TEXT_COLUMNS = 40;
const INDENT = '  ';
const BULLET = /^(?:[•*-]|\d+\.) /;

/**
 * A message on lines of its own between the lines of events: its label and a bar before the first, the bar before the
 * others, words kept whole. Nothing in it is obeyed by a terminal.
 */
export function formatMessage({ label, labelStyle, lines }: ReceivedMessage, colour: boolean): string {
  const paint = (style: Style | undefined, text: string) =>
    style === undefined || !colour || text === '' ? text : styleText(style, text, { validateStream: false });
  const name = stripControlCharacters(label);
  const room = Math.max(MIN_TEXT_COLUMNS, WIDTH - INDENT.length - name.length - ' | '.length);
  const broken = lines.flatMap(({ text, style }) =>
    wrapLine(stripControlCharacters(text), room).map((part) => paint(style, part)),
  );
  return (broken.length === 0 ? [''] : broken)
    .map((part, index) => {
      const head = index === 0 ? paint(labelStyle, name) : ' '.repeat(name.length);
      return `${INDENT}${head} ${paint('dim', '|')} ${part}`.trimEnd();
    })
    .join('\n');
}

/** What stands under a bullet is indented as far as the text beside it. */
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

function stripControlCharacters(text: string): string {
  return text.replaceAll(/\p{C}/gu, ' ');
}
