import { type InvalidRecord, isComplete, parseRow, type Scan, type ScannedRecord } from '../fetch/scan.ts';
import { checkRow, type FeedDefinition, type StateRow } from '../records/feed-definition.ts';
import { isSameRecord } from '../snapshot/digests.ts';
import { digestRow, type LeafRow, toLeafKey, toLeafRef } from '../snapshot/snapshot.ts';
import type { Snapshot } from './differing-leaves.ts';

export interface KnownRow {
  readonly slice: string;
  readonly row: LeafRow;
}

/** A valid record of a scan, or of a request by id. */
export interface SeenRecord {
  readonly id: string;
  readonly slice: string;
  readonly row: StateRow;
  readonly requestedAt: number;
  readonly receivedAt: number;
}

/** A part of a scan that is compared separately, so that a scan of any size takes little memory. */
export interface ScanPart {
  readonly records: Iterable<ScannedRecord>;
  /** Invalid records of the whole scan, by id. */
  readonly invalid: ReadonlyMap<string, InvalidRecord>;
  /** Whether another part finds the record unknown to its slice: that part decides what became of its row. */
  readonly isInOtherPart: (id: string) => boolean;
}

/** The records of a scan, or a part of it, and the known rows that it does not confirm. */
export interface ClassifiedRecords {
  /** Valid records of the differing leaves. */
  readonly seen: readonly SeenRecord[];
  /** Those of `seen` that their slice does not know: they may be known in another slice (rule 6). */
  readonly unknownRecords: readonly SeenRecord[];
  /** Known rows whose record a complete scan did not see. */
  readonly absent: readonly KnownRow[];
  /** Known rows whose record was seen, and is known, in another slice: left over from an interrupted baseline. */
  readonly stale: readonly KnownRow[];
  /**
   * Known rows that keep their state, since this scan does not say what became of them: their record has no usable
   * slice or is invalid, was seen on a slice that is not loaded, or lost a fact that is held back.
   */
  readonly undecided: readonly KnownRow[];
  readonly bad: readonly InvalidRecord[];
}

/** Compares a scan with the leaves that differ, which the snapshot must hold. */
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
      // Unchanged, so it is still valid: most records of a leaf in which one has changed.
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

/** The rows of all leaves read so far, by id; more than one only after an interrupted baseline. */
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

export function findRow(
  known: ReadonlyMap<string, readonly KnownRow[]>,
  id: string,
  slice: string,
): KnownRow | undefined {
  return known.get(id)?.find((row) => row.slice === slice);
}

type MissingRows = Pick<ClassifiedRecords, 'absent' | 'stale' | 'undecided'>;

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
  // The head of a slice that another poll has just baselined is not loaded: its rows are unknown here.
  const isLoaded = (known: KnownRow) => heads.has(seenOn(known) ?? known.slice);
  return {
    undecided: [...rows.filter(({ row }) => isBad(row.id)), ...elsewhere.filter((known) => !isLoaded(known))],
    absent: readable.filter((known) => seenOn(known) === undefined),
    stale: elsewhere.filter(isLoaded),
  };
}
