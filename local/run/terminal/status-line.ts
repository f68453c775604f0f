import { fitLine, measureColumns, type Paper, type ScreenLine, type Span } from './screen-line.ts';

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
