import { toIso } from '../dates.ts';
import {
  type BadRecord,
  type InvalidRecord,
  isComplete,
  parseRow,
  type Scan,
  type ScannedRecord,
} from '../fetch/scan.ts';
import { checkRow, type FeedDefinition, type StateRow, toState } from '../records/feed-definition.ts';
import { kindOf } from '../records/fields.ts';
import type { Operation } from '../records/operation.ts';
import type { RecordDigest } from '../snapshot/digests.ts';
import type { FeedState } from '../snapshot/feed-state.ts';
import type { SliceHead } from '../snapshot/snapshot.ts';
import { findDifferingLeavesWithRecords } from './scan-parts.ts';

/** Up to this share of a scan, or this many records, bad records are told of one by one (design, section 10). */
const QUARANTINED_SHARE = 0.01;
const MAX_QUARANTINED = 10;
/** Fields and kinds that are named; a source that changed more than that is named by the first of them. */
const MAX_FIELDS = 20;
const MAX_KINDS = 10;

/** A field that does not have its form any more, and the kinds of value that came instead; never values. */
interface MalformedField {
  readonly field: string;
  readonly kinds: readonly string[];
}

/** So much of a scan is bad that the source must have changed its form. */
export interface FormChange {
  readonly fields: readonly MalformedField[];
  readonly bad: number;
  readonly records: number;
  /** Slices of the scan with bad records; all of them when some could not be placed. */
  readonly slices: readonly string[];
}

/** What the schema says of a scan's records. */
export interface FormCheck {
  /** By id: of the records that are to be compared, those that do not fit. */
  readonly invalid: ReadonlyMap<string, InvalidRecord>;
  /** Null while few enough are bad to be quarantined one by one. */
  readonly change: FormChange | null;
}

/** Of rows that did fit: a row that was seen lately keeps its digest, so most rows of a leaf are checked once. */
const knownGood = new WeakMap<RecordDigest, FeedDefinition>();

/** Checks all records that are to be compared: those of differing leaves, and of slices that nobody looked at yet. */
export function checkForm(scan: Scan, heads: ReadonlyMap<string, SliceHead>): FormCheck {
  const invalid = new Map<string, InvalidRecord>();
  const kinds = new Map<string, Set<string>>();
  for (const record of listComparedRecords(scan, heads)) {
    if (knownGood.get(record.digest) === scan.definition) continue;
    const row = parseRow(record);
    const checked = checkRow(scan.definition, row);
    if (checked.outcome === 'good') {
      knownGood.set(record.digest, scan.definition);
      continue;
    }
    const { id, slice } = record;
    invalid.set(id, { id, slice, issues: checked.issues });
    for (const issue of checked.issues) recordKind(kinds, issue, readKindAt(scan.definition, row, issue));
  }
  for (const { issues, kind } of scan.unplaced)
    for (const issue of issues) recordKind(kinds, issue, kind ?? 'missing');
  const bad = invalid.size + scan.unplaced.length;
  const records = scan.records.size + scan.unplaced.length;
  if (bad <= MAX_QUARANTINED || bad <= records * QUARANTINED_SHARE) return { invalid, change: null };
  const slices = scan.unplaced.length > 0 ? scan.slices : [...invalid.values()].map(({ slice }) => slice);
  return {
    invalid,
    change: { fields: toMalformedFields(kinds), bad, records, slices: [...new Set(slices)] },
  };
}

function* listComparedRecords(
  scan: Scan,
  heads: ReadonlyMap<string, SliceHead>,
): Generator<ScannedRecord, void> {
  for (const { records } of findDifferingLeavesWithRecords(scan, heads)) yield* records;
  if (!isComplete(scan)) return;
  for (const record of scan.records.values()) if (heads.get(record.slice)?.baselinedAt == null) yield record;
}

function recordKind(kinds: Map<string, Set<string>>, issue: string, kind: string): void {
  const field = issue.replace(/\.\d+(?=\.|$)/g, '');
  const known = kinds.get(field) ?? new Set();
  kinds.set(field, known);
  if (known.size < MAX_KINDS) known.add(kind);
}

function toMalformedFields(kinds: ReadonlyMap<string, ReadonlySet<string>>): readonly MalformedField[] {
  return [...kinds].slice(0, MAX_FIELDS).map(([field, of]) => ({ field, kinds: [...of].sort() }));
}

/** The kind of the value that an issue names by its path. */
function readKindAt(definition: FeedDefinition, row: StateRow, issue: string): string {
  let value: unknown = toState(definition, row);
  for (const name of issue.split('.')) {
    value =
      typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
  }
  return kindOf(value);
}

/** A scan of which much cannot be read: states may be told of it, absences not. */
export function markIncomplete(scan: Scan): Scan {
  const { end } = scan;
  return end === null ? scan : { ...scan, end: { ...end, complete: false, problem: 'source_changed_form' } };
}

/** Fields and kinds in one line: `hoursToPay: string`. */
export function describeFormChange({ fields, bad, records }: FormChange): string {
  const named = fields.map(({ field, kinds }) => `${field}: ${kinds.join(' or ')}`).join(', ');
  return `source_changed_form: ${bad} of ${records} records cannot be read (${named}); compare the source's answer with the specification`;
}

/** What the scans of one poll said of the form of the source. */
export interface FormReport {
  readonly changes: readonly FormChange[];
  /** Slices that were seen whole. */
  readonly compared: ReadonlySet<string>;
  readonly window: readonly string[];
  readonly startedAt: number;
}

/** Begins with the first scan that cannot be read, and ends when every slice concerned was seen whole again. */
export function updateForm(
  previous: FeedState['formChanged'],
  { changes, compared, window, startedAt }: FormReport,
): {
  readonly state: NonNullable<FeedState['formChanged']> | null;
  readonly operations: readonly Operation[];
} {
  const standing = previous ?? null;
  const [first] = changes;
  const watched = new Set(window);
  const left = (standing?.slices ?? []).filter((slice) => watched.has(slice) && !compared.has(slice));
  const slices = [...new Set([...left, ...changes.flatMap((change) => change.slices)])].sort();
  if (first !== undefined) {
    const state = { since: standing?.since ?? startedAt, fields: copyFields(first.fields), slices };
    if (standing !== null) return { state, operations: [] };
    const { bad, records } = first;
    const data = { since: toIso(state.since), fields: copyFields(first.fields), bad, records };
    return { state, operations: [{ type: 'source.form_changed', subject: null, data }] };
  }
  if (standing === null) return { state: null, operations: [] };
  if (slices.length > 0) return { state: { ...standing, slices }, operations: [] };
  const data = { since: toIso(standing.since) };
  return { state: null, operations: [{ type: 'source.form_restored', subject: null, data }] };
}

function copyFields(fields: readonly MalformedField[]): { field: string; kinds: string[] }[] {
  return fields.map(({ field, kinds }) => ({ field, kinds: [...kinds] }));
}

/** Bad records that are told of one by one: not those of a field that is known to have changed its form. */
export function selectQuarantined(
  bad: readonly BadRecord[],
  standing: FeedState['formChanged'],
): readonly BadRecord[] {
  const fields = new Set(standing?.fields.map(({ field }) => field));
  return bad.filter(
    ({ issues }) => !issues.every((issue) => fields.has(issue.replace(/\.\d+(?=\.|$)/g, ''))),
  );
}
