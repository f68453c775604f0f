import { type InvalidRecord, isComplete, parseRow, type Scan, type ScannedRecord } from '../fetch/scan.ts';
import type { StateRow } from '../records/feed-definition.ts';
import { digestRow, isSameRecord, type LeafRow, toLeafKey, toLeafRef } from '../snapshot/snapshot.ts';
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

/** A portion of a scan that is compared separately, so that a scan of any size takes little memory. */
export interface ScanPortion {
  readonly records: Iterable<ScannedRecord>;
  /** Invalid records of the whole scan, by id. */
  readonly invalid: ReadonlyMap<string, InvalidRecord>;
  /** Whether another portion finds the record unknown to its slice: that portion decides what became of its row. */
  readonly isInOtherPortion: (id: string) => boolean;
}

/** The records of a portion of a scan, and the known rows that it does not confirm. */
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

/** Compares a portion of a scan with its leaves that differ, which the snapshot must hold. */
export function classifyRecords(scan: Scan, snapshot: Snapshot, portion: ScanPortion): ClassifiedRecords {
  const seen: SeenRecord[] = [];
  const unknownRecords: SeenRecord[] = [];
  const bad: InvalidRecord[] = [];
  const known = indexKnownRows(snapshot);
  for (const record of portion.records) {
    const { id, slice, requestedAt, receivedAt } = record;
    const head = snapshot.heads.get(slice);
    if (head === undefined || !snapshot.leaves.has(toLeafKey(toLeafRef(head, id)))) continue;
    const same = findRow(known, id, slice);
    if (same !== undefined && isSameRecord(digestRow(same.row), record.digest)) {
      // Unchanged, so it is still valid: most records of a leaf in which one has changed.
      seen.push({ id, slice, row: same.row.state, requestedAt, receivedAt });
      continue;
    }
    const invalid = portion.invalid.get(id);
    if (invalid !== undefined) {
      bad.push(invalid);
      continue;
    }
    const valid = { id, slice, row: parseRow(record), requestedAt, receivedAt };
    seen.push(valid);
    if (same === undefined) unknownRecords.push(valid);
  }
  const missing = findMissingRows(scan, { known, heads: snapshot.heads }, { portion, unknownRecords });
  return { seen, unknownRecords, bad, ...missing };
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

interface SeenPortion {
  readonly portion: ScanPortion;
  readonly unknownRecords: readonly SeenRecord[];
}

function findMissingRows(
  scan: Scan,
  { known, heads }: KnownSlices,
  { portion, unknownRecords }: SeenPortion,
): MissingRows {
  const unplaced = new Set(scan.unplaced.map(({ id }) => id));
  const isBad = (id: string) => portion.invalid.has(id) || unplaced.has(id);
  const moved = new Set(unknownRecords.map(({ id }) => id));
  const rows = [...known.values()]
    .flat()
    .filter(({ slice, row }) => scan.slices.has(slice) && !portion.isInOtherPortion(row.id));
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
