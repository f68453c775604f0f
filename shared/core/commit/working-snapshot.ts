import type { Change } from '../compare/change.ts';
import type { Snapshot } from '../compare/differing-leaves.ts';
import { NotifierError } from '../errors.ts';
import type { ChangeEvents } from '../events/events.ts';
import { awaitsStatement } from '../periods/statement-memory.ts';
import { type FeedDefinition, isSettled, toState } from '../records/feed-definition.ts';
import { toPublishedPosition } from '../snapshot/epochs.ts';
import {
  createLeaf,
  digestLeaf,
  type Leaf,
  type LeafRef,
  type LeafRow,
  type SliceHead,
  setDigest,
  type Tombstone,
  toLeafKey,
  toLeafRef,
} from '../snapshot/snapshot.ts';

type WorkingHead = { -readonly [Key in keyof SliceHead]: SliceHead[Key] };

/**
 * The row with `seenAt`, unless the scan of its slice is stored in the head, or the row has it already. Scans do not
 * see an unlisted record.
 */
function dateRow({ seenAt, unlisted, silent }: Change, row: LeafRow, observed: boolean): LeafRow {
  if (silent === true) return row;
  if (unlisted !== undefined) return { ...row, seenAt, unlisted };
  return observed ? row : { ...row, seenAt };
}

/** A copy of a snapshot to which changes are applied while a commit is planned. */
export class WorkingSnapshot {
  readonly heads: Map<string, SliceHead>;
  readonly #definition: FeedDefinition;
  readonly #leaves: Map<string, Leaf>;
  readonly #own = new Set<string>();
  /** Leaves whose digests their heads do not hold yet, by key. */
  readonly #changed = new Map<string, Leaf>();
  readonly #tombstonesFrom: number;

  constructor(definition: FeedDefinition, snapshot: Snapshot, tombstonesFrom: number) {
    this.#definition = definition;
    this.#tombstonesFrom = tombstonesFrom;
    this.heads = new Map(snapshot.heads);
    this.#leaves = new Map(snapshot.leaves);
  }

  /** Adds a new head with its one empty leaf, unless the slice has a head. */
  ensure(head: SliceHead): void {
    if (this.heads.has(head.slice)) return;
    this.heads.set(head.slice, head);
    const ref = { slice: head.slice, generation: head.generation, index: 0 };
    this.#leaves.set(toLeafKey(ref), createLeaf(ref));
  }

  leaf(ref: LeafRef): Leaf {
    const leaf = this.#leaves.get(toLeafKey(ref));
    if (leaf === undefined) {
      throw new NotifierError('leaf_not_read', `leaf ${toLeafKey(ref)} is to be changed but was never read`);
    }
    return leaf;
  }

  /** The present revision of a head; 0 for one that was never written. */
  revisionOf(slice: string): number {
    return this.heads.get(slice)?.revision ?? 0;
  }

  /** The head with its revision advanced by one: what a step writes. */
  advance(slice: string): SliceHead {
    const head = this.#workingHead(slice);
    head.revision += 1;
    // Computed from the leaf, which several changes may have changed.
    for (const [key, leaf] of this.#changed) {
      if (leaf.slice !== slice) continue;
      setDigest(head.digests, leaf.index, digestLeaf(leaf));
      this.#changed.delete(key);
    }
    return { ...head, digests: head.digests.slice() };
  }

  /** Removes the row and tombstone of a change, and adds the new ones. `observed`: the head will say when it was seen. */
  apply(changeEvents: ChangeEvents, observed: boolean): void {
    const { change, row } = changeEvents;
    if (change.tombstoneSlice !== null) this.#removeTombstone(change.tombstoneSlice, change.id);
    if (change.rowSlice !== null) this.#removeRow(change.rowSlice, change.id);
    if (row !== null && change.after !== null) {
      this.#insertRow(change.after.slice, dateRow(change, row, observed));
    } else if (change.rowSlice !== null && change.silent !== true) {
      this.#addTombstone(change.rowSlice, {
        id: change.id,
        ...toPublishedPosition(changeEvents),
        removedAt: change.seenAt,
        ...this.#publishedClosing(change.before?.row),
      });
    }
  }

  #publishedClosing(row: LeafRow | undefined): Pick<Tombstone, 'closing'> {
    if (row === undefined) return {};
    const { closed } = toState(this.#definition, row.state);
    if (typeof closed !== 'string') return {};
    const { statement } = row;
    return { closing: { closed, ...(statement === undefined ? {} : { statement }) } };
  }

  #removeRow(slice: string, id: string): void {
    const { head, leaf } = this.#at(slice, id);
    const row = leaf.rows.find((each) => each.id === id);
    if (row === undefined) return;
    this.#count(head, row, -1);
    this.#store({ ...leaf, rows: leaf.rows.filter((each) => each.id !== id) });
  }

  /** Replaces an older row of the record, if one was left there. */
  #insertRow(slice: string, row: LeafRow): void {
    this.#removeRow(slice, row.id);
    const { head, leaf } = this.#at(slice, row.id);
    this.#count(head, row, 1);
    this.#store({ ...leaf, rows: [...leaf.rows, row] });
  }

  #addTombstone(slice: string, tombstone: Leaf['tombstones'][number]): void {
    const { head, leaf } = this.#at(slice, tombstone.id);
    head.tombstoneCount += 1;
    this.#store({ ...leaf, tombstones: [...leaf.tombstones, tombstone] });
  }

  #removeTombstone(slice: string, id: string): void {
    const { head, leaf } = this.#at(slice, id);
    const tombstones = leaf.tombstones.filter((each) => each.id !== id);
    head.tombstoneCount -= leaf.tombstones.length - tombstones.length;
    this.#store({ ...leaf, tombstones });
  }

  /** The head and leaf of a record, with expired tombstones removed. */
  #at(slice: string, id: string): { head: WorkingHead; leaf: Leaf } {
    const head = this.#workingHead(slice);
    const leaf = this.leaf(toLeafRef(head, id));
    const tombstones = leaf.tombstones.filter(({ removedAt }) => removedAt >= this.#tombstonesFrom);
    head.tombstoneCount -= leaf.tombstones.length - tombstones.length;
    const pruned = { ...leaf, tombstones };
    this.#store(pruned);
    return { head, leaf: pruned };
  }

  #workingHead(slice: string): WorkingHead {
    const head = this.heads.get(slice);
    if (head === undefined)
      throw new NotifierError('head_not_read', `slice ${slice} is to be changed but has no head`);
    if (this.#own.has(slice)) return head;
    const own = { ...head, digests: head.digests.slice() };
    this.#own.add(slice);
    this.heads.set(slice, own);
    return own;
  }

  #count(head: WorkingHead, row: LeafRow, by: 1 | -1): void {
    head.recordCount += by;
    if (!isSettled(this.#definition, row.state)) head.unsettledCount += by;
    if (row.unlisted !== undefined) head.unlistedCount = Math.max(0, (head.unlistedCount ?? 0) + by);
    if (head.unlistedCount === 0) delete head.unlistedCount;
    if (awaitsStatement(row)) head.awaitingCount = Math.max(0, (head.awaitingCount ?? 0) + by);
    if (head.awaitingCount === 0) delete head.awaitingCount;
  }

  #store(leaf: Leaf): void {
    const key = toLeafKey(leaf);
    this.#leaves.set(key, leaf);
    this.#changed.set(key, leaf);
  }
}
