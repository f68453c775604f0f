import { styleText } from 'node:util';

export type Style = Parameters<typeof styleText>[0];

/** Whether to colour text on a stream: on a terminal that can, unless NO_COLOR is set (no-color.org). */
export function wantsColour(stream: { isTTY?: boolean }, environment: NodeJS.ProcessEnv): boolean {
  return stream.isTTY === true && environment.TERM !== 'dumb' && (environment.NO_COLOR ?? '') === '';
}

/** Styles text when `colour` is on. */
export function createPainter(colour: boolean): (style: Style | undefined, text: string) => string {
  return (style, text) =>
    style === undefined || !colour || text === '' ? text : styleText(style, text, { validateStream: false });
}

/** Styles text for standard output. */
export function applyStyle(style: Style, text: string): string {
  return createPainter(wantsColour(process.stdout, process.env))(style, text);
}

/** Characters that move the cursor, change the terminal, hide text or reorder it, and line breaks. */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * The text with `\u001b` and the like in place of characters that are not to be seen: ids and values of a source must
 * not command a terminal. JSON on one line keeps its meaning.
 */
export function escapeUnprintable(text: string): string {
  return text.replaceAll(UNPRINTABLE, (found) =>
    found.length === 1 ? escapeUnit(found, 0) : `${escapeUnit(found, 0)}${escapeUnit(found, 1)}`,
  );
}

function escapeUnit(character: string, at: number): string {
  return `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`;
}

/** The same, line by line. */
export function escapeLines(text: string): string {
  return text.split('\n').map(escapeUnprintable).join('\n');
}

/** Lines with aligned columns, two spaces apart. */
export function table(rows: readonly (readonly string[])[]): string[] {
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

/** Whether a write failed because the reader is gone, such as `head` after its last line. */
export function isReaderGone(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'EPIPE' || code === 'ERR_STREAM_DESTROYED';
}

export function print(...lines: readonly string[]): void {
  for (const line of lines) console.log(line);
}

/** Prints JSON byte for byte; on a terminal with escape sequences, which leave its meaning as it is. */
export function printJson(text: string): void {
  console.log(process.stdout.isTTY === true ? escapeLines(text) : text);
}
