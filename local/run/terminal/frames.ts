import type { Entry } from './entry.ts';
import { layOutBlock } from './lay-out.ts';
import { fitLine, type Paper, type ScreenLine } from './screen-line.ts';
import { addEntry, type Block, settle } from './transcript.ts';

/** Of a message: the console has the rest. */
const MESSAGE_ROWS = 3;
/** More than any screen has lines. */
const MAX_KEPT = 200;

export interface Frame {
  /** Real time in milliseconds; infinite to settle everything. */
  readonly now: number;
  readonly columns: number;
  readonly rows: number;
  /** The lines below the transcript. */
  readonly footer: (paper: Paper) => readonly ScreenLine[];
}

/** What a run tells, as frames of a terminal. Writes nothing itself and knows no clock. */
export interface Frames {
  add(entry: Entry, now: number): void;
  /** What to write so that the terminal shows the present state; empty when it does already. */
  draw(frame: Frame): string;
  /** What stands on the screen stays: the next frame begins in the line of the cursor. */
  leave(): void;
}

export function createFrames(colour: boolean): Frames {
  const toPaper = (columns: number): Paper => ({ columns, colour, messageRows: MESSAGE_ROWS });
  const layOut = rememberLayouts(toPaper);
  let blocks: readonly Block[] = [];
  /** Settled blocks that may stand on the screen, for when its width changes. */
  let above: readonly Block[] = [];
  /** The lines that may change; the cursor is in the last one. */
  let drawn: readonly ScreenLine[] = [];
  let width = 0;
  return {
    add: (entry, now) => {
      blocks = addEntry(blocks, entry, now);
    },
    draw: ({ now, columns, rows, footer }) => {
      const paper = toPaper(columns);
      const lines = footer(paper);
      // A line at least, on which the next one can begin.
      const below = lines.length === 0 ? [fitLine([], paper)] : lines;
      // What can change stays in the lower half of the screen: what has left it cannot be written again.
      const maxRows = Math.floor((rows - below.length) / 2);
      const isTooTall = (blocks: readonly Block[]) => layOut(blocks, columns).length > maxRows;
      const { settled, pending } = settle(blocks, { now, isTooTall });
      const isReflowed = width !== columns;
      const kept = isReflowed ? findVisible(above, layOut, { drawn, width, columns, rows }) : above;
      const live = [...layOut(pending, columns), ...below];
      const after = [...layOut(settled, columns), ...live];
      const text = isReflowed
        ? replaceReflowed([...layOut(kept, width), ...drawn], [...layOut(kept, columns), ...after], columns)
        : replaceLines(drawn, after);
      blocks = pending;
      above = [...kept, ...settled].slice(-MAX_KEPT);
      drawn = live;
      width = columns;
      return text;
    },
    leave: () => {
      above = [];
      drawn = [];
    },
  };
}

type LayOut = (blocks: readonly Block[], columns: number) => ScreenLine[];

/** A block is laid out once for a width, as most of them stay what they are from frame to frame. */
function rememberLayouts(toPaper: (columns: number) => Paper): LayOut {
  const known = new WeakMap<Block, { readonly columns: number; readonly lines: readonly ScreenLine[] }>();
  return (blocks, columns) =>
    blocks.flatMap((block) => {
      const remembered = known.get(block);
      if (remembered?.columns === columns) return remembered.lines;
      const lines = layOutBlock(block, toPaper(columns));
      known.set(block, { columns, lines });
      return lines;
    });
}

interface Reflow {
  readonly drawn: readonly ScreenLine[];
  /** Before and after. */
  readonly width: number;
  readonly columns: number;
  readonly rows: number;
}

/** The settled blocks that are still whole on the screen, once the terminal has wrapped their lines anew. */
function findVisible(
  settled: readonly Block[],
  layOut: LayOut,
  { drawn, width, columns, rows }: Reflow,
): readonly Block[] {
  let left = rows - countRows(drawn, columns);
  const hidden = settled.findLastIndex((block) => {
    left -= countRows(layOut([block], width), columns);
    return left < 0;
  });
  return settled.slice(hidden + 1);
}

const ESCAPE = '\u001b[';
const ERASE_BELOW = `${ESCAPE}J`;
/** A line that is wider than was measured is cut by the terminal, and moves no other. */
const NO_WRAP = `${ESCAPE}?7l`;
const WRAP = `${ESCAPE}?7h`;

/**
 * What to write so that `after` stands where `before` does; empty when they are the same. Lines that stay are not
 * written again. The cursor is in the first column of the last line of `before`, and then in that of `after`.
 */
function replaceLines(before: readonly ScreenLine[], after: readonly ScreenLine[]): string {
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
function replaceReflowed(
  before: readonly ScreenLine[],
  after: readonly ScreenLine[],
  columns: number,
): string {
  return moveBy(-countRows(before.slice(0, -1), columns)) + writeLines(after);
}

/** Rows that lines take on a terminal of this width. */
function countRows(lines: readonly ScreenLine[], columns: number): number {
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
