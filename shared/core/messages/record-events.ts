import * as z from 'zod';
import { toLocalDate } from '../dates.ts';
import type { Names } from '../names/names.ts';
import { formatBetween, formatWhen, type MessageTimeContext } from './moments.ts';

/** For whom a sentence is. */
export interface Audience {
  /** Zone that dates and times are told in. */
  readonly timeZone: string;
  /** Those that may be shown. */
  readonly names: Names;
}

const instant = z.iso.datetime();
const state = z.record(z.string(), z.unknown()).nullable();
/** Values of watched fields by their names; of a field added later too. */
export type EventState = z.output<typeof state>;

/** What all events have: CloudEvents 1.0 with our extensions. */
export const envelope = {
  specversion: z.literal('1.0'),
  id: z.string().min(1),
  source: z.string(),
  subject: z.string().optional(),
  time: instant,
  connection: z.string(),
  sequence: z.int().min(1),
};

/** What the data of an event about a record has, whatever record it is. */
export const recordData = {
  current: state,
  previous: state,
  changed: z.array(z.string()),
  observed: z.looseObject({ after: instant.nullable(), by: instant }),
  occurredAt: z.string().nullable(),
  collapsed: z.boolean(),
  late: z.array(z.string()),
  reverses: z.string().optional(),
};

/** When something happened to a record. */
export type Occurrence = Readonly<{
  occurredAt: string | null;
  observed: Readonly<{ after: string | null; by: string }>;
}>;

/** Read on the day and in the year in which an event was seen. */
export function toTimeContext(time: string, timeZone: string): MessageTimeContext & { readonly day: string } {
  const day = toLocalDate(Date.parse(time), timeZone);
  return { timeZone, day, year: day.slice(0, 4) };
}

/** When the source says that it happened, else between which looks: `at 10:01`, `between 10:01 and 10:02`. */
export function describeOccurrence(
  { occurredAt, observed }: Occurrence,
  timeContext: MessageTimeContext,
): string {
  const said = occurredAt === null ? null : formatWhen(occurredAt, timeContext);
  if (said !== null) return said;
  const after = observed.after === null ? null : Date.parse(observed.after);
  return formatBetween(after, Date.parse(observed.by), timeContext);
}

/** A text among the values of a state, or null. */
export function readText(values: EventState, field: string): string | null {
  const value = values?.[field];
  return typeof value === 'string' && value !== '' ? value : null;
}

/** A number among the values of a state, or null. */
export function readNumber(values: EventState, field: string): number | null {
  const value = values?.[field];
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}
