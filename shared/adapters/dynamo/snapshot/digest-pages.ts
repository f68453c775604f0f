import {
  computeDigestsPerPage,
  findDigestPage,
  MAX_INLINE_DIGEST_LEAVES,
} from '#shared/core/commit/commit-step.ts';
import type { LeafDigests } from '#shared/core/snapshot/digests.ts';

/** Bytes of one leaf's digest. */
const DIGEST_BYTES = 8;

/** Whether a slice's digests stand on pages of their own. */
export function isPaged(leafCount: number): boolean {
  return leafCount > MAX_INLINE_DIGEST_LEAVES;
}

export function countPages(leafCount: number): number {
  return isPaged(leafCount) ? Math.ceil(leafCount / computeDigestsPerPage(leafCount)) : 0;
}

/** The pages on which the digests of these leaves stand. */
export function findDigestPages(leaves: readonly number[], leafCount: number): number[] {
  return [...new Set(leaves.map((leaf) => findDigestPage(leaf, leafCount)))].filter((page) => page !== null);
}

export function encodePage(digests: LeafDigests, page: number): Uint8Array {
  const size = computeDigestsPerPage(digests.length / 2) * 2;
  return encodeDigests(digests.subarray(page * size, (page + 1) * size));
}

/** The numbers in the order of this machine's bytes, which is that of every machine Lambda has. */
export function encodeDigests(digests: LeafDigests): Uint8Array {
  return new Uint8Array(digests.buffer, digests.byteOffset, digests.byteLength);
}

/** The exclusive-or of all digests. */
export function digestCheck(digests: LeafDigests): Uint8Array {
  const check = new Int32Array(2);
  for (const [index, number] of digests.entries()) check[index % 2] = (check[index % 2] ?? 0) ^ number;
  return encodeDigests(check);
}

/** Digests from the bytes of one head, or of pages in their order. Null when they are not of that many leaves. */
export function readDigests(parts: readonly Uint8Array[], leafCount: number): LeafDigests | null {
  const bytes = new Uint8Array(leafCount * DIGEST_BYTES);
  let used = 0;
  for (const part of parts) {
    if (used + part.length > bytes.length) return null;
    bytes.set(part, used);
    used += part.length;
  }
  return used === bytes.length ? new Int32Array(bytes.buffer) : null;
}
