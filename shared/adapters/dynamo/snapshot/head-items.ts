import * as z from 'zod';
import {
  computeDigestsPerPage,
  findDigestPage,
  type HeadWrite,
  MAX_INLINE_DIGEST_LEAVES,
} from '#shared/core/commit/commit-step.ts';
import type { FeedKey } from '#shared/core/feeds.ts';
import { recentLossSchema } from '#shared/core/snapshot/recent-loss.ts';
import type { LeafDigests, SliceHead } from '#shared/core/snapshot/snapshot.ts';
import { ATTRIBUTE, bytesSchema, type Item, readItem, type Values } from '../attributes.ts';
import { readSortKey, toItem } from '../items.ts';
import { parseHeadSort, toHeadKey, toPageKey } from '../keys.ts';
import { buildUpdate, type UpdateInput } from '../updates.ts';

const headItemSchema = z.object({
  [ATTRIBUTE.revision]: z.int(),
  [ATTRIBUTE.generation]: z.string(),
  [ATTRIBUTE.leafCount]: z.int().min(1),
  [ATTRIBUTE.recordCount]: z.int(),
  [ATTRIBUTE.tombstoneCount]: z.int(),
  [ATTRIBUTE.unsettledCount]: z.int(),
  [ATTRIBUTE.unlistedCount]: z.int().optional(),
  [ATTRIBUTE.awaitingCount]: z.int().optional(),
  [ATTRIBUTE.recentLosses]: z.string().optional(),
  [ATTRIBUTE.baselinedAt]: z.number().optional(),
  [ATTRIBUTE.observedAt]: z.number().optional(),
  [ATTRIBUTE.body]: bytesSchema.optional(),
  [ATTRIBUTE.digestCheck]: bytesSchema.optional(),
  [ATTRIBUTE.outbox]: z.array(z.string()).optional(),
});

const pageItemSchema = z.object({ [ATTRIBUTE.body]: bytesSchema });

/** Builds the conditional update of a head, which also adds the pointer to its outbox. */
export function buildHeadUpdate(
  feed: FeedKey,
  { head, expectedRevision }: HeadWrite,
  pointer: string | null,
): UpdateInput {
  return buildUpdate({
    key: toHeadKey(feed, head.slice),
    values: toHeadValues(head),
    pointer,
    expectedRevision,
  });
}

function toHeadValues(head: SliceHead): Values {
  const paged = isPaged(head.leafCount);
  return {
    [ATTRIBUTE.revision]: head.revision,
    [ATTRIBUTE.generation]: head.generation,
    [ATTRIBUTE.leafCount]: head.leafCount,
    [ATTRIBUTE.recordCount]: head.recordCount,
    [ATTRIBUTE.tombstoneCount]: head.tombstoneCount,
    [ATTRIBUTE.unsettledCount]: head.unsettledCount,
    [ATTRIBUTE.unlistedCount]: head.unlistedCount,
    [ATTRIBUTE.awaitingCount]: head.awaitingCount,
    [ATTRIBUTE.recentLosses]: head.recentLosses === undefined ? undefined : JSON.stringify(head.recentLosses),
    [ATTRIBUTE.baselinedAt]: head.baselinedAt ?? undefined,
    [ATTRIBUTE.observedAt]: head.observedAt ?? undefined,
    [ATTRIBUTE.body]: paged ? undefined : encodeDigests(head.digests),
    [ATTRIBUTE.digestCheck]: paged ? computeDigestCheck(head.digests) : undefined,
  };
}

/**
 * The digest pages that a write of a head changes: those of the changed leaves, or all. They need no condition of their
 * own because the transaction also writes their head. A generation with fewer pages leaves the old ones in the table:
 * reads stop at the head's number of leaves, and the next larger generation overwrites them.
 */
export function toPageItems(feed: FeedKey, { head, changedLeaves }: HeadWrite): Item[] {
  const { slice, digests, leafCount } = head;
  const pages =
    changedLeaves === null
      ? Array.from({ length: countPages(leafCount) }, (_, page) => page)
      : findDigestPages(changedLeaves, leafCount);
  return pages.map((page) =>
    toItem(toPageKey(feed, slice, page), { [ATTRIBUTE.body]: encodePage(digests, page) }),
  );
}

/** Heads as one query read them, in order of their slices. */
export interface ReadHeads {
  readonly heads: SliceHead[];
  /**
   * Slices whose digest pages do not belong to their head. A query does not read at one instant, so a commit can come in
   * between; mixed digests of two revisions would hide changes.
   */
  readonly torn: string[];
}

/** `items`: heads and digest pages in order of their keys. */
export function readHeadItems(items: readonly Item[]): ReadHeads {
  const heads: SliceHead[] = [];
  const torn: string[] = [];
  for (const [slice, { head: item, pages }] of groupBySlice(items)) {
    // Pages without a head remain when somebody deleted it by hand.
    if (item === null) continue;
    const head = readHead(slice, item, pages);
    if (head === null) torn.push(slice);
    else heads.push(head);
  }
  return { heads, torn };
}

interface SliceItems {
  head: Item | null;
  readonly pages: Item[];
}

function groupBySlice(items: readonly Item[]): Map<string, SliceItems> {
  const slices = new Map<string, SliceItems>();
  for (const item of items) {
    const { slice, page } = parseHeadSort(readSortKey(item));
    const group = slices.get(slice) ?? { head: null, pages: [] };
    slices.set(slice, group);
    if (page === null) group.head = item;
    else group.pages.push(item);
  }
  return slices;
}

/** Null when the pages do not belong to the head. */
function readHead(slice: string, item: Item, pages: readonly Item[]): SliceHead | null {
  const values = readItem(headItemSchema, item);
  const leafCount = values[ATTRIBUTE.leafCount];
  const unlistedCount = values[ATTRIBUTE.unlistedCount];
  const awaitingCount = values[ATTRIBUTE.awaitingCount];
  const recent = values[ATTRIBUTE.recentLosses];
  const own = values[ATTRIBUTE.body];
  const digestPages = own === undefined ? readPages(pages, leafCount) : [own];
  const digests = readDigests(digestPages, leafCount);
  if (digests === null) return null;
  const check = values[ATTRIBUTE.digestCheck];
  if (check !== undefined && Buffer.compare(check, computeDigestCheck(digests)) !== 0) return null;
  return {
    slice,
    revision: values[ATTRIBUTE.revision],
    generation: values[ATTRIBUTE.generation],
    leafCount,
    recordCount: values[ATTRIBUTE.recordCount],
    tombstoneCount: values[ATTRIBUTE.tombstoneCount],
    unsettledCount: values[ATTRIBUTE.unsettledCount],
    ...(unlistedCount === undefined ? {} : { unlistedCount }),
    ...(awaitingCount === undefined ? {} : { awaitingCount }),
    ...(recent === undefined ? {} : { recentLosses: z.array(recentLossSchema).parse(JSON.parse(recent)) }),
    baselinedAt: values[ATTRIBUTE.baselinedAt] ?? null,
    observedAt: values[ATTRIBUTE.observedAt] ?? null,
    digests,
    outbox: [...(values[ATTRIBUTE.outbox] ?? [])].sort(),
  };
}

function readPages(pages: readonly Item[], leafCount: number): Uint8Array[] {
  return pages.slice(0, countPages(leafCount)).map((item) => readItem(pageItemSchema, item)[ATTRIBUTE.body]);
}

const DIGEST_BYTES = 8;

/** Whether the digests of a slice are on pages of their own, not in its head. */
function isPaged(leafCount: number): boolean {
  return leafCount > MAX_INLINE_DIGEST_LEAVES;
}

function countPages(leafCount: number): number {
  return isPaged(leafCount) ? Math.ceil(leafCount / computeDigestsPerPage(leafCount)) : 0;
}

/** The pages that hold the digests of these leaves; none when the head holds them. */
function findDigestPages(leaves: readonly number[], leafCount: number): number[] {
  return [...new Set(leaves.map((leaf) => findDigestPage(leaf, leafCount)))].filter((page) => page !== null);
}

function encodePage(digests: LeafDigests, page: number): Uint8Array {
  const size = computeDigestsPerPage(digests.length / 2) * 2;
  return encodeDigests(digests.subarray(page * size, (page + 1) * size));
}

/** Bytes in the order of this machine. Every machine of Lambda is little-endian. */
function encodeDigests(digests: LeafDigests): Uint8Array {
  return new Uint8Array(digests.buffer, digests.byteOffset, digests.byteLength);
}

/** XOR of all digests. */
function computeDigestCheck(digests: LeafDigests): Uint8Array {
  const check = new Int32Array(2);
  for (const [index, number] of digests.entries()) check[index % 2] = (check[index % 2] ?? 0) ^ number;
  return encodeDigests(check);
}

/** Joins the bytes of a head, or of pages in their order. Null when they are not the digests of that many leaves. */
function readDigests(pages: readonly Uint8Array[], leafCount: number): LeafDigests | null {
  const bytes = new Uint8Array(leafCount * DIGEST_BYTES);
  let used = 0;
  for (const page of pages) {
    if (used + page.length > bytes.length) return null;
    bytes.set(page, used);
    used += page.length;
  }
  return used === bytes.length ? new Int32Array(bytes.buffer) : null;
}
