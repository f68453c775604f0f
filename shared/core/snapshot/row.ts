import type { PeriodMemory } from '../periods/period-memory.ts';

/** A record that could not be read when it was last seen: its last good values stay in `text`. */
export interface BadMark {
  /** Its watched values as they came, as JSON: an unchanged bad record is not read again. */
  readonly text: string;
  /** Paths of the members that are not valid; never their values. */
  readonly issues: readonly string[];
  /** Of a record that was never readable: it was there when its slice was read first. */
  readonly isOld?: true;
}

/** What only some rows remember beside their values. Instants in milliseconds since 1970. */
export interface RowMemory {
  /** Clockings that were told as missing: since when. */
  readonly missing?: { readonly clockIn?: number; readonly clockOut?: number };
  /** Of a pay period that closed: the start of the last look that showed it open, and of the first that showed it closed. */
  readonly closedBetween?: { readonly after: number | null; readonly by: number };
  /** Of a pay period that closed: what was told of it last. */
  readonly period?: PeriodMemory;
  /** The last moment whose `pay_period.due` is published. */
  readonly remindedAt?: number;
}

/** One record as last committed. */
export interface StoredRow {
  readonly id: string;
  /** When the notifier began to follow the record, in milliseconds since 1970 by the connection's clock. */
  readonly epoch: number;
  /** Events of this record so far in its epoch. */
  readonly sequence: number;
  /** Per fact that is set: sequence of its latest forward event, which a reversal names in `reverses`. */
  readonly sent: Readonly<Record<string, number>>;
  /** Canonical JSON of the watched values by position; null for a record that was never readable. */
  readonly text: string | null;
  readonly bad?: BadMark;
  readonly memory?: RowMemory;
}

/** The row of a record of which nothing was told, followed since `epoch`. */
export function toNewRow(id: string, text: string | null, epoch: number): StoredRow {
  return { id, epoch, sequence: 0, sent: {}, text };
}

/** What a look shows of an unchanged record: the text that the digest of its bucket is made of. */
export function seenText({ text, bad }: Pick<StoredRow, 'text' | 'bad'>): string {
  return bad?.text ?? text ?? '';
}
