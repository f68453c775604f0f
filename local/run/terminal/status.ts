import { fitLine, measureColumns, type Paper, type ScreenLine, type Span } from './screen-line.ts';

/** How a run is going. */
export interface Status {
  /** The company's, in milliseconds since 1970. */
  readonly now: number;
  readonly timeZone: string;
  readonly events: number;
  /** Times that a list was said to be published completely; no lines tell of them. */
  readonly completions: number;
  /** To people. */
  readonly messages: number;
  /** Events that systems took, and those that they refused. */
  readonly delivered: number;
  readonly refused: number;
  /** Whether Enter prints the address of the console, and what else there is to look at. */
  readonly hasKey: boolean;
}

const LEAD = '── ';
const SEPARATOR = ' · ';

/** The lines below everything else: one, or as many as a narrow terminal needs. */
export function layOutStatus(status: Status, paper: Paper): ScreenLine[] {
  const { events, completions, messages, delivered, refused, hasKey } = status;
  const parts: Span[] = [
    { text: formatClock(status), style: 'bold' },
    { text: count(events, 'event') },
    ...(completions === 0 ? [] : [{ text: `${completions} feed.complete` }]),
    { text: count(messages, 'message') },
    { text: `${delivered} delivered` },
    ...(refused === 0 ? [] : [{ text: `${refused} refused`, style: 'red' } as const]),
    ...(hasKey ? [{ text: 'Enter: console', style: 'dim' } as const] : []),
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
