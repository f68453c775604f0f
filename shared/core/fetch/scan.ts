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

/** One record as a scan saw it: not checked yet, its watched values as JSON text. */
export interface ScannedRecord {
  readonly id: string;
  readonly slice: string;
  readonly rowText: string;
  readonly digest: RecordDigest;
  readonly requestedAt: number;
  readonly receivedAt: number;
}

/** A record that cannot be placed or does not fit its schema. Names of members only, never values. */
export interface BadRecord {
  readonly id: string | null;
  readonly issues: readonly string[];
  /** The kind of value that stood in the one member at fault: `string`, `null`, `missing`. */
  readonly kind?: string;
}

/** A record that was placed and does not fit its schema; names of members only. */
export interface InvalidRecord {
  readonly id: string;
  readonly slice: string;
  readonly issues: readonly string[];
}

/** One pass over some slices. Grows page by page; `end` is set when the walk is over. */
export interface Scan {
  readonly definition: FeedDefinition;
  /** The slices that were asked for. */
  readonly slices: ReadonlySet<string>;
  /** By id: a repeated id is merged, the copy that was asked for last counts (rule 7). */
  readonly records: Map<string, ScannedRecord>;
  readonly unplaced: BadRecord[];
  /** Pay periods with their totals; empty for other feeds. */
  readonly payPeriods: PayPeriodHint[];
  /** Records of dates that were not asked for: left alone. */
  outOfRange: number;
  /** When the first page was asked for: everything was seen after this. */
  startedAt: number | null;
  end: WalkEnd | null;
  /** Its slices are asked for again by the same poll: what it did not see is no reason to call that incomplete. */
  isRetried: boolean;
}

export function beginScan(definition: FeedDefinition, slices: Iterable<string>): Scan {
  return {
    definition,
    slices: new Set(slices),
    records: new Map(),
    unplaced: [],
    payPeriods: [],
    outOfRange: 0,
    startedAt: null,
    end: null,
    isRetried: false,
  };
}

/** Takes the records of a page into a scan. What a bad record holds never throws (rule 9). */
export function takePage(scan: Scan, page: Page): void {
  scan.startedAt ??= page.requestedAt;
  for (const reading of readPage(scan.definition, page.records)) {
    if (!('slice' in reading)) scan.unplaced.push(reading);
    else if (!scan.slices.has(reading.slice)) scan.outOfRange += 1;
    else takeRecord(scan, reading, page);
  }
}

/** What a record of a page says, whoever asked for the page and when. */
interface RecordReading extends Pick<ScannedRecord, 'id' | 'slice' | 'rowText' | 'digest'> {
  readonly payPeriod: PayPeriodHint | null;
}

function takeRecord(scan: Scan, reading: RecordReading, { requestedAt, receivedAt }: Page): void {
  const { id, slice, rowText, digest, payPeriod } = reading;
  // Pages are asked for ahead and again: a later one may be older.
  if ((scan.records.get(id)?.requestedAt ?? requestedAt) > requestedAt) return;
  scan.records.set(id, { id, slice, rowText, digest, requestedAt, receivedAt });
  if (payPeriod !== null) scan.payPeriods.push(payPeriod);
}

type PageReading = readonly (RecordReading | BadRecord)[];

/** Of pages whose records cannot change: they are kept by who fetched them because the source answered the same. */
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

/** Shared by all scans: what a row is stored and digested as follows from its values alone. */
const recentRows = new RecentRows();

function readRecord(definition: FeedDefinition, record: unknown): RecordReading | BadRecord {
  const id = idOf(record);
  if (id === null || !isRecord(record))
    return { id, issues: ['id'], kind: kindOf(isRecord(record) ? record.id : record) };
  // Neither stored nor published as it is, and what it would become may be the id of another record.
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

/** Watched values of a scanned record, in stored order. */
export function parseRow(record: ScannedRecord): StateRow {
  return JSON.parse(record.rowText) as StateRow;
}

/** Whether every record of the slices was seen, so that an absence means something (rule 6). */
export function isComplete(scan: Scan): boolean {
  return scan.end?.complete ?? false;
}

/** The records of each slice asked for; slices without records are there, empty. */
export function recordsBySlice(scan: Scan): Map<string, ScannedRecord[]> {
  const slices = new Map<string, ScannedRecord[]>([...scan.slices].map((slice) => [slice, []]));
  for (const record of scan.records.values()) slices.get(record.slice)?.push(record);
  return slices;
}
