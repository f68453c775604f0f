import { classifyRecords, findRow, indexKnownRows } from '#shared/core/compare/classify-records.ts';
import {
  averageRowsPerLeaf,
  cutByWeight,
  type DifferingLeaf,
  findDifferingLeavesWithRecords,
} from '#shared/core/compare/differing-leaves.ts';
import { LossCount } from '#shared/core/compare/loss-count.ts';
import type { FormCheck } from '#shared/core/compare/source-form.ts';
import type { Absent } from '#shared/core/compare/unlisted.ts';
import {
  isComplete,
  parseRow,
  recordsBySlice,
  type Scan,
  type ScannedRecord,
} from '#shared/core/fetch/scan.ts';
import {
  computeLeafIndex,
  type Leaf,
  type LeafRef,
  type SliceHead,
  toLeafKey,
} from '#shared/core/snapshot/snapshot.ts';
import type { PollRun } from '../poll-run.ts';
import { batchLeafRefs, listLeafRefs } from './read-leaves.ts';

/** Rows and records that a poll holds at once while it compares: about 2 KB each. */
const MAX_PORTION_ROWS = 4_000;
/** Rows and records that are surveyed at once. */
const MAX_BATCH_ROWS = 2_000;

/** What must be known of a whole scan before any portion of it can be compared. */
export interface Survey {
  /** Leaves that are compared together. */
  readonly portions: readonly (readonly DifferingLeaf[])[];
  /** Ids that their slice does not know: new ones, or from another slice. */
  readonly unknownIds: ReadonlySet<string>;
  /** Where they, and records that were seen on another of the slices, are known. */
  readonly locations: LeafLocations;
  readonly absent: readonly Absent[];
  readonly losses: LossCount;
  /** Known rows by slice whose record is bad. */
  readonly undecided: ReadonlyMap<string, number>;
  /** The leaves that were read, by key, when they are few; null when there are too many to keep. */
  readonly kept: ReadonlyMap<string, Leaf> | null;
}

/**
 * Reads all leaves of a scan that differ, and searches all other slices for its unknown records, a few leaves at a time: only
 * ids are kept of them (rule 15). Null when another poll committed in between.
 */
export async function surveyScan(scan: Scan, form: FormCheck, run: PollRun): Promise<Survey | null> {
  const builder = new SurveyBuilder(scan, form, run);
  const differing = findDifferingLeavesWithRecords(scan, run.memory.heads.all);
  const weigh = ({ rows, records }: DifferingLeaf) => rows + records.length;
  for (const batch of cutByWeight(differing, weigh, MAX_BATCH_ROWS)) {
    const leaves = await run.leaves.readMatching(batch.map(({ ref }) => ref));
    if (leaves === null) return null;
    builder.take(batch, leaves);
  }
  const relisted = await findListedAgain(scan, builder, run);
  if (relisted === null) return null;
  const known = new Set(differing.map(({ ref }) => toLeafKey(ref)));
  const search = { ids: builder.unknownIds, scan, differing: new Set<string>(), known };
  if (!(await run.leaves.search(search, (leaf) => builder.noteCandidate(leaf)))) return null;
  return builder.finish([...differing, ...relisted]);
}

/**
 * Leaves that hold what was seen, with rows that are noted as unlisted: their records are listed again. Read only
 * when a slice has more such rows than its differing leaves hold.
 */
async function findListedAgain(
  scan: Scan,
  builder: SurveyBuilder,
  run: PollRun,
): Promise<readonly DifferingLeaf[] | null> {
  const found: DifferingLeaf[] = [];
  for (const [slice, records] of isComplete(scan) ? recordsBySlice(scan) : []) {
    const head = run.memory.heads.get(slice);
    if (head === undefined || (head.unlistedCount ?? 0) <= (builder.unlistedRows.get(slice) ?? 0)) continue;
    for (const refs of batchLeafRefs(listLeafRefs(head))) {
      const others = await run.leaves.readMatching(refs.filter((ref) => !builder.read.has(toLeafKey(ref))));
      if (others === null) return null;
      const again = others.filter(({ rows }) => rows.some(({ unlisted }) => unlisted !== undefined));
      found.push(...builder.takeListedAgain(again, { head, records }));
    }
  }
  return found;
}

class SurveyBuilder {
  readonly unknownIds = new Set<string>();
  /** Rows that are noted as unlisted, by slice, and keys of the scan's leaves that were read. */
  readonly unlistedRows = new Map<string, number>();
  readonly read = new Set<string>();
  readonly #locations = new LeafLocations();
  readonly #undecided = new Map<string, number>();
  readonly #absent: Absent[] = [];
  readonly #losses: LossCount;
  readonly #kept = new Map<string, Leaf>();
  readonly #scan: Scan;
  readonly #form: FormCheck;
  readonly #run: PollRun;
  #held = 0;

  constructor(scan: Scan, form: FormCheck, run: PollRun) {
    this.#scan = scan;
    this.#form = form;
    this.#run = run;
    this.#losses = new LossCount(run.definition);
  }

  /** Leaves of the scan that differ, with what was seen there. */
  take(batch: readonly DifferingLeaf[], leaves: readonly Leaf[]): void {
    const snapshot = this.#run.leaves.toSnapshot(leaves);
    const classified = classifyRecords(this.#scan, snapshot, {
      records: batch.flatMap(({ records }) => records),
      invalid: this.#form.invalid,
      isInOtherPortion: () => false,
    });
    for (const { id } of classified.unknownRecords) this.unknownIds.add(id);
    for (const known of classified.absent) {
      this.#absent.push({ slice: known.slice, row: toAbsentRow(known.row) });
      this.#losses.addAbsent(known);
    }
    for (const { slice } of classified.undecided)
      this.#undecided.set(slice, (this.#undecided.get(slice) ?? 0) + 1);
    const known = indexKnownRows(snapshot);
    for (const { id, slice, row } of classified.seen) {
      const before = findRow(known, id, slice);
      if (before !== undefined) this.#losses.add(before, row);
    }
    for (const leaf of leaves) this.#noteSeenElsewhere(leaf);
    for (const leaf of leaves) this.#countUnlisted(leaf);
    this.#keep(
      leaves,
      batch.reduce((sum, { records }) => sum + records.length, 0),
    );
  }

  /** Leaves that hold what was seen, with records that are listed again. */
  takeListedAgain(
    leaves: readonly Leaf[],
    { head, records }: { readonly head: SliceHead; readonly records: readonly ScannedRecord[] },
  ): readonly DifferingLeaf[] {
    const byLeaf = Map.groupBy(leaves.length === 0 ? [] : records, ({ id }) =>
      computeLeafIndex(id, head.leafCount),
    );
    for (const leaf of leaves) this.#countUnlisted(leaf);
    this.#keep(leaves, 0);
    return leaves.map((leaf) => ({
      ref: { slice: leaf.slice, generation: leaf.generation, index: leaf.index },
      records: byLeaf.get(leaf.index) ?? [],
      rows: leaf.rows.length,
    }));
  }

  /** A leaf of any slice where an unknown record might be known. */
  noteCandidate(leaf: Leaf): void {
    let isPlace = false;
    for (const { id } of [...leaf.rows, ...leaf.tombstones]) {
      if (!this.unknownIds.has(id)) continue;
      this.#locations.add(id, leaf);
      isPlace = true;
    }
    if (!isPlace) return;
    this.#countElsewhere(leaf);
    this.#keep([leaf], 0);
  }

  finish(differing: readonly DifferingLeaf[]): Survey {
    const { unknownIds } = this;
    const locations = this.#locations;
    const common = {
      ...{ unknownIds, locations },
      ...{ absent: this.#absent, undecided: this.#undecided, losses: this.#losses },
    };
    if (this.#held <= MAX_PORTION_ROWS) return { ...common, portions: [differing], kept: this.#kept };
    const weigh = ({ rows, records }: DifferingLeaf) =>
      rows + records.reduce((sum, { id }) => sum + 1 + this.#rowsAt(id), 0);
    return { ...common, portions: cutByWeight(differing, weigh, MAX_PORTION_ROWS), kept: null };
  }

  #countUnlisted(leaf: Leaf): void {
    this.read.add(toLeafKey(leaf));
    const unlisted = leaf.rows.filter(({ unlisted }) => unlisted !== undefined).length;
    this.unlistedRows.set(leaf.slice, (this.unlistedRows.get(leaf.slice) ?? 0) + unlisted);
  }

  #rowsAt(id: string): number {
    return this.#locations
      .of(id)
      .reduce((sum, ref) => sum + averageRowsPerLeaf(ref, this.#run.memory.heads.all), 0);
  }

  /** Of records that were seen on another slice than this leaf's. */
  #countElsewhere({ slice, rows }: Leaf): void {
    for (const row of rows) {
      const seen = this.#scan.records.get(row.id);
      if (seen !== undefined && seen.slice !== slice && !this.#form.invalid.has(row.id))
        this.#losses.addElsewhere({ slice, row }, { slice: seen.slice, row: parseRow(seen) });
    }
  }

  /** A record that stands in a leaf of the scan and was seen on another of its slices. */
  #noteSeenElsewhere(leaf: Leaf): void {
    for (const { id } of [...leaf.rows, ...leaf.tombstones]) {
      const seen = this.#scan.records.get(id);
      if (seen !== undefined && seen.slice !== leaf.slice) this.#locations.add(id, leaf);
    }
    this.#countElsewhere(leaf);
  }

  #keep(leaves: readonly Leaf[], records: number): void {
    this.#held += leaves.reduce(
      (sum, { rows, tombstones }) => sum + rows.length + tombstones.length,
      records,
    );
    if (this.#held > MAX_PORTION_ROWS) this.#kept.clear();
    else for (const leaf of leaves) this.#kept.set(toLeafKey(leaf), leaf);
  }
}

function toAbsentRow({ id, unlisted }: Absent['row']): Absent['row'] {
  return unlisted === undefined ? { id } : { id, unlisted };
}

/** The leaves that hold the rows or tombstones of records: they are read when these are compared. */
class LeafLocations {
  readonly #refs = new Map<string, LeafRef[]>();

  add(id: string, { slice, generation, index }: LeafRef): void {
    const ref = { slice, generation, index };
    const known = this.#refs.get(id);
    if (known === undefined) this.#refs.set(id, [ref]);
    else known.push(ref);
  }

  of(id: string): readonly LeafRef[] {
    return this.#refs.get(id) ?? [];
  }
}
