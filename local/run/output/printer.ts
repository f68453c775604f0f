import type { Writable } from 'node:stream';
import { alignDescription, describeEvent } from '#shared/terminal/describe-event.ts';
import { formatMessage, type ReceivedMessage } from '#shared/terminal/format-message.ts';
import { createPainter, escapeUnprintable, type Style } from '#shared/terminal/output.ts';

/** Prints delivered events, and the messages that people and systems received. */
export interface Printer {
  /** Settles when the line is written; rejects when the reader of the output is gone. */
  print(text: string): Promise<void>;
  /** The same for a message. */
  show(message: ReceivedMessage): Promise<void>;
}

export interface PrinterOptions {
  readonly stream: Writable & { readonly isTTY?: boolean };
  readonly output: 'ndjson' | 'text';
  readonly timeZone: string;
  readonly colour: boolean;
}

/** Reversals and problems, then completions, then clockings; other types are plain. */
const STYLES: readonly (readonly [RegExp, Style])[] = [
  [/revoked|reverted|removed|reopened|began/, 'yellow'],
  [/approved|processed|closed|completed|ended/, 'green'],
  [/clock/, 'cyan'],
];

/** Prints one event per line: the message byte for byte (on a terminal with escape sequences), or readable text. */
export function createPrinter(options: PrinterOptions): Printer {
  return {
    print: async (text) =>
      write(
        options.stream,
        options.output === 'ndjson' ? formatMessageText(text, options) : formatEvent(text, options),
      ),
    show: async (message) => write(options.stream, formatMessage(message, options.colour)),
  };
}

function formatMessageText(text: string, { stream }: PrinterOptions): string {
  return stream.isTTY === true ? escapeUnprintable(text) : text;
}

function formatEvent(text: string, { timeZone, colour }: PrinterOptions): string {
  const description = describeEvent(text, timeZone);
  if (description === null) return escapeUnprintable(text);
  const { when, type, who, tail } = alignDescription(description);
  const paint = createPainter(colour);
  const line = `${paint('dim', when)}  ${paint(findStyle(type), type)}  ${who}  ${tail}`;
  return line.trimEnd();
}

/** The style of an event type; undefined for a plain one. */
export function findStyle(type: string): Style | undefined {
  return STYLES.find(([pattern]) => pattern.test(type))?.[1];
}

async function write(stream: Writable, line: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    stream.write(`${line}\n`, (error) => (error ? reject(error) : resolve()));
  });
}
