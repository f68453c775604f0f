import type { RawRecord, TrackedRecord } from '#local/source/world/records.ts';
import type { DateRange } from '#shared/core/dates.ts';
import type { Faults, WalkFault } from '../faults.ts';

/** A record of a list in one version. */
export interface Row {
  readonly record: TrackedRecord;
  readonly version: number;
  readonly raw: RawRecord;
}

/** The requested list and instant, and how the source orders it. */
export interface ListView {
  readonly range: DateRange | null;
  readonly at: number;
  readonly lag: number;
  readonly order: 'id' | 'date';
  readonly fault: WalkFault | null;
}

/** The whole list at one instant, in the order of the source. */
export function rowsOf(records: ReadonlyMap<string, TrackedRecord>, view: ListView, faults: Faults): Row[] {
  const { order, fault } = view;
  const rows: Row[] = [];
  for (const record of records.values()) {
    const version = versionListed(record, view, faults);
    const raw = record.version(version);
    if (raw === null || !isListed(raw, view, faults)) continue;
    rows.push({ record, version, raw });
  }
  if (fault === 'empty_list' && rows.length > 0) {
    faults.note(fault);
    return [];
  }
  if (fault === 'shuffled_pages' && rows.length > 1) {
    faults.note(fault);
    return faults.random.shuffled(rows);
  }
  return rows.sort(ORDERS[order]);
}

function versionListed(record: TrackedRecord, { at, lag }: ListView, faults: Faults): number {
  const now = record.indexAt(at);
  if (lag === 0) return now;
  const then = record.indexAt(at - lag);
  if (then !== now) faults.note('lagging_list');
  return then;
}

/** A faulty source also lists records of other dates. */
function isListed(raw: RawRecord, { range, fault }: ListView, faults: Faults): boolean {
  const date = String(raw.date);
  if (range === null || (range.from <= date && date <= range.to)) return true;
  if (fault !== 'other_dates') return false;
  faults.note(fault);
  return true;
}

const ORDERS: Readonly<Record<ListView['order'], (a: Row, b: Row) => number>> = {
  id: (a, b) => (a.record.id < b.record.id ? -1 : 1),
  date: (a, b) => (dateOf(a) < dateOf(b) ? -1 : dateOf(a) > dateOf(b) ? 1 : ORDERS.id(a, b)),
};

function dateOf({ raw }: Row): string {
  return String(raw.date);
}
