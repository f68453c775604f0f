import { toVirtualTime, type VirtualClock } from '#local/aws/functions/virtual-clock.ts';
import { toLocalDate } from '#shared/core/dates.ts';
import type { RunOptions } from '../options.ts';
import { createNotes, type Notes } from '../output/notes.ts';
import type { FollowedRun, OutputStreams, RunOutput } from '../output/run-output.ts';
import { layOutClosing } from './closing-table.ts';
import { type Entry, readEntry } from './entry.ts';
import { createFrames, type Frame } from './frames.ts';
import type { Paper, ScreenLine } from './screen-line.ts';
import { layOutStatus, type Status } from './status-line.ts';

/** Real time between two looks at the clock, and for bursts that are over. */
const TICK_MS = 500;
/** Of a terminal that does not say. */
const DEFAULT_ROWS = 24;

export interface LiveTerminalOptions extends OutputStreams {
  readonly options: Pick<RunOptions, 'timeZone' | 'dataFolder'>;
  readonly colour: boolean;
}

/**
 * A terminal on which lines fit, bursts become one line, and a status stands below. What is written comes from `frames`;
 * here are the clock, the stream and its size. Nothing is hidden and no mode stays on, so that a run that is killed
 * leaves the terminal in order.
 */
export function openLiveTerminal({ options, stdout, stderr, colour }: LiveTerminalOptions): RunOutput {
  const { timeZone, dataFolder } = options;
  const frames = createFrames(colour);
  let run: FollowedRun | null = null;
  let stopFollowing = () => {};
  const footer = (paper: Paper) => (run === null ? [] : layOutStatus(readStatus(run, timeZone), paper));
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
  const tellDay = createDayTeller(timeZone);
  return {
    print: (delivered) => {
      const { today, day } = tellDay(run?.clock ?? null);
      return tell(...day, readEntry(delivered, { timeZone, today }));
    },
    show: (message) => tell({ kind: 'message', message }),
    notes: stderr.isTTY ? createLiveNotes(tell) : createNotes(stderr),
    follow: (followed) => {
      run = followed;
      const resume = () => {
        frames.leave();
        void redraw().catch(() => {});
      };
      stopFollowing = redrawRegularly({ stdout, redraw, resume, exit: () => conclude(followed.stats) });
    },
    conclude,
    close: () => end(() => []),
  };
}

function readStatus({ stats, clock, consoleAddress }: FollowedRun, timeZone: string): Status {
  const { polls, events, alerts, deliveries } = stats.totals();
  return {
    now: readClock(clock),
    timeZone,
    polls,
    events,
    alerts: alerts.reduce((sum, [, count]) => sum + count, 0),
    delivered: deliveries.reduce((sum, [, { taken }]) => sum + taken, 0),
    refused: deliveries.reduce((sum, [, { refused }]) => sum + refused, 0),
    consoleAddress: consoleAddress(),
  };
}

/** The company's time, in milliseconds since 1970. */
function readClock(clock: VirtualClock | null): number {
  return clock === null ? Date.now() : toVirtualTime(clock, Date.now());
}

/** Tells each new day of the company once, as compact lines leave their date out. */
function createDayTeller(timeZone: string) {
  let last = '';
  return (clock: VirtualClock | null): { readonly today: string; readonly day: readonly Entry[] } => {
    const now = readClock(clock);
    const today = toLocalDate(now, timeZone);
    const isNew = today !== last;
    last = today;
    return { today, day: isNew ? [{ kind: 'day', date: formatDay(now, timeZone) }] : [] };
  };
}

/** Such as `Fri 20 Nov 2026`. */
function formatDay(instant: number, timeZone: string): string {
  const options = { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' } as const;
  return new Intl.DateTimeFormat('en-GB', { ...options, timeZone }).format(instant).replace(',', '');
}

function createLiveNotes(tell: (entry: Entry) => Promise<void>): Notes {
  const say = (text: string) => void tell({ kind: 'note', text }).catch(() => {});
  return { say, progress: say };
}

interface Redrawing {
  readonly stdout: NodeJS.WriteStream;
  readonly redraw: () => Promise<void>;
  /** After the process was stopped with Ctrl-Z and goes on below what the shell wrote. */
  readonly resume: () => void;
  /** When the process exits before the run has come to its end. */
  readonly exit: () => void;
}

/** Draws again in time, at a new size and when the process goes on. Returns how to end that. */
function redrawRegularly({ stdout, redraw, resume, exit }: Redrawing): () => void {
  // Whoever awaits a line hears that the terminal is gone.
  const again = () => void redraw().catch(() => {});
  const timer = setInterval(again, TICK_MS).unref();
  stdout.on('resize', again);
  process.on('SIGCONT', resume);
  process.once('exit', exit);
  return () => {
    clearInterval(timer);
    stdout.off('resize', again);
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
