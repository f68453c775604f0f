import * as z from 'zod';

/** A piece of a line. Texts of the source are only ever text: no medium takes them for markup. */
const spanSchema = z.union([z.string(), z.object({ bold: z.string() })]);
export type Span = Readonly<z.output<typeof spanSchema>>;
export type Spans = readonly Span[];

/** `isInner`: it stands below the line before it. `url`: where people open what it is about. */
const lineSchema = z.object({
  spans: z.array(spanSchema),
  isInner: z.boolean().optional(),
  url: z.string().optional(),
});
export interface Line {
  readonly spans: Spans;
  readonly isInner?: boolean | undefined;
  readonly url?: string | undefined;
}

/** One message to a channel, rendered. Stored until it is sent. */
export const messageSchema = z.object({
  /** Computed from the ids of its events. */
  id: z.string(),
  /** What to do, or what happened. Plain text on one line. */
  heading: z.string(),
  /** At most 40. */
  lines: z.array(lineSchema),
  /** How many records found no room in the lines. */
  more: z.int().min(0),
  /** Sent in quiet hours, too. */
  urgent: z.boolean(),
  /** When the latest of its events was seen, in milliseconds since 1970, and the zone of its connection. */
  at: z.number(),
  timeZone: z.string(),
  /** Where people open what it is about. */
  url: z.string().optional(),
  /** The pay period that it is about, such as `main#9013_1`; absent for one about several, or none. */
  thread: z.string().optional(),
});
export interface Message extends Omit<Readonly<z.output<typeof messageSchema>>, 'lines'> {
  readonly lines: readonly Line[];
}

export function toText(spans: Spans): string {
  return spans.map((span) => (typeof span === 'string' ? span : span.bold)).join('');
}

export function bold(text: string): Span {
  return { bold: text };
}
