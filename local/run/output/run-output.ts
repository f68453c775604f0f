import type { Writable } from 'node:stream';
import { escapeUnprintable, wantsColour } from '#shared/terminal/output.ts';
import type { Receipt } from '#shared/terminal/received.ts';
import type { RunOptions } from '../options.ts';
import { layOutTogether } from './bursts.ts';
import type { Entry } from './entry.ts';
import { layOutEntry } from './lines.ts';
import { createNotes, type Notes } from './notes.ts';
import { createTeller, type Told } from './teller.ts';

/** Entries of a terminal that come within so long come together. */
const GATHER_MS = 500;

/** All that a run writes. */
export interface RunOutput {
  /** An event as it was delivered. Settles when the line is written; rejects when the reader of the output is gone. */
  print(text: string): Promise<void>;
  /** The same for what people and systems got. */
  show(received: Receipt): Promise<void>;
  readonly notes: Notes;
  /** From now on, says whom events are about, in the time of the run. */
  follow(run: FollowedRun): void;
  /** Writes what is still gathered. Later lines are written as they come. */
  close(): void;
}

interface FollowedRun extends Told {
  /** Where to look, for whoever types Enter. Made when asked for: the address of the console is valid once. */
  readonly addresses: () => readonly string[];
}

export interface OutputStreams {
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  /** What is typed; absent where nobody types. */
  readonly stdin?: Pick<NodeJS.ReadStream, 'isTTY' | 'on' | 'off' | 'pause'> | undefined;
}

/** Whole lines as they come, for programs and files; on a terminal, lines of what came together. */
export function openRunOutput(
  { output, timeZone }: Pick<RunOptions, 'output' | 'timeZone'>,
  environment: NodeJS.ProcessEnv,
  streams: OutputStreams = process,
): RunOutput {
  const { stdout, stderr } = streams;
  // The write itself rejects when the reader is gone.
  stdout.on('error', () => {});
  const notes = createNotes(stderr);
  if (output === 'ndjson') return openJsonOutput(stdout, notes);
  const colour = wantsColour(stdout, environment);
  const isLive = isForPeople(stdout, environment);
  const write = (entries: readonly Entry[]) => {
    const paper = { columns: isLive ? stdout.columns : null, colour };
    const lines = isLive
      ? layOutTogether(entries, paper)
      : entries.flatMap((entry) => layOutEntry(entry, paper));
    return writeLines(stdout, lines);
  };
  const gathered = isLive ? createGatherer(write) : { tell: write, close: () => {} };
  const teller = createTeller(timeZone, (...entries) => gathered.tell(entries));
  const keyboard = isLive && streams.stdin?.isTTY === true ? streams.stdin : null;
  let addresses: FollowedRun['addresses'] = () => [];
  const tellAddresses = () => {
    for (const address of addresses()) notes.say(address);
  };
  return {
    print: teller.event,
    show: teller.received,
    notes,
    follow: (run) => {
      addresses = run.addresses;
      teller.follow(run);
      keyboard?.on('data', tellAddresses);
      if (keyboard !== null)
        notes.say('Enter prints the address of the console, and lines to read each queue');
    },
    close: () => {
      keyboard?.off('data', tellAddresses).pause();
      gathered.close();
    },
  };
}

/** One event per line as it was published, byte for byte; on a terminal with escape sequences. */
function openJsonOutput(stdout: NodeJS.WriteStream, notes: Notes): RunOutput {
  return {
    print: (text) => writeLines(stdout, [stdout.isTTY ? escapeUnprintable(text) : text]),
    show: async () => {},
    notes,
    follow: () => {},
    close: () => {},
  };
}

/** Whether somebody looks on. `CI` is set where logs are kept. */
function isForPeople(
  { isTTY, columns }: { readonly isTTY?: boolean; readonly columns?: number },
  { TERM, CI = '' }: NodeJS.ProcessEnv,
): boolean {
  return isTTY === true && (columns ?? 0) > 0 && TERM !== 'dumb' && (CI === '' || CI === 'false');
}

/** Writes entries some time after the first of them, together with those that came meanwhile. */
function createGatherer(write: (entries: readonly Entry[]) => Promise<void>) {
  let gathered: readonly Entry[] = [];
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    const entries = gathered;
    gathered = [];
    // Who closes a terminal ends the run.
    void write(entries).catch(() => {});
  };
  // Also of a run that must end at once.
  process.once('exit', flush);
  return {
    tell: async (entries: readonly Entry[]) => {
      gathered = [...gathered, ...entries];
      if (isClosed) flush();
      else timer ??= setTimeout(flush, GATHER_MS);
    },
    close: () => {
      isClosed = true;
      process.off('exit', flush);
      flush();
    },
  };
}

async function writeLines(stream: Writable, lines: readonly string[]): Promise<void> {
  if (lines.length === 0) return;
  await new Promise<void>((resolve, reject) => {
    stream.write(`${lines.join('\n')}\n`, (error) => (error ? reject(error) : resolve()));
  });
}
