import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { createPainter, escapeUnprintable, type Style } from '#shared/terminal/output.ts';

export interface Span {
  readonly text: string;
  readonly style?: Style | undefined;
}

/** A line as it stands on the terminal. */
export interface ScreenLine {
  /** With the escape sequences of its styles, and no other control characters. */
  readonly text: string;
  /** Never more than those of the terminal for which it was made. */
  readonly columns: number;
}

export interface Paper {
  /** Infinite for a file, whose lines are not wrapped. */
  readonly columns: number;
  readonly colour: boolean;
  /** At most so many lines of a message are shown. */
  readonly messageRows: number;
}

/** For a file or a pipe: whole lines, and whole messages. */
export function toPlainPaper(colour: boolean): Paper {
  return { columns: Number.POSITIVE_INFINITY, colour, messageRows: Number.POSITIVE_INFINITY };
}

/** Makes a line that fits: what does not is cut at its end, with a mark. There is no other way to the screen. */
export function fitLine(
  spans: readonly Span[],
  { columns, colour }: Pick<Paper, 'columns' | 'colour'>,
): ScreenLine {
  const paint = createPainter(colour);
  const safe = spans.map(({ text, style }) => ({ text: escapeUnprintable(text), style }));
  const shown = cutToColumns(
    safe
      .map(({ text }) => text)
      .join('')
      .trimEnd(),
    columns,
  );
  let from = 0;
  const painted = safe.map(({ text, style }) => {
    const part = shown.slice(from, from + text.length);
    from += text.length;
    return paint(style, part);
  });
  return { text: painted.join(''), columns: measureColumns(shown) };
}

/** Marks what was cut. */
const ELLIPSIS = '…';
/** Latin letters and the signs that our lines use: a column each, so that their length is their width. */
const NARROW = /^[\u0020-\u007e\u00a1-\u024f\u2010-\u2026\u2190-\u21ff\u2500-\u257f]*$/;

/** Node's own measure: it counts the columns of its prompt by the tables of ICU. */
const ruler = createInterface({
  input: new PassThrough(),
  output: Object.assign(new PassThrough(), { columns: Number.POSITIVE_INFINITY }),
  terminal: false,
});

/** Columns that a text without control characters takes on a terminal. */
export function measureColumns(text: string): number {
  if (NARROW.test(text)) return text.length;
  ruler.setPrompt(text);
  return ruler.getCursorPos().cols;
}

/** Index behind the last character of a text that still fits. */
function findFittingEnd(text: string, columns: number): number {
  if (NARROW.test(text)) return Math.min(text.length, columns);
  let end = 0;
  let taken = 0;
  for (const character of text) {
    taken += measureColumns(character);
    if (taken > columns) break;
    end += character.length;
  }
  return end;
}

/** The text, or its beginning with a mark where it was cut. */
export function cutToColumns(text: string, columns: number): string {
  if (columns <= 0) return '';
  if (measureColumns(text) <= columns) return text;
  return text.slice(0, findFittingEnd(text, columns - 1)).trimEnd() + ELLIPSIS;
}

/** So that wrapping always gets on, however narrow the terminal. */
const MIN_ROOM = 10;
const BULLET = /^(?:[•◦*-]|\d+\.) /;

/** Breaks spans between words into lines of at most so many columns. What follows a bullet is indented to its text. */
export function wrapSpans(spans: readonly Span[], columns: number): Span[][] {
  const room = Math.max(MIN_ROOM, columns);
  const indent = ' '.repeat(BULLET.exec(spans[0]?.text ?? '')?.[0].length ?? 0);
  const words = spans.flatMap(({ text, style }) =>
    text
      .split(/(?<= )(?=[^ ])/)
      .flatMap((word) => cutWord(word, room - indent.length))
      .map((word): Span => ({ text: word, style })),
  );
  const lines: Span[][] = [[]];
  let taken = 0;
  for (const word of words) {
    if (taken > indent.length && taken + measureColumns(word.text.trimEnd()) > room) {
      lines.push([{ text: indent }]);
      taken = indent.length;
    }
    lines[lines.length - 1] = append(lines.at(-1) ?? [], word);
    taken += measureColumns(word.text);
  }
  return lines;
}

function append(line: readonly Span[], { text, style }: Span): Span[] {
  const last = line.at(-1);
  if (last === undefined || last.style !== style) return [...line, { text, style }];
  return [...line.slice(0, -1), { text: last.text + text, style }];
}

/** A word as it is, or in parts where it is longer than a line. */
function cutWord(word: string, room: number): string[] {
  const parts: string[] = [];
  let rest = word;
  while (measureColumns(rest.trimEnd()) > room) {
    const end = Math.max(1, findFittingEnd(rest, room));
    parts.push(rest.slice(0, end));
    rest = rest.slice(end);
  }
  return [...parts, rest];
}

export function padToColumns(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - measureColumns(text)));
}
