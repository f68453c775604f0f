import { type BinaryToTextEncoding, hash } from 'node:crypto';
import type { PublishedClosing, StatementMemory } from '../periods/statement-memory.ts';
import type { StateRow } from '../records/feed-definition.ts';
import { canonicalizeDateTimes, makeJsonWellFormed } from '../records/notation.ts';
import type { RecentLoss } from './recent-loss.ts';

/** One record as last committed. */
export interface LeafRow {
  readonly id: string;
  readonly state: StateRow;
  /** Events of this record so far in its epoch. */
  readonly sequence: number;
  /** Per fact that is set: sequence of its latest forward event, which a reversal names in `reverses`. */
  readonly sent: Readonly<Record<string, number>>;
  /** Instant at which this state was seen for certain, when the slice does not say. */
  readonly seenAt?: number;
  /** Baselined without its facts, on a date that entered the window later (ADR 2): they are published next. */
  readonly untold?: true;
  /** When the notifier began to follow the record, ms since 1970. */
  readonly epoch: number;
  /** Absent from its list without proof of removal: how often it was requested by id, and when last (an instant). */
  readonly unlisted?: { readonly asks: number; readonly askedAt: number };
  /** The last moment whose `pay_period.readiness` is published, in milliseconds since 1970. */
  readonly remindedAt?: number;
  /** Of a pay period that closed: what its next statement is held against. */
  readonly statement?: StatementMemory;
}

/** A removed record: if it comes back, its sequence continues in its epoch. */
export interface Tombstone {
  readonly id: string;
  readonly sequence: number;
  /** As `LeafRow.epoch`. */
  readonly epoch: number;
  /** An instant at which it was gone for certain, in milliseconds since 1970. */
  readonly removedAt: number;
  /** Of a pay period that was closed when it was removed. */
  readonly closing?: PublishedClosing;
}

/** A hash bucket of a slice: the records whose ids hash to its index. */
export interface Leaf {
  readonly slice: string;
  readonly generation: string;
  readonly index: number;
  readonly rows: readonly LeafRow[];
  readonly tombstones: readonly Tombstone[];
}

export interface LeafRef {
  readonly slice: string;
  readonly generation: string;
  readonly index: number;
}

/** What is known of a slice without reading its leaves. Instants in milliseconds since 1970. */
export interface SliceHead {
  readonly slice: string;
  /** Grows by one with every commit; a commit is conditional on it (rule 1). */
  readonly revision: number;
  readonly generation: string;
  readonly leafCount: number;
  readonly recordCount: number;
  /** While there are no tombstones, empty leaves need not be read. */
  readonly tombstoneCount: number;
  /** Records that are not settled: the planner polls slices with many of them often. */
  readonly unsettledCount: number;
  /** Rows with `unlisted`; absent when there are none. */
  readonly unlistedCount?: number;
  /** Rows that await a statement; absent when there are none. */
  readonly awaitingCount?: number;
  /** Facts that its records lost in the minute before its last commit; absent when there are none. */
  readonly recentLosses?: readonly RecentLoss[];
  /** Start of the first complete scan; null while the slice only holds records that moved here. */
  readonly baselinedAt: number | null;
  /** Start of the last complete scan that was committed. */
  readonly observedAt: number | null;
  readonly digests: LeafDigests;
  /** Pointers to committed events that are not known to be published (rule 3). */
  readonly outbox: readonly string[];
}

/** About 1 KB when packed, the unit of a write, so that a single change costs little. */
const RECORDS_PER_LEAF = 16;
/** Average records per leaf beyond which a slice gets a new generation of leaves. */
const CROWDED_RECORDS_PER_LEAF = 32;

export function computeLeafCount(records: number): number {
  return Math.max(1, Math.ceil(records / RECORDS_PER_LEAF));
}

/** Whether a slice has outgrown its leaves, or will with the `expected` number of records. */
export function isCrowded(head: SliceHead, expected = 0): boolean {
  return Math.max(head.recordCount, expected) > head.leafCount * CROWDED_RECORDS_PER_LEAF;
}

/**
 * Whether no head points to leaves of this generation, nor ever will: the number in front of its name is the revision of
 * the head that would, and the slice has had that one.
 */
export function isDeadGeneration(
  generation: string,
  head: Pick<SliceHead, 'generation' | 'revision'>,
): boolean {
  return generation !== head.generation && Number.parseInt(generation, 10) <= head.revision;
}

export function toLeafRef(head: SliceHead, id: string): LeafRef {
  return { slice: head.slice, generation: head.generation, index: computeLeafIndex(id, head.leafCount) };
}

/** Head of a slice that was never scanned. */
export function createHead(slice: string, generation: string): SliceHead {
  return {
    slice,
    revision: 0,
    generation,
    leafCount: 1,
    recordCount: 0,
    tombstoneCount: 0,
    unsettledCount: 0,
    baselinedAt: null,
    observedAt: null,
    digests: createDigests(1),
    outbox: [],
  };
}

/** Key of a leaf for maps. */
export function toLeafKey({ slice, generation, index }: LeafRef): string {
  return `${slice}/${generation}/${index}`;
}

export function createLeaf(ref: LeafRef): Leaf {
  return { ...ref, rows: [], tombstones: [] };
}

export function digestRow(row: LeafRow): RecordDigest {
  return digestRecord(row.id, JSON.stringify(row.state));
}

/** The digest that the head of the slice should hold for this leaf. */
export function digestLeaf({ rows }: Pick<Leaf, 'rows'>): RecordDigest {
  return sumDigests(rows.map(digestRow));
}

/** Whether a head has the digest of this leaf. */
export function describesLeaf(head: SliceHead, leaf: Leaf): boolean {
  return head.generation === leaf.generation && hasDigest(head.digests, leaf.index, digestLeaf(leaf));
}

/**
 * Whether the leaves match the digests of their heads. If not, another poll committed between the reads of the head and
 * of the leaf, and the older scan of this poll must be dropped (rule 1).
 */
export function leavesMatchHeads(leaves: readonly Leaf[], heads: ReadonlyMap<string, SliceHead>): boolean {
  return leaves.every((leaf) => {
    const head = heads.get(leaf.slice);
    return head !== undefined && describesLeaf(head, leaf);
  });
}

/**
 * Digests of leaves: for each leaf two 32-bit numbers, the exclusive-or of the digests of its records. The order of
 * records does not matter, and updating one needs only that record. Two different contents are equal with a
 * probability of 2^-64.
 */
export type LeafDigests = Int32Array<ArrayBuffer>;

export interface RecordDigest {
  readonly high: number;
  readonly low: number;
}

/** Digest of a record's id and watched values (JSON, in stored order); the same for every notation of the values. */
export function digestRecord(id: string, rowText: string): RecordDigest {
  return digestWellFormed(id, makeJsonWellFormed(rowText));
}

/**
 * As `digestRecord`, for a row whose texts are known to be well-formed: the first 64 bits of SHA-256. It runs for every
 * record of every poll; as a latin1 text, one character a byte, the hash costs half of what a buffer does.
 */
export function digestWellFormed(id: string, rowText: string): RecordDigest {
  const bytes = hash('sha256', `${id}\n${canonicalizeDateTimes(rowText)}`, LATIN1);
  return { high: readInt32(bytes, 0), low: readInt32(bytes, 4) };
}

/** Known to Node (it is `binary`), not to its types. */
const LATIN1 = 'latin1' as BinaryToTextEncoding;

function readInt32(bytes: string, offset: number): number {
  return (
    bytes.charCodeAt(offset) |
    (bytes.charCodeAt(offset + 1) << 8) |
    (bytes.charCodeAt(offset + 2) << 16) |
    (bytes.charCodeAt(offset + 3) << 24)
  );
}

export function createDigests(leafCount: number): LeafDigests {
  return new Int32Array(leafCount * 2);
}

/** Adds a record's digest to its leaf, or removes it: exclusive-or does both. */
export function toggleDigest(digests: LeafDigests, leafIndex: number, digest: RecordDigest): void {
  digests[leafIndex * 2] = (digests[leafIndex * 2] ?? 0) ^ digest.high;
  digests[leafIndex * 2 + 1] = (digests[leafIndex * 2 + 1] ?? 0) ^ digest.low;
}

export function setDigest(digests: LeafDigests, leafIndex: number, { high, low }: RecordDigest): void {
  digests[leafIndex * 2] = high;
  digests[leafIndex * 2 + 1] = low;
}

export function hasDigest(digests: LeafDigests, leafIndex: number, { high, low }: RecordDigest): boolean {
  return digests[leafIndex * 2] === high && digests[leafIndex * 2 + 1] === low;
}

/** Whether two records have the same values, in any notation. */
export function isSameRecord(left: RecordDigest, right: RecordDigest): boolean {
  return left.high === right.high && left.low === right.low;
}

/** Digest of a leaf that holds records with these digests. */
export function sumDigests(digests: readonly RecordDigest[]): RecordDigest {
  return digests.reduce((sum, { high, low }) => ({ high: sum.high ^ high, low: sum.low ^ low }), {
    high: 0,
    low: 0,
  });
}

export function isSameDigest(left: LeafDigests, right: LeafDigests, leafIndex: number): boolean {
  return left[leafIndex * 2] === right[leafIndex * 2] && left[leafIndex * 2 + 1] === right[leafIndex * 2 + 1];
}

export function isEmptyDigest(digests: LeafDigests, leafIndex: number): boolean {
  return digests[leafIndex * 2] === 0 && digests[leafIndex * 2 + 1] === 0;
}

/** Which leaf of a slice holds a record. Part of the storage format: the hash (FNV-1a) must never change. */
export function computeLeafIndex(id: string, leafCount: number): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < id.length; index += 1) {
    value = Math.imul(value ^ id.charCodeAt(index), 0x01000193);
  }
  // The low bits of FNV are weak for ids that differ in one digit, so the high ones are folded in.
  value ^= value >>> 15;
  return (Math.imul(value, 0x2c1b3c6d) >>> 0) % leafCount;
}
