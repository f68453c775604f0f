import { toVirtualTime, type VirtualClock } from '#local/aws/functions/virtual-clock.ts';
import { toLocalDate } from '#shared/core/dates.ts';
import { formatCommand } from '#shared/terminal/format-command.ts';
import type { RunOptions } from '../options.ts';
import { createNotes, type Notes } from '../output/notes.ts';
import type { FollowedRun, OutputStreams, RunOutput } from '../output/run-output.ts';
import type { RunTotals } from '../output/stats.ts';
import { type Entry, readEntry } from './entry.ts';
import { createFrames, type Frame } from './frames.ts';
import { layOutNote } from './lay-out.ts';
import {
  cutToColumns,
  fitLine,
  measureColumns,
  type Paper,
  padToColumns,
  type ScreenLine,
  type Span,
} from './screen-line.ts';

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

const GAP = '  ';

/** What a run did, for its end: events by type, what people and systems got, and the next command to try. */
export function layOutClosing(totals: RunTotals, dataFolder: string, paper: Paper): ScreenLine[] {
  const { types, alerts, deliveries, events, polls, requests, seconds } = totals;
  const blank = fitLine([], paper);
  const summary = `${events} events, ${polls} polls, ${requests} requests, ${seconds.toFixed(1)} s`;
  const { purpose, command } = findNextCommand(totals, dataFolder);
  return [
    blank,
    ...layOutTable(['published', 'events'], types, paper),
    ...layOutTable(['alerts to', 'messages'], alerts, paper),
    ...layOutTable(
      ['delivered to', 'taken', 'refused'],
      deliveries.map(([label, { taken, refused }]) => [label, taken, refused]),
      paper,
    ),
    fitLine([{ text: summary, style: 'bold' }], paper),
    blank,
    ...layOutNote(`${purpose}:`, paper),
    ...layOutNote(command, paper),
    blank,
  ];
}

type Row = readonly [name: string, ...numbers: (number | string)[]];

/** Names to the left, numbers to the right, and a blank line below; nothing without rows. */
function layOutTable(heading: Row, rows: readonly Row[], paper: Paper): ScreenLine[] {
  if (rows.length === 0) return [];
  const all = [heading, ...rows];
  const widths = heading.map((_, column) =>
    Math.max(...all.map((row) => measureColumns(String(row[column] ?? '')))),
  );
  const numbers = widths.slice(1).reduce((sum, width) => sum + GAP.length + width, 0);
  const [wanted = 0] = widths;
  const room = Math.max(1, Math.min(wanted, paper.columns - numbers));
  const lines = all.map(([name, ...cells], index) => {
    const aligned = cells.map((cell, column) => String(cell).padStart(widths[column + 1] ?? 0));
    const text = [padToColumns(cutToColumns(name, room), room), ...aligned].join(GAP);
    return fitLine([{ text, style: index === 0 ? 'dim' : undefined }], paper);
  });
  return [...lines, fitLine([], paper)];
}

function findNextCommand(
  { events, deliveries, lastRecord }: RunTotals,
  dataFolder: string,
): { readonly purpose: string; readonly command: string } {
  const place = { placeOptions: ['--data', dataFolder] };
  if (deliveries.some(([, { refused }]) => refused > 0)) {
    const purpose = 'to see what was refused, and when it is sent again';
    return { purpose, command: formatCommand(place, 'deliveries') };
  }
  if (lastRecord !== null)
    return {
      purpose: 'to see what happened to one record, and who was told',
      command: formatCommand(place, 'events', lastRecord),
    };
  if (events > 0) return { purpose: 'to see the events again', command: formatCommand(place, 'events') };
  return { purpose: 'to see whether anything is wrong', command: formatCommand(place, 'doctor') };
}

/** How a run is going. */
export interface Status {
  /** The company's, in milliseconds since 1970. */
  readonly now: number;
  readonly timeZone: string;
  readonly polls: number;
  readonly events: number;
  /** Messages to people. */
  readonly alerts: number;
  /** Events that systems took, and those that they refused. */
  readonly delivered: number;
  readonly refused: number;
  /** With the one-time token; null without a console. */
  readonly consoleAddress: string | null;
}

const LEAD = '── ';
const SEPARATOR = ' · ';

/** The lines below everything else: one, or as many as a narrow terminal needs. */
export function layOutStatus(status: Status, paper: Paper): ScreenLine[] {
  const { polls, events, alerts, delivered, refused, consoleAddress } = status;
  const parts: Span[] = [
    { text: formatClock(status), style: 'bold' },
    { text: count(polls, 'poll') },
    { text: count(events, 'event') },
    { text: count(alerts, 'alert') },
    { text: `${delivered} delivered` },
    ...(refused === 0 ? [] : [{ text: `${refused} refused`, style: 'red' } as const]),
    ...(consoleAddress === null ? [] : [{ text: fitAddress(consoleAddress, paper.columns - LEAD.length) }]),
  ];
  return fillLines(parts, paper.columns).map((line) => fitLine(line, paper));
}

/** Such as `Fri 20 Nov, 08:42`. */
function formatClock({ now, timeZone }: Status): string {
  const options = {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
  } as const;
  return new Intl.DateTimeFormat('en-GB', { ...options, timeZone }).format(now);
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

/** Without its token when it would not fit: an address that is cut opens nothing. */
function fitAddress(address: string, room: number): string {
  return measureColumns(address) <= room ? address : new URL(address).origin;
}

/** Puts the parts onto as few lines as hold them. */
function fillLines(parts: readonly Span[], columns: number): Span[][] {
  const lines: Span[][] = [];
  let left = 0;
  for (const part of parts) {
    const width = measureColumns(part.text);
    const line = lines.at(-1);
    if (line !== undefined && SEPARATOR.length + width <= left) {
      line.push({ text: SEPARATOR, style: 'dim' }, part);
      left -= SEPARATOR.length + width;
    } else {
      lines.push([{ text: lines.length === 0 ? LEAD : ' '.repeat(LEAD.length), style: 'dim' }, part]);
      left = columns - LEAD.length - width;
    }
  }
  return lines;
}
