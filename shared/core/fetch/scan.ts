import type { AbsenceRules } from '../../absences/absences.ts';
import type { FeedDefinition, StateRow } from '../records/feed-definition.ts';
import type { PayPeriodHint, SeenPayPeriod } from '../records/pay-period.ts';
import { type BadRecord, type RecordReading, readPage } from './page-readings.ts';
import type { Page, WalkEnd } from './pages.ts';

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

/** The pay periods of a scan, and the known ones that it does not show, or shows as bad: they keep their last state. */
export function listPayPeriods(
  { payPeriods }: Pick<Scan, 'payPeriods'>,
  known: readonly PayPeriodHint[],
): readonly SeenPayPeriod[] {
  const listed = new Set(payPeriods.map(({ id }) => id));
  return [...payPeriods, ...known.filter(({ id }) => !listed.has(id))];
}

/** The records of each requested slice; slices without records have an empty list. */
export function recordsBySlice(scan: Scan): Map<string, ScannedRecord[]> {
  const slices = new Map<string, ScannedRecord[]>([...scan.slices].map((slice) => [slice, []]));
  for (const record of scan.records.values()) slices.get(record.slice)?.push(record);
  return slices;
}
