import type { FeedKey } from '../feeds.ts';
import { parseRow, type ScannedRecord } from '../fetch/scan.ts';
import { awaitsStatement } from '../periods/statement-memory.ts';
import { type FeedDefinition, isSettled, type StateRow, withoutDerived } from '../records/feed-definition.ts';
import type { FeedState } from '../snapshot/feed-state.ts';
import {
  computeLeafCount,
  computeLeafIndex,
  createDigests,
  digestRow,
  type Leaf,
  type LeafDigests,
  type LeafRef,
  type LeafRow,
  type SliceHead,
  type Tombstone,
  toggleDigest,
} from '../snapshot/snapshot.ts';
import { type CommitStep, type HeadWrite, toRequestToken } from './commit-step.ts';

export interface GenerationPlan {
  readonly head: SliceHead;
  readonly leaves: readonly Leaf[];
}

/** Members of a head that do not follow from the contents of its leaves. */
export type GenerationBase = Omit<SliceHead, CountedMember>;
type CountedMember =
  | 'leafCount'
  | 'digests'
  | 'recordCount'
  | 'tombstoneCount'
  | 'unsettledCount'
  | 'unlistedCount'
  | 'awaitingCount';

export interface LeafContents {
  readonly rows: readonly LeafRow[];
  readonly tombstones: readonly Tombstone[];
}

/** Distributes rows over a new generation of leaves. */
export function layOutGeneration(
  definition: FeedDefinition,
  base: GenerationBase,
  contents: LeafContents,
): GenerationPlan {
  const generation = new Generation(definition, base, computeLeafCount(contents.rows.length));
  const leaves = generation.lay(contents);
  return { head: generation.head(), leaves };
}

/**
 * A generation of leaves that is laid out piece by piece, so that a slice of any size takes little memory. All records
 * of one leaf must come in the same piece.
 */
export class Generation {
  readonly leafCount: number;
  readonly #definition: FeedDefinition;
  readonly #base: GenerationBase;
  readonly #digests: LeafDigests;
  #recordCount = 0;
  #tombstoneCount = 0;
  #unsettledCount = 0;
  #unlistedCount = 0;
  #awaitingCount = 0;

  constructor(definition: FeedDefinition, base: GenerationBase, leafCount: number) {
    this.#definition = definition;
    this.#base = base;
    this.leafCount = leafCount;
    this.#digests = createDigests(leafCount);
  }

  /** The leaves of a piece that are not empty. */
  lay(contents: LeafContents): readonly Leaf[] {
    const { slice, generation } = this.#base;
    const rows = Map.groupBy(contents.rows, ({ id }) => computeLeafIndex(id, this.leafCount));
    const tombstones = Map.groupBy(contents.tombstones, ({ id }) => computeLeafIndex(id, this.leafCount));
    for (const [index, each] of rows) {
      for (const row of each) toggleDigest(this.#digests, index, digestRow(row));
    }
    this.#recordCount += contents.rows.length;
    this.#tombstoneCount += contents.tombstones.length;
    this.#unsettledCount += contents.rows.filter((row) => !isSettled(this.#definition, row.state)).length;
    this.#unlistedCount += contents.rows.filter(({ unlisted }) => unlisted !== undefined).length;
    this.#awaitingCount += contents.rows.filter(awaitsStatement).length;
    return [...new Set([...rows.keys(), ...tombstones.keys()])].map((index) => ({
      slice,
      generation,
      index,
      rows: rows.get(index) ?? [],
      tombstones: tombstones.get(index) ?? [],
    }));
  }

  /** The head of all pieces so far. */
  head(): SliceHead {
    return {
      ...this.#base,
      leafCount: this.leafCount,
      digests: this.#digests,
      recordCount: this.#recordCount,
      tombstoneCount: this.#tombstoneCount,
      unsettledCount: this.#unsettledCount,
      ...(this.#unlistedCount === 0 ? {} : { unlistedCount: this.#unlistedCount }),
      ...(this.#awaitingCount === 0 ? {} : { awaitingCount: this.#awaitingCount }),
    };
  }
}

/**
 * How the records of a slice enter its baseline (rule 5). `silent`: as they are, without events. `untold`: the date
 * entered the window later, and the facts of its records are published by the next scan (ADR 2).
 */
export type BaselineMode = 'silent' | 'untold';

/** `untold` only for dates after the window of a completed baseline. */
export function chooseBaselineMode(slice: string, baseline: FeedState['baseline']): BaselineMode {
  if (baseline === null || baseline.completedAt === null) return 'silent';
  return slice > baseline.to ? 'untold' : 'silent';
}

/** Whether a slice never had a complete scan, so that it needs a baseline before it can be compared. */
export function needsBaseline(head: SliceHead | undefined): boolean {
  return head?.baselinedAt == null;
}

export interface BaselineInput {
  readonly definition: FeedDefinition;
  readonly slice: string;
  /** The head, when records moved to this slice before its first scan. */
  readonly head: SliceHead | undefined;
  /** All leaves of that head. */
  readonly leaves: readonly Leaf[];
  readonly records: readonly ScannedRecord[];
  /** Ids of invalid records, which are left out. */
  readonly invalid: { has(id: string): boolean };
  /** Ids that are known in another slice: they are left out, since their move here is published. */
  readonly knownElsewhere: ReadonlySet<string>;
  readonly mode: BaselineMode;
  /** Name of the new generation of leaves, never used before. */
  readonly generation: string;
  /** Start of the scan, in milliseconds since 1970. */
  readonly observedAt: number;
  /** Epoch of the records that enter the baseline. */
  readonly epoch: number;
}

/** Records that become rows at once: a few megabytes. */
const PIECE_RECORDS = 2_000;

/**
 * The first complete snapshot of a slice: rows that moved here stay, all other records are added. The scan counts for
 * the whole slice only if the slice is exactly as scanned; otherwise each new row says when it was seen (rule 10). Laid
 * out piece by piece, so that a slice of any size takes little memory: first all pieces, then the head.
 */
export class SliceBaseline {
  readonly #input: BaselineInput;
  readonly #generation: Generation;
  readonly #knownIds: ReadonlySet<string>;
  readonly #asSeen: boolean;

  constructor(input: BaselineInput) {
    const { definition, slice, head, observedAt, leaves, records } = input;
    const known = leaves.flatMap(({ rows, tombstones }) => [...rows, ...tombstones]);
    this.#input = input;
    this.#knownIds = new Set([...input.knownElsewhere, ...known.map(({ id }) => id)]);
    this.#asSeen = this.#knownIds.size === 0 && records.every(({ id }) => !input.invalid.has(id));
    this.#generation = new Generation(
      definition,
      {
        ...(head === undefined ? { outbox: [] } : keepUncounted(head)),
        slice,
        revision: (head?.revision ?? 0) + 1,
        generation: input.generation,
        baselinedAt: observedAt,
        observedAt: this.#asSeen ? observedAt : null,
      },
      computeLeafCount(known.length + records.length),
    );
  }

  *pieces(): Generator<readonly Leaf[], void> {
    const { leafCount } = this.#generation;
    const leaves = Map.groupBy(this.#input.records, ({ id }) => computeLeafIndex(id, leafCount));
    const rows = Map.groupBy(
      this.#input.leaves.flatMap((leaf) => leaf.rows),
      ({ id }) => computeLeafIndex(id, leafCount),
    );
    const tombstones = Map.groupBy(
      this.#input.leaves.flatMap((leaf) => leaf.tombstones),
      ({ id }) => computeLeafIndex(id, leafCount),
    );
    let piece: { rows: LeafRow[]; tombstones: Tombstone[] } = { rows: [], tombstones: [] };
    for (let index = 0; index < leafCount; index += 1) {
      piece.rows.push(...(rows.get(index) ?? []), ...this.#toRows(leaves.get(index) ?? []));
      piece.tombstones.push(...(tombstones.get(index) ?? []));
      if (piece.rows.length < PIECE_RECORDS && index < leafCount - 1) continue;
      yield this.#generation.lay(piece);
      piece = { rows: [], tombstones: [] };
    }
  }

  /** To be called after all pieces. */
  head(): SliceHead {
    return this.#generation.head();
  }

  #toRows(records: readonly ScannedRecord[]): readonly LeafRow[] {
    const unknown = records.filter(({ id }) => !this.#knownIds.has(id) && !this.#input.invalid.has(id));
    const rows = unknown.map((record) => toBaselineRow(record, this.#input));
    return this.#asSeen ? rows : rows.map((row) => ({ ...row, seenAt: this.#input.observedAt }));
  }
}

function toBaselineRow(record: ScannedRecord, { definition, mode, epoch }: BaselineInput): LeafRow {
  const state = parseRow(record);
  const row = { id: record.id, state, sent: {}, sequence: 0, epoch };
  if (mode === 'silent') return row;
  // A clocking that is missing is published by the next scan, also of a record to which nothing has happened.
  const recorded = withoutDerived(definition, state);
  const bare = clearFacts(definition, recorded);
  return bare === null ? { ...row, state: recorded } : { ...row, state: bare, untold: true };
}

/** The row without its facts; null when it has none. */
function clearFacts(definition: FeedDefinition, state: StateRow): StateRow | null {
  const facts = new Set(definition.facts.map(({ field }) => field));
  const isFact = definition.fields.map(({ name }) => facts.has(name));
  if (!state.some((value, index) => isFact[index] === true && value !== null)) return null;
  return state.map((value, index) => (isFact[index] === true ? null : value));
}

/**
 * A generation of the same slice with leaves for `expected` records. The number of leaves grows by a whole factor, so
 * that each old leaf is split into new ones of its own, a few at a time.
 */
export function beginRegrowth(
  definition: FeedDefinition,
  head: SliceHead,
  { generation, expected }: { readonly generation: string; readonly expected: number },
): Generation {
  const factor = Math.ceil(computeLeafCount(Math.max(head.recordCount, expected)) / head.leafCount);
  return new Generation(
    definition,
    { ...keepUncounted(head), revision: head.revision + 1, generation },
    head.leafCount * factor,
  );
}

/** Outbox and unreported losses are kept when the leaves are replaced. */
function keepUncounted({
  unlistedCount: _unlistedCount,
  awaitingCount: _awaitingCount,
  ...head
}: SliceHead): GenerationBase {
  return head;
}

/** A new generation of a slice's leaves, which are written already, and the head that is to point to them. */
export interface NewGeneration {
  readonly head: SliceHead;
  readonly leaves: readonly LeafRef[];
  /** The head as it is now. */
  readonly before: SliceHead | undefined;
  /** The write of the insert fence, when records are new to the slice. */
  readonly fence: readonly HeadWrite[];
}

/** One write of the head, in one transaction with the insert fence; no events follow from it. */
export function planGenerationSwitch(
  { head, before, fence }: NewGeneration,
  { feed, eventsExpireAt }: { readonly feed: FeedKey; readonly eventsExpireAt: number },
): CommitStep {
  const fenceRevisions = fence.map((write) => write.head.revision).join(' ');
  return {
    feed,
    token: toRequestToken([feed.connection, feed.feed, head.slice, head.generation, fenceRevisions]),
    heads: [{ head, expectedRevision: before?.revision ?? null, changedLeaves: null }, ...fence],
    leaves: [],
    events: null,
    eventsExpireAt,
  };
}
