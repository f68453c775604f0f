import * as z from 'zod';
import { toLocalDate } from '../../core/dates.ts';
import type { Names } from '../names/names.ts';
import { formatBetween, formatWhen, type MessageTimeContext } from './moments.ts';

/** Who reads a sentence. */
export interface Audience {
  /** IANA zone of the dates and times in the sentence. */
  readonly timeZone: string;
  /** The names that may be shown to them; ids elsewhere. */
  readonly names: Names;
  /** They read it some time after the event: days are always given, and nothing counts from now. */
  readonly isHeld?: boolean | undefined;
  /** Hours to pay of a timesheet when its processing was reverted, where those of its next one can be compared. */
  readonly hoursBefore?: number | null | undefined;
  /** What they call the source; without it, `DEFAULT_SERVICE_NAME`. */
  readonly serviceName?: string | undefined;
  /** False where there is only one connection, whose name says nothing to them. */
  readonly namesConnection?: boolean | undefined;
  /** Of a trouble they read what it means for pay, not what failed. */
  readonly isForPay?: boolean | undefined;
}

/** What people call the source where the config has no name for it. */
export const DEFAULT_SERVICE_NAME = 'the workforce service';

/** What they call it. */
export function nameService({ serviceName }: Pick<Audience, 'serviceName'>): string {
  return serviceName ?? DEFAULT_SERVICE_NAME;
}

const instant = z.iso.datetime();
const state = z.record(z.string(), z.unknown()).nullable();
/** Watched fields by name; a later version may add some. */
export type EventState = z.output<typeof state>;

/** Members of every event: CloudEvents 1.0 with the extensions of this product. */
export const envelope = {
  specversion: z.literal('1.0'),
  id: z.string().min(1),
  source: z.string(),
  subject: z.string().optional(),
  time: instant,
  connection: z.string(),
  epoch: z.string().optional(),
  sequence: z.int().min(1),
};

/** Members that `data` has in every event about a record. */
export const recordData = {
  current: state,
  previous: state,
  changed: z.array(z.string()),
  observed: z.looseObject({ after: instant.nullable(), by: instant }),
  occurredAt: z.string().nullable(),
  collapsed: z.boolean(),
  late: z.array(z.string()),
  reverses: z.string().optional(),
  settles: z.array(z.looseObject({ type: z.string() })).optional(),
};

export type Occurrence = Readonly<{
  occurredAt: string | null;
  observed: Readonly<{ after: string | null; by: string }>;
}>;

/** Sentences leave out the year in which the event was seen, and the day when they are read on it. */
export function toTimeContext(
  time: string,
  { timeZone, isHeld = false }: Pick<Audience, 'timeZone' | 'isHeld'>,
): MessageTimeContext {
  const day = toLocalDate(Date.parse(time), timeZone);
  return { timeZone, day: isHeld ? null : day, year: day.slice(0, 4) };
}

/** `at 10:01` when the source says so, otherwise between which two polls: `between 10:01 and 10:02`. */
export function describeOccurrence(
  { occurredAt, observed }: Occurrence,
  timeContext: MessageTimeContext,
): string {
  const said = occurredAt === null ? null : formatWhen(occurredAt, timeContext);
  if (said !== null) return said;
  const after = observed.after === null ? null : Date.parse(observed.after);
  return formatBetween(after, Date.parse(observed.by), timeContext);
}

/** A field's value when it is a text that is not empty, otherwise null. */
export function readText(values: EventState, field: string): string | null {
  const value = values?.[field];
  return typeof value === 'string' && value !== '' ? value : null;
}

/** A field's value when it is a finite number, otherwise null. */
export function readNumber(values: EventState, field: string): number | null {
  const value = values?.[field];
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}
