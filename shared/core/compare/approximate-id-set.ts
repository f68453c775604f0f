/** Bits of a hash: a small integer for the engine, so that a set of a million hashes stays small. */
const HASH_BITS = 30;

/**
 * A set of ids as 30-bit hashes, so that the ids of a whole connection fit in memory. Never misses an id that was
 * added; with a million ids, one in a thousand others seems to be in it.
 */
export class ApproximateIdSet {
  readonly #hashes = new Set<number>();

  add(id: string): void {
    this.#hashes.add(hashId(id));
  }

  mayHave(id: string): boolean {
    return this.#hashes.has(hashId(id));
  }
}

/** FNV-1a, with its high bits folded into the low ones. */
function hashId(id: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < id.length; index += 1) {
    value = Math.imul(value ^ id.charCodeAt(index), 0x01000193);
  }
  value ^= value >>> 15;
  return Math.imul(value, 0x2c1b3c6d) >>> (32 - HASH_BITS);
}
