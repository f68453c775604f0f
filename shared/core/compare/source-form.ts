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
import type { FeedState } from '../snapshot/feed-state.ts';
import type { SliceHead } from '../snapshot/snapshot.ts';
import { findDifferingLeavesWithRecords } from './differing-leaves.ts';

/** Up to this share of a scan, or this many records, bad records are quarantined one by one (rule 9). */
const QUARANTINED_SHARE = 0.01;
const MAX_QUARANTINED = 10;
/** Fields, and kinds of each, that an event names: the first that occurred. */
const MAX_FIELDS = 20;
const MAX_KINDS = 10;

/** A field with invalid values, and the kinds of these; never the values. */
interface MalformedField {
  readonly field: string;
  readonly kinds: readonly string[];
}

/** A scan in which so many records are bad that the source must have changed its form. */
export interface FormChange {
  readonly fields: readonly MalformedField[];
  readonly bad: number;
  readonly records: number;
  /** Slices of the scan with bad records; all slices when some records have no slice. */
  readonly slices: readonly string[];
}

export interface FormCheck {
  /** The invalid ones of the records that will be compared, by id. */
  readonly invalid: ReadonlyMap<string, InvalidRecord>;
  /** Null when few enough are bad to be quarantined one by one. */
  readonly change: FormChange | null;
}

/** Checks all records that will be compared: those of differing leaves, and of slices without a baseline. */
export function checkForm(scan: Scan, heads: ReadonlyMap<string, SliceHead>): FormCheck {
  const invalid = new Map<string, InvalidRecord>();
  const kinds = new Map<string, Set<string>>();
  for (const record of listComparedRecords(scan, heads)) {
    const row = parseRow(record);
    const checked = checkRow(scan.definition, row);
    if (checked.outcome === 'good') continue;
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

/** The path of an issue without the indexes of list members. */
function toFieldPath(issue: string): string {
  return issue.replace(/\.\d+(?=\.|$)/g, '');
}

function recordKind(kinds: Map<string, Set<string>>, issue: string, kind: string): void {
  const field = toFieldPath(issue);
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
  for (const name of issue.split('.')) value = (value as Record<string, unknown> | null | undefined)?.[name];
  return kindOf(value);
}

/** The scan as incomplete: its valid records still count, its absences do not. */
export function markIncomplete(scan: Scan): Scan {
  const { end } = scan;
  return end === null ? scan : { ...scan, end: { ...end, complete: false, problem: 'source_changed_form' } };
}

/** One line for the log, with fields and kinds: `hoursToPay: string`. */
export function describeFormChange({ fields, bad, records }: FormChange): string {
  const named = fields.map(({ field, kinds }) => `${field}: ${kinds.join(' or ')}`).join(', ');
  return `source_changed_form: ${bad} of ${records} records cannot be read (${named}); compare the source's answer with docs/source-api.md`;
}

/** Form changes in the scans of one poll. */
export interface FormReport {
  readonly formChanges: readonly FormChange[];
  /** Slices of which all that a complete scan found was committed. */
  readonly committedWhole: ReadonlySet<string>;
  readonly window: readonly string[];
  readonly startedAt: number;
}

/** A form change begins with the first scan that shows one, and ends when every slice concerned has a complete scan. */
export function updateForm(
  ongoing: FeedState['formChanged'],
  { formChanges, committedWhole, window, startedAt }: FormReport,
): Pick<FeedState, 'formChanged'> {
  const [first] = formChanges;
  const watched = new Set(window);
  const unread = (ongoing?.slices ?? []).filter((slice) => watched.has(slice) && !committedWhole.has(slice));
  const slices = [...new Set([...unread, ...formChanges.flatMap((change) => change.slices)])].sort();
  if (first === undefined)
    return { formChanged: ongoing === null || slices.length === 0 ? null : { ...ongoing, slices } };
  const { fields, bad } = first;
  return { formChanged: { since: ongoing?.since ?? startedAt, fields: copyFields(fields), bad, slices } };
}

function copyFields(fields: readonly MalformedField[]): { field: string; kinds: string[] }[] {
  return fields.map(({ field, kinds }) => ({ field, kinds: [...kinds] }));
}

/** Bad records to quarantine: those with an issue outside the fields that are known to have changed their form. */
export function selectQuarantined(
  bad: readonly BadRecord[],
  ongoing: FeedState['formChanged'],
): readonly BadRecord[] {
  const fields = new Set(ongoing?.fields.map(({ field }) => field));
  return bad.filter(({ issues }) => !issues.every((issue) => fields.has(toFieldPath(issue))));
}

/** Bad records that are remembered; beyond that only metrics count them. */
const MAX_UNREADABLE = 200;
/** A record is told to be bad once a look at least so much later finds it bad again. */
const MET_AGAIN_MS = 60_000;
/** One that no poll met for so long was removed, or left the window. */
const MET_WITHIN_MS = 86_400_000;
/** In the place of the ids of records without a usable one: they cannot be recognized when they are read. */
const UNIDENTIFIED = '#unidentified';

/** Bad records of a poll, and those that a complete scan read again. */
interface BadReport {
  readonly bad: readonly BadRecord[];
  readonly readAgain: ReadonlySet<string>;
  readonly sourceAnswered: boolean | null;
  readonly now: number;
}

/** The records that could not be read when they were met last. */
export function updateUnreadableRecords(
  { unreadable, formChanged }: Pick<FeedState, 'unreadable' | 'formChanged'>,
  { bad, readAgain, sourceAnswered, now }: BadReport,
): Pick<FeedState, 'unreadable'> {
  const badIds = new Set(bad.map(({ id }) => id));
  const open = new Map(Object.entries(unreadable).filter(([id]) => !readAgain.has(id) || badIds.has(id)));
  for (const { id, issues, isListedTwice = false } of selectQuarantined(bad, formChanged)) {
    const key = id === null || issues.includes('id') ? UNIDENTIFIED : id;
    const known = open.get(key);
    if (known === undefined && open.size >= MAX_UNREADABLE) continue;
    const cause = isListedTwice ? 'listed_twice' : (issues[0] ?? '');
    const since = known?.since ?? now;
    const told = known?.told === true || now - since >= MET_AGAIN_MS;
    open.set(key, { since, badAt: now, cause, told });
  }
  const isMet = ({ badAt }: FeedState['unreadable'][string]) =>
    sourceAnswered !== true || now - badAt <= MET_WITHIN_MS;
  return { unreadable: Object.fromEntries([...open].filter(([, each]) => isMet(each))) };
}
