import {
  checkRow,
  type FeedDefinition,
  readRow,
  readValues,
  type StateRow,
  toState,
} from '../records/feed-definition.ts';
import { isRecord, kindOf, type SourceRecord } from '../records/fields.ts';
import { isWellFormed, makeWellFormed } from '../records/notation.ts';
import { type PayPeriodHint, type PayPeriodState, readPayPeriodHint } from '../records/pay-period.ts';
import type { RecordDigest } from '../snapshot/digests.ts';
import { idOf, type Page, type WalkEnd } from './pages.ts';
import { RecentRows } from './recent-rows.ts';

/** One record of a scan, not checked yet. `rowText`: its watched values as JSON. */
export interface ScannedRecord {
  readonly id: string;
  readonly slice: string;
  readonly rowText: string;
  readonly digest: RecordDigest;
  readonly requestedAt: number;
  readonly receivedAt: number;
}

/** A record without a usable id or slice, or with invalid members. `issues`: paths of members, never values. */
export interface BadRecord {
  readonly id: string | null;
  readonly issues: readonly string[];
  /** The kind of value of the invalid member: `string`, `null`, `missing`. */
  readonly kind?: string;
}

/** A record of a known slice with invalid members. `issues`: their paths, never values. */
export interface InvalidRecord {
  readonly id: string;
  readonly slice: string;
  readonly issues: readonly string[];
}

/** One pass over some slices. Grows page by page (`takePage`) until its walk is over (`endScan`). */
export interface Scan {
  readonly definition: FeedDefinition;
  /** The requested slices. */
  readonly slices: ReadonlySet<string>;
  /** By id; of a repeated id the copy that was requested last counts (rule 7). */
  readonly records: Map<string, ScannedRecord>;
  /** Records without a usable id or slice. */
  readonly unplaced: BadRecord[];
  /** Pay periods with their totals, each once; empty for other feeds. */
  readonly payPeriods: PayPeriodHint[];
  /** When the first page was requested, ms since 1970: every record was seen later. */
  startedAt: number | null;
  /** How the walk over its pages ended; null while it goes on. */
  readonly end: WalkEnd | null;
}

export function beginScan(definition: FeedDefinition, slices: Iterable<string>): Scan {
  return {
    definition,
    slices: new Set(slices),
    records: new Map(),
    unplaced: [],
    payPeriods: [],
    startedAt: null,
    end: null,
  };
}

/** Adds the records of a page to a scan, except those of other slices. Never throws for a bad record (rule 9). */
export function takePage(scan: Scan, page: Page): void {
  scan.startedAt ??= page.requestedAt;
  for (const reading of readPage(scan.definition, page.records)) {
    if (!('slice' in reading)) scan.unplaced.push(reading);
    else if (scan.slices.has(reading.slice)) takeRecord(scan, reading, page);
  }
}

export function endScan(scan: Scan, end: WalkEnd): Scan {
  return { ...scan, end };
}

/** What follows from a record alone, not from when it was requested. */
interface RecordReading extends Pick<ScannedRecord, 'id' | 'slice' | 'rowText' | 'digest'> {
  readonly payPeriod: PayPeriodHint | null;
}

function takeRecord(scan: Scan, reading: RecordReading, { requestedAt, receivedAt }: Page): void {
  const { id, slice, rowText, digest, payPeriod } = reading;
  // Pages are requested ahead and again, so a later page may be older.
  if ((scan.records.get(id)?.requestedAt ?? requestedAt) > requestedAt) return;
  scan.records.set(id, { id, slice, rowText, digest, requestedAt, receivedAt });
  if (payPeriod === null) return;
  const place = scan.payPeriods.findIndex((known) => known.id === id);
  if (place < 0) scan.payPeriods.push(payPeriod);
  else scan.payPeriods[place] = payPeriod;
}

type PageReading = readonly (RecordReading | BadRecord)[];

/** Readings of frozen pages, which the reader returns again when the source's answer is the same as before. */
const knownReadings = new WeakMap<
  readonly unknown[],
  { readonly definition: FeedDefinition; readonly readings: PageReading }
>();

function readPage(definition: FeedDefinition, records: readonly unknown[]): PageReading {
  const known = knownReadings.get(records);
  if (known?.definition === definition) return known.readings;
  const readings = records.map((record) => readRecord(definition, record));
  const isFinal = Object.isFrozen(records) && records.every((record) => Object.isFrozen(record));
  if (isFinal) knownReadings.set(records, { definition, readings });
  return readings;
}

/** Shared by all scans: the digest of a row follows from its values alone. */
const recentRows = new RecentRows();

function readRecord(definition: FeedDefinition, record: unknown): RecordReading | BadRecord {
  const id = idOf(record);
  if (id === null || !isRecord(record))
    return { id, issues: ['id'], kind: kindOf(isRecord(record) ? record.id : record) };
  // It can be neither stored nor published as it is, and its well-formed version may be the id of another record.
  if (!isWellFormed(id)) return { id: makeWellFormed(id), issues: ['id'], kind: kindOf(id) };
  const slice = definition.sliceOf(record);
  if (slice === null) return { id, issues: ['date'], kind: kindOf(record.date) };
  const { rowText, digest } = recentRows.digested(id, readValues(definition, record).json);
  const payPeriod = definition.name === 'pay-periods' ? readPayPeriod(definition, record, id) : null;
  return { id, slice, rowText, digest, payPeriod };
}

function readPayPeriod(definition: FeedDefinition, record: SourceRecord, id: string): PayPeriodHint | null {
  const row = readRow(definition, record);
  if (checkRow(definition, row).outcome === 'bad') return null;
  return readPayPeriodHint(id, toState(definition, row) as PayPeriodState, record);
}

/** Watched values of a scanned record in stored order, unchecked. */
export function parseRow(record: ScannedRecord): StateRow {
  return JSON.parse(record.rowText) as StateRow;
}

/** Whether every record of the slices was seen, so that an absence counts (rule 6). */
export function isComplete(scan: Scan): boolean {
  return scan.end?.complete ?? false;
}

/** The records of each requested slice; slices without records have an empty list. */
export function recordsBySlice(scan: Scan): Map<string, ScannedRecord[]> {
  const slices = new Map<string, ScannedRecord[]>([...scan.slices].map((slice) => [slice, []]));
  for (const record of scan.records.values()) slices.get(record.slice)?.push(record);
  return slices;
}
