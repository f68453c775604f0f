import { type InvalidRecord, isComplete, parseRow, type Scan, type ScannedRecord } from '../fetch/scan.ts';
import { checkRow, type FeedDefinition, type StateRow } from '../records/feed-definition.ts';
import { isSameRecord } from '../snapshot/digests.ts';
import { digestRow, type LeafRow, toLeafKey, toLeafRef } from '../snapshot/snapshot.ts';
import type { Snapshot } from './differing-leaves.ts';

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

/** A part of a scan that is compared by itself, so that a scan of any size takes little memory. */
export interface ScanPart {
  readonly records: Iterable<ScannedRecord>;
  /** The records of the whole scan that do not fit their schema, by id. */
  readonly invalid: ReadonlyMap<string, InvalidRecord>;
  /** Ids of records that other parts find new to their slices: where they stood before is not theirs to say. */
  readonly isInOtherPart: (id: string) => boolean;
}

/** What a scan leaves open after its differing leaves were read. */
export interface ClassifiedRecords {
  /** Checked records of the differing leaves. */
  readonly seen: readonly SeenRecord[];
  /** Those that their slice does not know: they may be known in another one (rule 6). */
  readonly unknownRecords: readonly SeenRecord[];
  /** Known records that a complete scan did not see. */
  readonly absent: readonly KnownRow[];
  /** Rows of records that are known, as seen, in another slice: left over from an interrupted first look. */
  readonly stale: readonly KnownRow[];
  /** Known records that were there but could not be placed, did not fit their schema, or cannot be compared yet. */
  readonly unreadable: readonly KnownRow[];
  readonly bad: readonly InvalidRecord[];
}

/** Compares what was seen with the leaves that differ: who is new to his slice, who is missing, who is bad. */
export function classifyRecords(scan: Scan, snapshot: Snapshot, part?: ScanPart): ClassifiedRecords {
  const seen: SeenRecord[] = [];
  const unknownRecords: SeenRecord[] = [];
  const bad: InvalidRecord[] = [];
  const known = indexKnownRows(snapshot);
  for (const record of part?.records ?? scan.records.values()) {
    const head = snapshot.heads.get(record.slice);
    if (head === undefined || !snapshot.leaves.has(toLeafKey(toLeafRef(head, record.id)))) continue;
    const same = findRow(known, record.id, record.slice);
    if (same !== undefined && isSameRecord(digestRow(same.row), record.digest)) {
      // As it was, when it was good: most records of a leaf in which one has changed.
      const { id, slice, requestedAt, receivedAt } = record;
      seen.push({ id, slice, row: same.row.state, requestedAt, receivedAt });
      continue;
    }
    const checked = checkRecord(record, scan.definition, part);
    if ('issues' in checked) {
      bad.push(checked);
      continue;
    }
    seen.push(checked);
    if (same === undefined) unknownRecords.push(checked);
  }
  const badIds = part === undefined ? new Set(bad.map(({ id }) => id)) : part.invalid;
  const isInOtherPart = part?.isInOtherPart ?? (() => false);
  const missing = findMissingRows(
    scan,
    { known, heads: snapshot.heads },
    { badIds, unknownRecords, isInOtherPart },
  );
  return { seen, unknownRecords, bad, ...missing };
}

function checkRecord(
  record: ScannedRecord,
  definition: FeedDefinition,
  part: ScanPart | undefined,
): SeenRecord | InvalidRecord {
  const { id, slice, requestedAt, receivedAt } = record;
  const row = parseRow(record);
  if (part !== undefined) return part.invalid.get(id) ?? { id, slice, row, requestedAt, receivedAt };
  const checked = checkRow(definition, row);
  if (checked.outcome === 'bad') return { id, slice, issues: checked.issues };
  return { id, slice, row, requestedAt, receivedAt };
}

/** The rows of all leaves read so far, by id; more than one only after an interrupted first look. */
export function indexKnownRows(snapshot: Snapshot): Map<string, KnownRow[]> {
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
export function findRow(
  known: ReadonlyMap<string, readonly KnownRow[]>,
  id: string,
  slice: string,
): KnownRow | undefined {
  return known.get(id)?.find((row) => row.slice === slice);
}

type MissingRows = Pick<ClassifiedRecords, 'absent' | 'stale' | 'unreadable'>;

interface KnownSlices {
  readonly known: ReadonlyMap<string, readonly KnownRow[]>;
  readonly heads: Snapshot['heads'];
}

interface SeenIds {
  readonly badIds: { has(id: string): boolean };
  readonly unknownRecords: readonly SeenRecord[];
  readonly isInOtherPart: (id: string) => boolean;
}

function findMissingRows(
  scan: Scan,
  { known, heads }: KnownSlices,
  { badIds, unknownRecords, isInOtherPart }: SeenIds,
): MissingRows {
  const unplaced = new Set(scan.unplaced.map(({ id }) => id));
  const isBad = (id: string) => badIds.has(id) || unplaced.has(id);
  const moved = new Set(unknownRecords.map(({ id }) => id));
  const rows = [...known.values()]
    .flat()
    .filter(({ slice, row }) => scan.slices.has(slice) && !isInOtherPart(row.id));
  const readable = isComplete(scan) ? rows.filter(({ row }) => !isBad(row.id) && !moved.has(row.id)) : [];
  const seenOn = ({ row }: KnownRow) => scan.records.get(row.id)?.slice;
  const elsewhere = readable.filter((known) => (seenOn(known) ?? known.slice) !== known.slice);
  // Of a slice whose first look another poll installed we have no head: what is known there, we cannot say.
  const isLoaded = (known: KnownRow) => heads.has(seenOn(known) ?? known.slice);
  return {
    unreadable: [
      ...rows.filter(({ row }) => isBad(row.id)),
      ...elsewhere.filter((known) => !isLoaded(known)),
    ],
    absent: readable.filter((known) => seenOn(known) === undefined),
    stale: elsewhere.filter(isLoaded),
  };
}
