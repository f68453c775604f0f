import type { Writable } from 'node:stream';
import { styleText } from 'node:util';
import { alignDescription, describeEvent } from '#cli/events/describe-event.ts';
import { formatMessage, type ReceivedMessage } from '#local/receivers/format-message.ts';
import type { Delivered } from '../session/delivery.ts';

/** Writes delivered events, and what people and systems got. */
export interface Printer {
  /** Settles when the reader of our output has taken the line; rejects when it is gone. */
  print(delivered: Delivered): Promise<void>;
  /** The same of a message, on lines of its own. */
  show(message: ReceivedMessage): Promise<void>;
}

export interface PrinterOptions {
  readonly stream: Writable;
  readonly output: 'ndjson' | 'text';
  readonly timeZone: string;
  readonly colour: boolean;
}

type Style = Parameters<typeof styleText>[0];

/** Takings back and losses, then what completes something; anything else is plain. */
const STYLES: readonly (readonly [RegExp, Style])[] = [
  [
    /revoked|reverted|removed|reopened|un(?:reach|read)able|stalled|quarantined|shrunk|lagging|mass_change|form_changed|publish.failed/,
    'yellow',
  ],
  [/approved|processed|closed|completed|recovered|readable|caught_up|form_restored/, 'green'],
  [/clock/, 'cyan'],
];

/** A printer of one event per line: the message byte for byte, or readable text. */
export function createPrinter(options: PrinterOptions): Printer {
  return {
    print: async (delivered) =>
      write(options.stream, options.output === 'ndjson' ? delivered.text : formatEvent(delivered, options)),
    show: async (message) => write(options.stream, formatMessage(message, options.colour)),
  };
}

/** Whether a write failed because the reader has gone, as `head` does when it has enough. */
export function isReaderGone(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'EPIPE' || code === 'ERR_STREAM_DESTROYED';
}

function formatEvent({ text, replayed }: Delivered, { timeZone, colour }: PrinterOptions): string {
  const description = describeEvent(text, timeZone);
  if (description === null) return text;
  const { when, type, who, what: said } = alignDescription(description);
  const what = [said, replayed ? '[replayed]' : ''].filter((part) => part !== '').join('  ');
  if (!colour) return `${when}  ${type}  ${who}  ${what}`.trimEnd();
  const style = STYLES.find(([pattern]) => pattern.test(type))?.[1];
  const paint = (format: Style, text: string) => styleText(format, text, { validateStream: false });
  const painted = style === undefined ? type : paint(style, type);
  return `${paint('dim', when)}  ${painted}  ${who}  ${what}`.trimEnd();
}

async function write(stream: Writable, line: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    stream.write(`${line}\n`, (error) => (error ? reject(error) : resolve()));
  });
}
