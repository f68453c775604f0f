import * as z from 'zod';
import type { CloseManifest } from '../core/periods/close-manifest.ts';
import type { Statement } from '../core/periods/statement.ts';
import { selectEvents } from '../systems/selection.ts';

const envelope = { epoch: z.string().optional(), sequence: z.int(), time: z.string() };

const closingSchema = z.looseObject({
  ...envelope,
  type: z.literal('workforce.pay_period.closed'),
  data: z.looseObject({ closeManifest: z.looseObject({ hoursToPay: z.number() }).optional() }),
});

const statementSchema = z.looseObject({
  ...envelope,
  type: z.literal('workforce.pay_period.statement'),
  data: z.looseObject({ statement: z.looseObject({ stage: z.string(), hours: z.number() }) }),
});

/** One statement of a pay period, as it was published. */
export interface StoredStatement {
  /** RFC 3339. */
  readonly time: string;
  readonly statement: Statement;
}

/** One closing of a pay period, as it was published. */
export interface StoredClosing {
  /** RFC 3339. */
  readonly time: string;
  /** Absent when there was no time to count. */
  readonly manifest?: CloseManifest;
}

/** With what puts it in order. */
export type Logged<Entry> = Entry & { readonly epoch?: string; readonly sequence: number };

/** The closings of a pay period among some logged events. */
export function parseClosings(texts: readonly string[], payPeriodId: string): Logged<StoredClosing>[] {
  return select(texts, payPeriodId, closingSchema).map(({ data, ...event }) => {
    const manifest = data.closeManifest as CloseManifest | undefined;
    return { ...toPlace(event), ...(manifest === undefined ? {} : { manifest }) };
  });
}

/** The same of its statements. */
export function parseStatements(texts: readonly string[], payPeriodId: string): Logged<StoredStatement>[] {
  return select(texts, payPeriodId, statementSchema).map(({ data, ...event }) => {
    return { ...toPlace(event), statement: data.statement as unknown as Statement };
  });
}

export function withoutPosition<Entry>({ epoch: _, sequence: __, ...entry }: Logged<Entry>) {
  return entry;
}

function select<Event>(texts: readonly string[], record: string, schema: z.ZodType<Event>): Event[] {
  return selectEvents(texts, { record }).flatMap(({ text }) => schema.safeParse(JSON.parse(text)).data ?? []);
}

function toPlace({ time, epoch, sequence }: z.output<z.ZodObject<typeof envelope>>) {
  return { time, sequence, ...(epoch === undefined ? {} : { epoch }) };
}
