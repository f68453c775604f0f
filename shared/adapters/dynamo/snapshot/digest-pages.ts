import {
  computeDigestsPerPage,
  findDigestPage,
  MAX_INLINE_DIGEST_LEAVES,
} from '#shared/core/commit/commit-step.ts';
import type { LeafDigests } from '#shared/core/snapshot/snapshot.ts';

const DIGEST_BYTES = 8;

/** Whether the digests of a slice are on pages of their own, not in its head. */
export function isPaged(leafCount: number): boolean {
  return leafCount > MAX_INLINE_DIGEST_LEAVES;
}

export function countPages(leafCount: number): number {
  return isPaged(leafCount) ? Math.ceil(leafCount / computeDigestsPerPage(leafCount)) : 0;
}

/** The pages that hold the digests of these leaves; none when the head holds them. */
export function findDigestPages(leaves: readonly number[], leafCount: number): number[] {
  return [...new Set(leaves.map((leaf) => findDigestPage(leaf, leafCount)))].filter((page) => page !== null);
}

export function encodePage(digests: LeafDigests, page: number): Uint8Array {
  const size = computeDigestsPerPage(digests.length / 2) * 2;
  return encodeDigests(digests.subarray(page * size, (page + 1) * size));
}

/** Bytes in the order of this machine. Every machine of Lambda is little-endian. */
export function encodeDigests(digests: LeafDigests): Uint8Array {
  return new Uint8Array(digests.buffer, digests.byteOffset, digests.byteLength);
}

/** XOR of all digests. */
export function computeDigestCheck(digests: LeafDigests): Uint8Array {
  const check = new Int32Array(2);
  for (const [index, number] of digests.entries()) check[index % 2] = (check[index % 2] ?? 0) ^ number;
  return encodeDigests(check);
}

/** Joins the bytes of a head, or of pages in their order. Null when they are not the digests of that many leaves. */
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
