import type { AbsenceRules } from '../records/absences.ts';
import {
  type FeedDefinition,
  readListedPeriod,
  readValues,
  type StateRow,
} from '../records/feed-definition.ts';
import { isRecord, kindOf, type SourceRecord } from '../records/fields.ts';
import { isSameValue, isWellFormed, makeJsonWellFormed, makeWellFormed } from '../records/notation.ts';
import type { PayPeriodHint, SeenPayPeriod } from '../records/pay-period.ts';
import { digestWellFormed, isSameRecord, type RecordDigest } from '../snapshot/snapshot.ts';
import { idOf, type Page, type WalkEnd } from './pages.ts';

/** One record of a scan, not checked yet. */
export interface ScannedRecord extends Omit<RecordReading, 'payPeriod'> {
  readonly requestedAt: number;
  readonly receivedAt: number;
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
  /** By what missing clockings are judged; null where a connection has no thresholds. */
  readonly absences: AbsenceRules | null;
  /** The requested slices. */
  readonly slices: ReadonlySet<string>;
  /** By id; of copies on several pages the one that was requested last counts (rule 7). */
  readonly records: Map<string, ScannedRecord>;
  /** Records without a usable id or slice, and those listed twice. */
  readonly unplaced: BadRecord[];
  /** Valid pay periods with their totals, each once; empty for other feeds. */
  readonly payPeriods: SeenPayPeriod[];
  /** When the first page was requested, ms since 1970: every record was seen later. */
  startedAt: number | null;
  /** How the walk over its pages ended; null while it goes on. */
  readonly end: WalkEnd | null;
}

export function beginScan(
  definition: FeedDefinition,
  slices: Iterable<string>,
  absences: AbsenceRules | null = null,
): Scan {
  return {
    definition,
    absences,
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
  for (const reading of readPage(scan, page)) {
    if (!('slice' in reading)) scan.unplaced.push(reading);
    else if (scan.slices.has(reading.slice)) takeRecord(scan, reading, page);
  }
}

/** A record that one page lists twice is unread, even if another page lists it once. */
export function endScan(scan: Scan, end: WalkEnd): Scan {
  const twice = scan.unplaced.filter(({ isListedTwice }) => isListedTwice === true);
  if (twice.length === 0) return { ...scan, end };
  const ids = new Set(twice.map(({ id }) => id));
  const records = new Map([...scan.records].filter(([id]) => !ids.has(id)));
  return { ...scan, records, payPeriods: scan.payPeriods.filter(({ id }) => !ids.has(id)), end };
}

function takeRecord(scan: Scan, reading: RecordReading, { requestedAt, receivedAt }: Page): void {
  const { id, slice, rowText, digest, payPeriod } = reading;
  // Pages are requested ahead and again, so a later page may be older.
  if ((scan.records.get(id)?.requestedAt ?? requestedAt) > requestedAt) return;
  scan.records.set(id, { id, slice, rowText, digest, requestedAt, receivedAt });
  if (payPeriod === null) return;
  const place = scan.payPeriods.findIndex((known) => known.id === id);
  const seen = { ...payPeriod, look: { requestedAt, receivedAt } };
  if (place < 0) scan.payPeriods.push(seen);
  else scan.payPeriods[place] = seen;
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

/**
 * A record without a usable id or slice, with invalid members, or listed twice. `issues`: paths of members, never
 * values.
 */
export interface BadRecord {
  readonly id: string | null;
  readonly issues: readonly string[];
  /** The kind of value of the invalid member: `string`, `null`, `missing`. */
  readonly kind?: string;
  /** One answer lists it twice, and `issues` differ: which one is right cannot be known. */
  readonly isListedTwice?: true;
}

/** What follows from a record, and for missing clockings from when it was requested. Not checked yet. */
interface RecordReading {
  readonly id: string;
  readonly slice: string;
  /** Its watched values as JSON. */
  readonly rowText: string;
  readonly digest: RecordDigest;
  readonly payPeriod: PayPeriodHint | null;
}

/** How the records of a scan are read. */
interface Reader {
  readonly definition: FeedDefinition;
  readonly absences: AbsenceRules | null;
}

type Readings = readonly (RecordReading | BadRecord)[];

/** Never throws for a bad record (rule 9). */
function readPage(reader: Reader, { records, requestedAt }: Page): Readings {
  const all = records.map((record) => readRecord(reader, record, requestedAt));
  return setListedTwiceAside(all, reader.definition);
}

/**
 * A page shows one moment, so two different copies of a record on it are no drift. Neither counts: a list that
 * alternated them would change the record again and again.
 */
function setListedTwiceAside(readings: Readings, definition: FeedDefinition): Readings {
  const first = new Map<string, RecordReading>();
  const twice = new Map<string, Set<string>>();
  for (const reading of readings) {
    if (!('slice' in reading)) continue;
    const other = first.get(reading.id);
    if (other === undefined) first.set(reading.id, reading);
    else if (!isSameRecord(other.digest, reading.digest)) {
      const differing = twice.get(reading.id) ?? new Set();
      for (const field of listDiffering(definition, other, reading)) differing.add(field);
      twice.set(reading.id, differing);
    }
  }
  if (twice.size === 0) return readings;
  const bad = [...twice].map(([id, differing]): BadRecord => {
    const issues = definition.fields.map(({ name }) => name).filter((name) => differing.has(name));
    return { id, issues, kind: 'two values', isListedTwice: true };
  });
  return [...readings.filter((reading) => !('slice' in reading && twice.has(reading.id))), ...bad];
}

function listDiffering({ fields }: FeedDefinition, left: RecordReading, right: RecordReading): string[] {
  const [one, other] = [left, right].map(({ rowText }) => JSON.parse(rowText) as StateRow);
  return fields
    .filter((_, index) => !isSameValue(one?.[index] ?? null, other?.[index] ?? null))
    .map(({ name }) => name);
}

function readRecord(
  { definition, absences }: Reader,
  record: unknown,
  at: number,
): RecordReading | BadRecord {
  const id = idOf(record);
  if (id === null || !isRecord(record))
    return { id, issues: ['id'], kind: kindOf(isRecord(record) ? record.id : record) };
  // It can be neither stored nor published as it is, and its well-formed version may be the id of another record.
  if (!isWellFormed(id)) return { id: makeWellFormed(id), issues: ['id'], kind: kindOf(id) };
  const place = findPlace(definition, record);
  if ('issue' in place) return { id, issues: [place.issue], kind: kindOf(record[place.issue]) };
  const rowText = makeJsonWellFormed(readValues(definition, record, { absences, at }).json);
  const digest = digestWellFormed(id, rowText);
  const payPeriod = definition.name === 'pay-periods' ? readListedPeriod(id, record, at) : null;
  return { id, slice: place.slice, rowText, digest, payPeriod };
}

/** The slice of an unchecked record, or the member for which it is bad. */
export function findPlace(
  definition: FeedDefinition,
  record: SourceRecord,
): { readonly slice: string } | { readonly issue: string } {
  const slice = definition.sliceOf(record);
  if (slice === null) return { issue: 'date' };
  const issue = definition.findIssue?.(record) ?? null;
  return issue === null ? { slice } : { issue };
}
