import type { Update } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import { TABLE } from '#shared/config/table.ts';
import type { HeadWrite } from '#shared/core/commit/commit-step.ts';
import type { FeedKey } from '#shared/core/feeds.ts';
import type { SliceHead } from '#shared/core/snapshot/snapshot.ts';
import { ATTRIBUTE, FORMAT_VERSION, type Item, readItem, toAttributes, type Values } from '../attributes.ts';
import { headKey, keyAttributes, pageKey, readHeadSort } from '../keys.ts';
import { buildUpdate } from '../update.ts';
import {
  countPages,
  digestCheck,
  encodeDigests,
  encodePage,
  findDigestPages,
  isPaged,
  readDigests,
} from './digest-pages.ts';

const bytes = z.instanceof(Uint8Array);
const version = { [ATTRIBUTE.version]: z.literal(FORMAT_VERSION) };

const headItemSchema = z.object({
  ...version,
  [ATTRIBUTE.revision]: z.int(),
  [ATTRIBUTE.generation]: z.string(),
  [ATTRIBUTE.leafCount]: z.int().min(1),
  [ATTRIBUTE.recordCount]: z.int(),
  [ATTRIBUTE.tombstoneCount]: z.int(),
  [ATTRIBUTE.unsettledCount]: z.int(),
  [ATTRIBUTE.unlistedCount]: z.int().optional(),
  [ATTRIBUTE.baselinedAt]: z.number().optional(),
  [ATTRIBUTE.observedAt]: z.number().optional(),
  [ATTRIBUTE.body]: bytes.optional(),
  [ATTRIBUTE.digestCheck]: bytes.optional(),
  [ATTRIBUTE.outbox]: z.array(z.string()).optional(),
});

const pageItemSchema = z.object({ ...version, [ATTRIBUTE.body]: bytes });

/** The update of a head, with the pointer that is added to its outbox, and the conditions of its write. */
export function buildHeadUpdate(
  feed: FeedKey,
  { head, expectedRevision }: HeadWrite,
  pointer: string | null,
): Omit<Update, 'TableName'> & { UpdateExpression: string } {
  return buildUpdate({
    key: headKey(feed, head.slice),
    values: toHeadValues(head),
    pointer,
    expectedRevision,
  });
}

function toHeadValues(head: SliceHead): Values {
  const paged = isPaged(head.leafCount);
  return {
    [ATTRIBUTE.version]: FORMAT_VERSION,
    [ATTRIBUTE.revision]: head.revision,
    [ATTRIBUTE.generation]: head.generation,
    [ATTRIBUTE.leafCount]: head.leafCount,
    [ATTRIBUTE.recordCount]: head.recordCount,
    [ATTRIBUTE.tombstoneCount]: head.tombstoneCount,
    [ATTRIBUTE.unsettledCount]: head.unsettledCount,
    [ATTRIBUTE.unlistedCount]: head.unlistedCount,
    [ATTRIBUTE.baselinedAt]: head.baselinedAt ?? undefined,
    [ATTRIBUTE.observedAt]: head.observedAt ?? undefined,
    [ATTRIBUTE.body]: paged ? undefined : encodeDigests(head.digests),
    [ATTRIBUTE.digestCheck]: paged ? digestCheck(head.digests) : undefined,
  };
}

/**
 * The pages that a write of a head changes: those of the changed leaves, or all. Pages need no condition of their
 * own, being written with their head. A generation with fewer pages leaves the others lie: nobody reads beyond the
 * head's number of leaves, and the next larger one overwrites them.
 */
export function toPageItems(feed: FeedKey, { head, changedLeaves }: HeadWrite): Item[] {
  const { slice, digests, leafCount } = head;
  const pages =
    changedLeaves === null
      ? Array.from({ length: countPages(leafCount) }, (_, page) => page)
      : findDigestPages(changedLeaves, leafCount);
  return pages.map((page) => ({
    ...keyAttributes(pageKey(feed, slice, page)),
    ...toAttributes({
      [ATTRIBUTE.version]: FORMAT_VERSION,
      [ATTRIBUTE.body]: encodePage(digests, page),
    }),
  }));
}

/** Heads and their pages as one query gave them, in order of their keys. */
export interface ReadHeads {
  readonly heads: SliceHead[];
  /**
   * Slices whose pages do not belong to their head. A query does not read at one instant: a commit came between,
   * and digests of two revisions must never be mixed.
   */
  readonly torn: string[];
}

export function readHeadItems(items: readonly Item[]): ReadHeads {
  const heads: SliceHead[] = [];
  const torn: string[] = [];
  let next = 0;
  while (next < items.length) {
    const { slice } = readHeadSort(sortOf(items[next]));
    const first = next;
    while (next < items.length && readHeadSort(sortOf(items[next])).slice === slice) next += 1;
    const [item, ...pages] = items.slice(first, next);
    if (item === undefined || readHeadSort(sortOf(item)).page !== null) continue;
    const head = readHead(slice, item, pages);
    if (head === null) torn.push(slice);
    else heads.push(head);
  }
  return { heads, torn };
}

function readHead(slice: string, item: Item, pages: readonly Item[]): SliceHead | null {
  const values = readItem(headItemSchema, item);
  const leafCount = values[ATTRIBUTE.leafCount];
  const own = values[ATTRIBUTE.body];
  const parts = own === undefined ? pageParts(pages, leafCount) : [own];
  const digests = readDigests(parts, leafCount);
  if (digests === null) return null;
  const check = values[ATTRIBUTE.digestCheck];
  if (check !== undefined && Buffer.compare(check, digestCheck(digests)) !== 0) return null;
  return {
    slice,
    revision: values[ATTRIBUTE.revision],
    generation: values[ATTRIBUTE.generation],
    leafCount,
    recordCount: values[ATTRIBUTE.recordCount],
    tombstoneCount: values[ATTRIBUTE.tombstoneCount],
    unsettledCount: values[ATTRIBUTE.unsettledCount],
    ...unlistedCountOf(values[ATTRIBUTE.unlistedCount]),
    baselinedAt: values[ATTRIBUTE.baselinedAt] ?? null,
    observedAt: values[ATTRIBUTE.observedAt] ?? null,
    digests,
    outbox: [...(values[ATTRIBUTE.outbox] ?? [])].sort(),
  };
}

function unlistedCountOf(count: number | undefined): Pick<SliceHead, 'unlistedCount'> {
  return count === undefined ? {} : { unlistedCount: count };
}

function pageParts(pages: readonly Item[], leafCount: number): Uint8Array[] {
  return pages.slice(0, countPages(leafCount)).map((item) => readItem(pageItemSchema, item)[ATTRIBUTE.body]);
}

function sortOf(item: Item | undefined): string {
  return item?.[TABLE.sortKey]?.S ?? '';
}
