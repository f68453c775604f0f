import type { Writable } from 'node:stream';
import { escapeUnprintable } from '#shared/terminal/output.ts';
import type { Entry } from '../terminal/entry.ts';
import { layOutEntry } from '../terminal/lay-out.ts';
import { toPlainPaper } from '../terminal/screen-line.ts';
import { createTeller } from '../terminal/teller.ts';
import type { RunOutput } from './run-output.ts';

/** Prints delivered events, and what people and systems got. */
export type Printer = Pick<RunOutput, 'print' | 'show' | 'follow'>;

export interface PrinterOptions {
  readonly stream: Writable & { readonly isTTY?: boolean };
  readonly timeZone: string;
  readonly colour: boolean;
}

/** Prints whole lines in words, for files and pipes. */
export function createTextPrinter({ stream, timeZone, colour }: PrinterOptions): Printer {
  const paper = toPlainPaper(colour);
  const tell = (...entries: readonly Entry[]) =>
    writeLines(
      stream,
      entries.flatMap((entry) => layOutEntry(entry, paper)).map(({ text }) => text),
    );
  const teller = createTeller(timeZone, tell);
  return { print: teller.event, show: teller.received, follow: teller.follow };
}

/** Prints one event per line as it was published, byte for byte; on a terminal with escape sequences. */
export function createJsonPrinter({ stream }: Pick<PrinterOptions, 'stream'>): Printer {
  return {
    print: (text) => writeLines(stream, [stream.isTTY === true ? escapeUnprintable(text) : text]),
    show: async () => {},
    follow: () => {},
  };
}

async function writeLines(stream: Writable, lines: readonly string[]): Promise<void> {
  if (lines.length === 0) return;
  await new Promise<void>((resolve, reject) => {
    stream.write(`${lines.join('\n')}\n`, (error) => (error ? reject(error) : resolve()));
  });
}
