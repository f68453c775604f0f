import { isSameRecord } from './digests.ts';
import type { Snapshot } from './look.ts';
import { checkRow, type FeedDefinition, type StateRow } from './records/feed-definition.ts';
import { isComplete, rowOf, type Scan, type ScannedRecord } from './scan.ts';
import { type LeafRow, leafKey, leafRefOf, rowDigest } from './snapshot.ts';

/** A known record of a slice. */
export interface KnownRow {
  readonly slice: string;
  readonly row: LeafRow;
}

/** A record that was seen and checked. */
export interface SeenRecord {
  readonly id: string;
  readonly slice: string;
  readonly row: StateRow;
  readonly requestedAt: number;
  readonly receivedAt: number;
}

/** A record that does not fit its schema; names of members only. */
interface Misfit {
  readonly id: string;
  readonly slice: string;
  readonly issues: readonly string[];
}

/** What a scan leaves open after its differing leaves were read. */
export interface OpenQuestions {
  /** Checked records of the differing leaves. */
  readonly seen: readonly SeenRecord[];
  /** Those that their slice does not know: they may be known in another one (rule 6). */
  readonly strangers: readonly SeenRecord[];
  /** Known records that a complete scan did not see. */
  readonly absent: readonly KnownRow[];
  /** Rows of records that are known, as seen, in another slice: left over from an interrupted first look. */
  readonly stale: readonly KnownRow[];
  /** Known records that were there but could not be placed, did not fit their schema, or cannot be compared yet. */
  readonly unreadable: readonly KnownRow[];
  readonly bad: readonly Misfit[];
}

/** Compares what was seen with the leaves that differ: who is new to his slice, who is missing, who is bad. */
export function openQuestions(scan: Scan, snapshot: Snapshot): OpenQuestions {
  const seen: SeenRecord[] = [];
  const strangers: SeenRecord[] = [];
  const bad: Misfit[] = [];
  const known = knownRows(snapshot);
  for (const record of scan.records.values()) {
    const head = snapshot.heads.get(record.slice);
    if (head === undefined || !snapshot.leaves.has(leafKey(leafRefOf(head, record.id)))) continue;
    const same = rowIn(known, record.id, record.slice);
    if (same !== undefined && isSameRecord(rowDigest(same.row), record.digest)) {
      // As it was, when it was good: most records of a leaf in which one has changed.
      const { id, slice, requestedAt, receivedAt } = record;
      seen.push({ id, slice, row: same.row.state, requestedAt, receivedAt });
      continue;
    }
    const checked = checkRecord(scan.definition, record);
    if ('issues' in checked) {
      bad.push({ id: record.id, slice: record.slice, issues: checked.issues });
      continue;
    }
    seen.push(checked);
    if (same === undefined) strangers.push(checked);
  }
  return { seen, strangers, bad, ...missingRows(scan, { known, heads: snapshot.heads }, { bad, strangers }) };
}

function checkRecord(
  definition: FeedDefinition,
  record: ScannedRecord,
): SeenRecord | { readonly issues: readonly string[] } {
  const row = rowOf(record);
  const checked = checkRow(definition, row);
  if (checked.outcome === 'bad') return { issues: checked.issues };
  const { id, slice, requestedAt, receivedAt } = record;
  return { id, slice, row, requestedAt, receivedAt };
}

/** The rows of all leaves read so far, by id; more than one only after an interrupted first look. */
export function knownRows(snapshot: Snapshot): Map<string, KnownRow[]> {
  const rows = new Map<string, KnownRow[]>();
  for (const { slice, rows: rowsOfLeaf } of snapshot.leaves.values()) {
    for (const row of rowsOfLeaf) {
      const others = rows.get(row.id);
      if (others === undefined) rows.set(row.id, [{ slice, row }]);
      else others.push({ slice, row });
    }
  }
  return rows;
}

/** The row of a record in one slice. */
export function rowIn(
  known: ReadonlyMap<string, readonly KnownRow[]>,
  id: string,
  slice: string,
): KnownRow | undefined {
  return known.get(id)?.find((row) => row.slice === slice);
}

type Missing = Pick<OpenQuestions, 'absent' | 'stale' | 'unreadable'>;

interface KnownSlices {
  readonly known: ReadonlyMap<string, readonly KnownRow[]>;
  readonly heads: Snapshot['heads'];
}

function missingRows(
  scan: Scan,
  { known, heads }: KnownSlices,
  { bad, strangers }: Pick<OpenQuestions, 'bad' | 'strangers'>,
): Missing {
  const badIds = new Set([...scan.unplaced, ...bad].map(({ id }) => id));
  const moved = new Set(strangers.map(({ id }) => id));
  const rows = [...known.values()].flat().filter(({ slice }) => scan.slices.has(slice));
  const readable = isComplete(scan)
    ? rows.filter(({ row }) => !badIds.has(row.id) && !moved.has(row.id))
    : [];
  const seenOn = ({ row }: KnownRow) => scan.records.get(row.id)?.slice;
  const elsewhere = readable.filter((known) => (seenOn(known) ?? known.slice) !== known.slice);
  // Of a slice whose first look another poll installed we have no head: what is known there, we cannot say.
  const isLoaded = (known: KnownRow) => heads.has(seenOn(known) ?? known.slice);
  return {
    unreadable: [
      ...rows.filter(({ row }) => badIds.has(row.id)),
      ...elsewhere.filter((known) => !isLoaded(known)),
    ],
    absent: readable.filter((known) => seenOn(known) === undefined),
    stale: elsewhere.filter(isLoaded),
  };
}
