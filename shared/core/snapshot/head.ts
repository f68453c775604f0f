import { hash } from 'node:crypto';
import type { FeedName } from '../feeds.ts';
import { type StoredRow, seenText } from './row.ts';

/** A slice of a connection: a calendar date of timesheets, or the whole list of another feed (`WHOLE_LIST`). */
export interface SliceKey {
  readonly feed: FeedName;
  readonly slice: string;
}

/** Text of a slice, for maps and storage keys: `timesheets#2026-03-05`. */
export function nameSlice({ feed, slice }: SliceKey): string {
  return `${feed}#${slice}`;
}

/** A bucket covers the hashes from `from` up to the next bucket's. */
export interface BucketRef {
  readonly from: number;
  readonly count: number;
  /** Of ids and watched values, 12 hexadecimal digits; empty for an empty bucket. */
  readonly digest: string;
}

/** What one look would take away from a bucket: told once another look, a minute later, would take away the same. */
export interface DoubtedLoss {
  /** The bucket's lower bound. */
  readonly from: number;
  /** Of what would be lost, 12 hexadecimal digits. */
  readonly digest: string;
  /** Start of the first look that would lose it, in milliseconds since 1970. */
  readonly at: number;
}

/** A slice waits for another look (rule 17). */
export interface Doubt {
  /** When it began, in milliseconds since 1970. */
  readonly since: number;
  /** Start of the last look before it: when what would be lost was last seen. Null without one. */
  readonly after: number | null;
  /** How many records it concerned at first. */
  readonly records: number;
  readonly losses: readonly DoubtedLoss[];
}

/** A pay period whose closing was seen, and is told once its dates were looked at. */
export interface PendingClosing {
  readonly id: string;
  readonly startDate: string;
  readonly finishDate: string;
  /** The source's stamp. */
  readonly closed: string;
  /** Start of the last look that showed it open (null: not known), and of the first that showed it closed. */
  readonly after: number | null;
  readonly by: number;
}

/** Records of a slice that cannot be read: since when, how many, the first of their ids, and the member that makes one so. */
export interface BadRecords {
  readonly since: number;
  readonly count: number;
  readonly ids: readonly string[];
  readonly cause: string;
}

/** What is known of a slice without reading its buckets. Instants in milliseconds since 1970. */
export interface Head extends SliceKey {
  readonly buckets: readonly BucketRef[];
  /** Start of the first complete look; null while the slice only holds records that moved here. */
  readonly baselinedAt: number | null;
  /** Start of the last look that found a change; null before the first. */
  readonly changedAt: number | null;
  readonly bad: BadRecords | null;
  /** Records that the list leaves out though they answer by id, and when they were last asked for. */
  readonly unlisted: { readonly ids: readonly string[]; readonly askedAt: number } | null;
  readonly doubt: Doubt | null;
  /** Since which restore of the table its rows were sent again, or need not be; null for none. */
  readonly renewedAt: number | null;
  /** Of the list of pay periods: dates of open ones, merged, and closings that wait. */
  readonly openDates?: readonly { readonly from: string; readonly to: string }[];
  readonly pending?: readonly PendingClosing[];
}

export function createHead(key: SliceKey): Head {
  return {
    feed: key.feed,
    slice: key.slice,
    buckets: [{ from: 0, count: 0, digest: EMPTY_DIGEST }],
    baselinedAt: null,
    changedAt: null,
    bad: null,
    unlisted: null,
    doubt: null,
    renewedAt: null,
  };
}

/** Whether the rows of a slice are sent again after a restore of the table. */
export function isToRenew({ renewedAt }: Pick<Head, 'renewedAt'>, restoredAt: number | null): boolean {
  return restoredAt !== null && (renewedAt ?? 0) < restoredAt;
}

export function countRecords({ buckets }: Pick<Head, 'buckets'>): number {
  return buckets.reduce((sum, { count }) => sum + count, 0);
}

const EMPTY_DIGEST = '';
export const DIGEST_BYTES = 6;
const HASHES = 2 ** 32;

/** Where a record lies: FNV-1a, mixed, 32 bits. Part of the storage format: it never changes. */
export function hashId(id: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < id.length; index += 1)
    value = Math.imul(value ^ id.charCodeAt(index), 0x01000193);
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}

type Bounds = readonly Pick<BucketRef, 'from'>[];

/** Index of the bucket that holds a hash. */
export function findBucket(buckets: Bounds, place: number): number {
  let low = 0;
  let high = buckets.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((buckets[middle]?.from ?? HASHES) <= place) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The buckets of a head that may hold some ids, each once. */
export function findBucketsAt({ buckets }: Pick<Head, 'buckets'>, ids: Iterable<string>): BucketRef[] {
  const indexes = new Set([...ids].map((id) => findBucket(buckets, hashId(id))));
  return buckets.filter((_, index) => indexes.has(index));
}

/** The first hash behind a bucket. */
export function endOfBucket(buckets: Bounds, index: number): number {
  return buckets[index + 1]?.from ?? HASHES;
}

/** Ids by bucket, each group sorted. */
export function groupByBucket(buckets: Bounds, ids: Iterable<string>): string[][] {
  const groups: string[][] = buckets.map(() => []);
  for (const id of ids) groups[findBucket(buckets, hashId(id))]?.push(id);
  for (const group of groups) group.sort();
  return groups;
}

/** Of ids, sorted, and the text of each. */
export function digestTexts(ids: readonly string[], textOf: (id: string) => string): string {
  if (ids.length === 0) return EMPTY_DIGEST;
  let all = '';
  for (const id of ids) all += `${id}\n${textOf(id)}\n`;
  return hash('sha256', all, 'hex').slice(0, 2 * DIGEST_BYTES);
}

/** The reference of a bucket with these rows. */
export function describeBucket(from: number, rows: readonly StoredRow[]): BucketRef {
  const texts = new Map(rows.map((row) => [row.id, seenText(row)]));
  const ids = [...texts.keys()].sort();
  return { from, count: rows.length, digest: digestTexts(ids, (id) => texts.get(id) ?? '') };
}
