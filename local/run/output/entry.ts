import * as z from 'zod';
import { toLocalTime } from '#shared/core/dates.ts';
import { parseJsonOrNull } from '#shared/core/parse-json.ts';
import type { Names } from '#shared/people/names/names.ts';
import { type EventLine, readEventLine } from '#shared/terminal/event-line.ts';
import type { ReceivedEvent, ReceivedMessage } from '#shared/terminal/received.ts';

/** One thing that a run tells. */
export type Entry =
  | EventEntry
  | { readonly kind: 'message'; readonly at: string; readonly message: ReceivedMessage }
  | { readonly kind: 'delivery'; readonly delivery: ReceivedEvent }
  | { readonly kind: 'note'; readonly text: string }
  /** A new day of the company; `date` such as `Fri 20 Nov 2026`. */
  | { readonly kind: 'day'; readonly date: string };

/** Both are read well on light and on dark. */
type Colour = 'red' | 'magenta';

export interface EventEntry extends EventLine {
  readonly kind: 'event';
  /** When it was told by the clock of the company, `08:24`, so that time runs forward. */
  readonly at: string;
  readonly colour: Colour | undefined;
  readonly employeeId: string | null;
}

/** When something is told, in milliseconds since 1970, and in whose words. */
export interface Telling {
  readonly now: number;
  readonly timeZone: string;
  readonly names: Names;
}

/** What was taken back or is missing, and what went wrong; other news has no colour. */
const COLOURS: readonly (readonly [RegExp, Colour])[] = [
  [/^trouble\.began$/, 'red'],
  [/revoked|reverted|removed|reopened|missing/, 'magenta'],
];

const aboutSchema = z.looseObject({ data: z.looseObject({ employeeId: z.string() }) });

/** Reads a delivered text; one that is not an event is shown as it is. */
export function readEntry(text: string, telling: Telling): Entry {
  const { now, timeZone } = telling;
  const line = readEventLine(text, { ...telling, namesConnection: false });
  if (line === null) return { kind: 'note', text };
  return {
    kind: 'event',
    ...line,
    at: formatTime(now, timeZone),
    colour: COLOURS.find(([pattern]) => pattern.test(line.type))?.[1],
    employeeId: readEmployee(text),
  };
}

/** Whom an event is about; null for nobody, and for a text that is not an event. */
export function readEmployee(text: string): string | null {
  return aboutSchema.safeParse(parseJsonOrNull(text)).data?.data.employeeId ?? null;
}

/** `08:24`. */
export function formatTime(instant: number, timeZone: string): string {
  return toLocalTime(instant, timeZone).slice(0, 5);
}
