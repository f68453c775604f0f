import { readClock, type VirtualClock } from '#local/aws/functions/virtual-clock.ts';
import { toLocalDate } from '#shared/core/dates.ts';
import { type Names, NO_NAMES } from '#shared/people/names/names.ts';
import { parseEventType } from '#shared/terminal/event-line.ts';
import type { Receipt, ReceivedMessage } from '#shared/terminal/received.ts';
import { type Entry, formatTime, readEmployee, readEntry } from './entry.ts';

/** The names for an event about an employee; null: about nobody. */
export type FindNames = (employeeId: string | null) => Promise<Names>;

/** Whose time and names the lines of a run have. */
export interface Told {
  /** Null for real time. */
  readonly clock: VirtualClock | null;
  readonly names: FindNames;
}

/** Makes entries of what a run tells: with names, in the company's time, and a message once. */
export interface Teller {
  follow(told: Told): void;
  /** An event as it was delivered. */
  event(text: string): Promise<void>;
  received(received: Receipt): Promise<void>;
}

/** `tell` settles when the entries are written. */
export function createTeller(
  timeZone: string,
  tell: (...entries: readonly Entry[]) => Promise<void>,
): Teller {
  let told: Told = { clock: null, names: async () => NO_NAMES };
  let lastDay = '';
  const shorten = createShortener();
  const nextDay = (now: number): readonly Entry[] => {
    const day = toLocalDate(now, timeZone);
    if (day === lastDay) return [];
    lastDay = day;
    return [{ kind: 'day', date: formatDate(now, timeZone) }];
  };
  return {
    follow: (next) => {
      told = next;
    },
    event: async (text) => {
      // Every few minutes, and no news: it is counted.
      if (parseEventType(text) === 'feed.complete') return;
      const names = await told.names(readEmployee(text));
      const now = readClock(told.clock);
      await tell(...nextDay(now), readEntry(text, { now, timeZone, names }));
    },
    received: async (received) => {
      if (received.kind === 'delivery') return await tell({ kind: 'delivery', delivery: received });
      const now = readClock(told.clock);
      const at = formatTime(now, timeZone);
      await tell(...nextDay(now), { kind: 'message', at, message: shorten(received) });
    },
  };
}

/** Such as `Fri 20 Nov 2026`. */
function formatDate(instant: number, timeZone: string): string {
  const options = { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' } as const;
  return new Intl.DateTimeFormat('en-GB', { ...options, timeZone }).format(instant).replace(',', '');
}

/** Messages that the next one can be the same as. */
const MAX_RECENT = 20;

/** Of a message that another channel got just before, only that it is the same: the channels have different layouts. */
function createShortener(): (message: ReceivedMessage) => ReceivedMessage {
  let recent: readonly { readonly heading: string; readonly channel: string }[] = [];
  return (message) => {
    const { channel, lines } = message;
    const heading = toComparable(lines[0]?.text ?? '');
    const same = recent.find((each) => each.channel !== channel && isSame(each.heading, heading));
    if (same !== undefined) return { ...message, lines: [{ text: 'the same', style: 'dim' }] };
    recent = [...recent.slice(1 - MAX_RECENT), { heading, channel }];
    return message;
  };
}

/** A mail has its heading in ASCII, and a long one cut. */
function toComparable(heading: string): string {
  return heading
    .normalize('NFKD')
    .replaceAll(/[^\p{ASCII}]|\W+$/gu, '')
    .replaceAll(/ +/g, ' ');
}

function isSame(one: string, other: string): boolean {
  return one !== '' && other !== '' && (one.startsWith(other) || other.startsWith(one));
}
