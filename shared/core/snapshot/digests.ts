import { type BinaryToTextEncoding, hash } from 'node:crypto';
import { canonicalizeDateTimes, makeJsonWellFormed } from '../records/notation.ts';

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
