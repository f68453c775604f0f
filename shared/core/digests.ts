/**
 * Digests of leaves: for each leaf two 32-bit numbers, the exclusive-or of the digests of its records. Order does
 * not matter, and a change of one record needs only that record. 64 bits: two different contents are taken for
 * equal once in 2^64.
 */
export type LeafDigests = Int32Array<ArrayBuffer>;

export interface RecordDigest {
  readonly high: number;
  readonly low: number;
}

/**
 * Digest of a record's id and watched values (as JSON text, in stored order): two 32-bit lanes over the code units,
 * each a multiply-rotate mix, the second fed by the first, finished as MurmurHash3 finishes. Not cryptographic: the
 * source is not our enemy, and this runs for every record of every poll, where SHA-256 costs more than parsing.
 */
export function recordDigest(id: string, rowText: string): RecordDigest {
  let high = 0x9747b28c;
  let low = 0x3c6ef372;
  for (const text of [id, rowText]) {
    for (let index = 0; index < text.length; index += 1) {
      const unit = text.charCodeAt(index);
      high = Math.imul(high ^ unit, 0x85ebca6b);
      high = (high << 13) | (high >>> 19);
      low = Math.imul(low ^ unit ^ high, 0xc2b2ae35);
      low = (low << 15) | (low >>> 17);
    }
    // Where the id ends must matter: no code unit is this large.
    high = Math.imul(high ^ 0x10000, 0x85ebca6b);
  }
  high = finish(high ^ low);
  return { high, low: finish(low + high) };
}

function finish(lane: number): number {
  let mixed = Math.imul(lane ^ (lane >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) | 0;
}

export function emptyDigests(leafCount: number): LeafDigests {
  return new Int32Array(leafCount * 2);
}

/** Puts a record's digest into its leaf, or takes it out again: the same operation. */
export function toggleDigest(digests: LeafDigests, leafIndex: number, digest: RecordDigest): void {
  digests[leafIndex * 2] = (digests[leafIndex * 2] ?? 0) ^ digest.high;
  digests[leafIndex * 2 + 1] = (digests[leafIndex * 2 + 1] ?? 0) ^ digest.low;
}

export function sameDigest(left: LeafDigests, right: LeafDigests, leafIndex: number): boolean {
  return left[leafIndex * 2] === right[leafIndex * 2] && left[leafIndex * 2 + 1] === right[leafIndex * 2 + 1];
}

export function isEmptyDigest(digests: LeafDigests, leafIndex: number): boolean {
  return digests[leafIndex * 2] === 0 && digests[leafIndex * 2 + 1] === 0;
}

/** Which leaf of a slice holds a record: FNV-1a of the id, so that it never changes between versions. */
export function leafIndexOf(id: string, leafCount: number): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < id.length; index += 1) {
    value = Math.imul(value ^ id.charCodeAt(index), 0x01000193);
  }
  // FNV's low bits are weak for ids that differ in one digit; fold the high ones in.
  value ^= value >>> 15;
  return (Math.imul(value, 0x2c1b3c6d) >>> 0) % leafCount;
}
