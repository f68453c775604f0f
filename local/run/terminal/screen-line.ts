import { createPainter, escapeUnprintable, type Style } from '#shared/terminal/output.ts';
import { cutToColumns, measureColumns } from './columns.ts';

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
  readonly columns: number;
  readonly colour: boolean;
}

/** Makes a line that fits: what does not is cut at its end, with a mark. There is no other way to the screen. */
export function fitLine(spans: readonly Span[], { columns, colour }: Paper): ScreenLine {
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
