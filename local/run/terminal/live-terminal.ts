import type { RunOptions } from '../options.ts';
import { createNotes, type Notes } from '../output/notes.ts';
import type { FollowedRun, OutputStreams, RunOutput } from '../output/run-output.ts';
import { layOutClosing } from './closing.ts';
import type { Entry } from './entry.ts';
import { createFrames, type Frame } from './frames.ts';
import type { Paper, ScreenLine } from './screen-line.ts';
import { layOutStatus, type Status } from './status.ts';
import { createTeller, readClock } from './teller.ts';

/** Real time between two looks at the clock, and for bursts that are over. */
const TICK_MS = 500;
/** Of a terminal that does not say. */
const DEFAULT_ROWS = 24;
/** One row up: Enter has moved the cursor below the last line. */
const CURSOR_UP = '\u001b[1A';

export interface LiveTerminalOptions extends OutputStreams {
  readonly options: Pick<RunOptions, 'timeZone' | 'dataFolder'>;
  readonly colour: boolean;
}

/**
 * A terminal on which lines fit, bursts become one line, and a status stands below. What is written comes from `frames`;
 * here are the clock, the streams and their size. Nothing is hidden and no mode stays on, so that a run that is killed
 * leaves the terminal in order: the key that is waited for is Enter.
 */
export function openLiveTerminal({ options, stdout, stderr, stdin, colour }: LiveTerminalOptions): RunOutput {
  const { timeZone, dataFolder } = options;
  const frames = createFrames(colour);
  let run: FollowedRun | null = null;
  let stopFollowing = () => {};
  const footer = (paper: Paper) =>
    run === null ? [] : layOutStatus(readStatus(run, { timeZone, hasKey: stdin?.isTTY === true }), paper);
  const draw = (frame: Pick<Frame, 'now' | 'footer'>) => {
    const { columns, rows } = stdout;
    return write(stdout, frames.draw({ columns, rows: rows || DEFAULT_ROWS, ...frame }));
  };
  const redraw = () => draw({ now: Date.now(), footer });
  const tell = (...entries: readonly Entry[]) => {
    for (const entry of entries) frames.add(entry, Date.now());
    return redraw();
  };
  const end = (lines: (paper: Paper) => readonly ScreenLine[]) => {
    stopFollowing();
    run = null;
    void draw({ now: Number.POSITIVE_INFINITY, footer: lines }).catch(() => {});
    frames.leave();
  };
  const conclude: RunOutput['conclude'] = (stats) =>
    end((paper) => layOutClosing(stats.totals(), dataFolder, paper));
  const teller = createTeller(timeZone, tell);
  const tellAddresses = () => {
    stdout.write(CURSOR_UP);
    const addresses = run?.addresses() ?? [];
    void tell(...addresses.map((text): Entry => ({ kind: 'note', text }))).catch(() => {});
  };
  return {
    print: teller.event,
    show: teller.received,
    notes: stderr.isTTY ? createLiveNotes(tell) : createNotes(stderr),
    follow: (followed) => {
      run = followed;
      teller.follow(followed);
      const resume = () => {
        frames.leave();
        void redraw().catch(() => {});
      };
      const exit = () => conclude(followed.stats);
      stopFollowing = keepDrawn({ stdout, stdin, redraw, resume, exit, enter: tellAddresses });
    },
    conclude,
    close: () => end(() => []),
  };
}

function readStatus(
  { stats, clock }: FollowedRun,
  { timeZone, hasKey }: Pick<Status, 'timeZone' | 'hasKey'>,
): Status {
  const { events, completions, messages, deliveries } = stats.totals();
  return {
    now: readClock(clock),
    timeZone,
    events,
    completions,
    messages: messages.reduce((sum, [, count]) => sum + count, 0),
    delivered: deliveries.reduce((sum, [, { taken }]) => sum + taken, 0),
    refused: deliveries.reduce((sum, [, { refused }]) => sum + refused, 0),
    hasKey,
  };
}

function createLiveNotes(tell: (entry: Entry) => Promise<void>): Notes {
  const say = (text: string) => void tell({ kind: 'note', text }).catch(() => {});
  return { say, progress: say };
}

interface Drawing {
  readonly stdout: NodeJS.WriteStream;
  readonly stdin: OutputStreams['stdin'];
  readonly redraw: () => Promise<void>;
  /** After the process was stopped with Ctrl-Z and goes on below what the shell wrote. */
  readonly resume: () => void;
  /** When the process exits before the run has come to its end. */
  readonly exit: () => void;
  /** When Enter was typed. */
  readonly enter: () => void;
}

/** Draws again in time, at a new size and when the process goes on, and hears Enter. Returns how to end that. */
function keepDrawn({ stdout, stdin, redraw, resume, exit, enter }: Drawing): () => void {
  // Whoever awaits a line hears that the terminal is gone.
  const again = () => void redraw().catch(() => {});
  const timer = setInterval(again, TICK_MS).unref();
  const keyboard = stdin?.isTTY === true ? stdin : null;
  stdout.on('resize', again);
  keyboard?.on('data', enter);
  process.on('SIGCONT', resume);
  process.once('exit', exit);
  return () => {
    clearInterval(timer);
    stdout.off('resize', again);
    keyboard?.off('data', enter).pause();
    process.off('SIGCONT', resume);
    process.off('exit', exit);
  };
}

/** Settles once the terminal has the text. */
async function write(stream: NodeJS.WriteStream, text: string): Promise<void> {
  if (text === '') return;
  await new Promise<void>((resolve, reject) => {
    stream.write(text, (error) => (error ? reject(error) : resolve()));
  });
}
