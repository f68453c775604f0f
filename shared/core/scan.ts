import { type RecordDigest, recordDigest } from './digests.ts';
import { idOf, type Page, type WalkEnd } from './pages.ts';
import { checkRow, type FeedDefinition, readRow, type StateRow, stateOf } from './records/feed-definition.ts';
import { isRecord, kindOf } from './records/fields.ts';
import { type PayPeriodHint, type PayPeriodState, payPeriodHintOf } from './records/pay-period.ts';

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
  /** By id: a repeated id is merged, the copy that came last counts (rule 7). */
  readonly records: Map<string, ScannedRecord>;
  readonly unplaced: BadRecord[];
  /** Pay periods with their totals; empty for other feeds. */
  readonly payPeriods: PayPeriodHint[];
  /** Records of dates that were not asked for: left alone. */
  outOfRange: number;
  /** When the first page was asked for: everything was seen after this. */
  startedAt: number | null;
  end: WalkEnd | null;
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
  };
}

/** Takes the records of a page into a scan. What a bad record holds never throws (rule 9). */
export function takePage(scan: Scan, page: Page): void {
  scan.startedAt ??= page.requestedAt;
  for (const record of page.records) {
    const id = idOf(record);
    if (id === null || !isRecord(record)) {
      scan.unplaced.push({ id, issues: ['id'], kind: kindOf(isRecord(record) ? record.id : record) });
      continue;
    }
    const slice = scan.definition.sliceOf(record);
    if (slice === null) scan.unplaced.push({ id, issues: ['date'], kind: kindOf(record.date) });
    else if (!scan.slices.has(slice)) scan.outOfRange += 1;
    else scan.records.set(id, scannedRecord(scan, record, { id, slice, page }));
  }
}

interface Placed {
  readonly id: string;
  readonly slice: string;
  readonly page: Page;
}

function scannedRecord(scan: Scan, record: Readonly<Record<string, unknown>>, placed: Placed): ScannedRecord {
  const { id, slice, page } = placed;
  const row = readRow(scan.definition, record);
  if (scan.definition.name === 'pay-periods') noteTotals(scan, record, { id, row });
  const rowText = JSON.stringify(row);
  const { requestedAt, receivedAt } = page;
  return { id, slice, rowText, digest: recordDigest(id, rowText), requestedAt, receivedAt };
}

function noteTotals(scan: Scan, record: unknown, { id, row }: { id: string; row: StateRow }): void {
  if (checkRow(scan.definition, row).outcome === 'bad') return;
  scan.payPeriods.push(payPeriodHintOf(id, stateOf(scan.definition, row) as PayPeriodState, record));
}

/** Watched values of a scanned record, in stored order. */
export function rowOf(record: ScannedRecord): StateRow {
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
