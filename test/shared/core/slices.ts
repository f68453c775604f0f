import { compare, type Difference, findDiffering } from '#shared/core/compare/compare.ts';
import type { Look } from '#shared/core/look/look.ts';
import { feedDefinition } from '#shared/core/records/feed-definition.ts';
import type { SourceRecord } from '#shared/core/records/fields.ts';
import { createHead, describeBucket, groupByBucket, type Head } from '#shared/core/snapshot/head.ts';
import type { StoredRow } from '#shared/core/snapshot/row.ts';
import {
  DATE,
  DAY_MS,
  NOW,
  type SampleRecord,
  storedRow,
  textOf,
  timesheet,
} from '#test/support/builders.ts';

export const KEY = { feed: 'timesheets', slice: DATE } as const;
export const TIMESHEET = feedDefinition('timesheets');

/** Ids of so many records. */
export function listIds(count: number): string[] {
  return Array.from({ length: count }, (_, place) => `${place}_7`);
}

/** Timesheets with these ids, which all have these values. */
export function sheets(ids: readonly string[], values: SourceRecord = {}): SampleRecord[] {
  return ids.map((id) => timesheet({ ...values, id }));
}

export function rowsOf(records: readonly SampleRecord[], values: Partial<StoredRow> = {}): StoredRow[] {
  return records.map((record) => storedRow(record, values));
}

/** A complete look at a date. */
export function lookAt(records: readonly SampleRecord[], values: Partial<Look> = {}): Look {
  return {
    ...KEY,
    ...{ startedAt: NOW, at: NOW + 500, problem: null, totals: new Map() },
    texts: new Map(records.map((record) => [record.id, textOf(record)])),
    ...values,
  };
}

/** A head of these rows, in so many buckets of one size. */
export function headOf(rows: readonly StoredRow[], buckets = 4, values: Partial<Head> = {}): Head {
  const bounds = Array.from({ length: buckets }, (_, place) => ({ from: place * (2 ** 32 / buckets) }));
  const byId = new Map(rows.map((row) => [row.id, row]));
  const groups = groupByBucket(bounds, byId.keys());
  const refs = bounds.map(({ from }, index) => describeBucket(from, pick(byId, groups[index] ?? [])));
  return { ...createHead(KEY), baselinedAt: NOW - DAY_MS, ...values, buckets: refs };
}

/** The rows of each bucket of a head, in its order. */
export function placeRows(head: Head, rows: readonly StoredRow[]): StoredRow[][] {
  const byId = new Map(rows.map((row) => [row.id, row]));
  return groupByBucket(head.buckets, byId.keys()).map((ids) => pick(byId, ids));
}

/** What a look says of the rows of a head. */
export function differ(look: Look, head: Head, rows: readonly StoredRow[]): Difference[] {
  const placed = placeRows(head, rows);
  const buckets = findDiffering(look, head).map((index) => ({ index, rows: placed[index] ?? [] }));
  return compare({ look, head, definition: TIMESHEET }, buckets);
}

function pick(rows: ReadonlyMap<string, StoredRow>, ids: readonly string[]): StoredRow[] {
  return ids.flatMap((id) => rows.get(id) ?? []);
}
