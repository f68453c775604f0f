import type { ScreenLine } from './screen-line.ts';

const ESCAPE = '\u001b[';
const ERASE_BELOW = `${ESCAPE}J`;
/** A line that is wider than was measured is cut by the terminal, and moves no other. */
const NO_WRAP = `${ESCAPE}?7l`;
const WRAP = `${ESCAPE}?7h`;

/**
 * What to write so that `after` stands where `before` does; empty when they are the same. Lines that stay are not
 * written again. The cursor is in the first column of the last line of `before`, and then in that of `after`.
 */
export function replaceLines(before: readonly ScreenLine[], after: readonly ScreenLine[]): string {
  const changed = after.findIndex(({ text }, index) => text !== before[index]?.text);
  const same = changed === -1 ? after.length : changed;
  if (same === before.length && same === after.length) return '';
  // The last line is always written: the cursor then stands in it.
  const from = Math.min(same, Math.max(0, after.length - 1));
  return moveBy(from - Math.max(0, before.length - 1)) + writeLines(after.slice(from));
}

/**
 * The same after the terminal got another width, and has wrapped the lines of `before` anew: all of `after` is written.
 */
export function replaceReflowed(
  before: readonly ScreenLine[],
  after: readonly ScreenLine[],
  columns: number,
): string {
  return moveBy(-countRows(before.slice(0, -1), columns)) + writeLines(after);
}

/** Rows that lines take on a terminal of this width. */
export function countRows(lines: readonly ScreenLine[], columns: number): number {
  return lines.reduce((rows, line) => rows + Math.max(1, Math.ceil(line.columns / columns)), 0);
}

/** Erases first: behind a line that is full, erasing would take its last character. */
function writeLines(lines: readonly ScreenLine[]): string {
  const text = lines.map((line) => line.text).join('\r\n');
  return `\r${ERASE_BELOW}${NO_WRAP}${text}${WRAP}\r`;
}

/** Upwards when negative. */
function moveBy(rows: number): string {
  if (rows === 0) return '';
  return rows < 0 ? `${ESCAPE}${-rows}A` : '\r\n'.repeat(rows);
}
