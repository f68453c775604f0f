import { EventEmitter } from 'node:events';
import { FakeTerminal } from '../terminal/fake-terminal.ts';

export interface FakeStream {
  readonly stream: NodeJS.WriteStream;
  /** Shows what was written; null unless it is a terminal that says its width. */
  readonly terminal: FakeTerminal | null;
  written(): string;
  resize(columns: number, rows: number): void;
}

export interface StreamTraits {
  readonly isTTY: boolean;
  readonly columns?: number;
}

/** A stream of a process that writes at once. */
export function createFakeStream({ isTTY, columns = 0 }: StreamTraits): FakeStream {
  const rows = 30;
  const terminal = isTTY && columns > 0 ? new FakeTerminal(columns, rows) : null;
  let written = '';
  const write = (text: string, settle?: () => void) => {
    written += text;
    if (text.includes('\u001b')) terminal?.write(text);
    settle?.();
    return true;
  };
  const stream = Object.assign(new EventEmitter(), { isTTY, columns, rows, write });
  return {
    stream: stream as unknown as NodeJS.WriteStream,
    terminal,
    written: () => written,
    resize: (width, height) => {
      terminal?.resize(width, height);
      Object.assign(stream, { columns: width, rows: height });
      stream.emit('resize');
    },
  };
}
