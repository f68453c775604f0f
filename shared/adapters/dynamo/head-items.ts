import * as z from 'zod';
import { feedNameSchema } from '../../core/feeds.ts';
import {
  type BucketRef,
  DIGEST_BYTES,
  type Doubt,
  type DoubtedLoss,
  type Head,
} from '../../core/snapshot/head.ts';
import type { Item } from './attributes.ts';
import { readSortKey, toItem } from './items.ts';
import { toHeadKey } from './keys.ts';
import { jsonMember, numberMember, readMembers, type StoredMembers, writeMembers } from './members.ts';

const ids = z.array(z.string());
const instant = z.number();
const badSchema = z.object({ since: instant, count: z.int(), ids, cause: z.string() });
const unlistedSchema = z.object({ ids, askedAt: instant });
const openDatesSchema = z.array(z.object({ from: z.string(), to: z.string() }));
const pendingSchema = z.array(
  z.object({
    id: z.string(),
    startDate: z.string(),
    finishDate: z.string(),
    closed: z.string(),
    after: instant.nullable(),
    by: instant,
  }),
);

/** A slice of 50,000 records has 800 buckets, and each lone event there pays for all of them: they are packed. */
const MEMBERS: StoredMembers<Omit<Head, 'feed' | 'slice'>> = {
  buckets: { attribute: 'b', encode: packBuckets, decode: unpackBuckets },
  baselinedAt: numberMember('n', null),
  changedAt: numberMember('c', null),
  bad: jsonMember('x', badSchema.nullable(), null),
  unlisted: jsonMember('u', unlistedSchema.nullable(), null),
  doubt: { attribute: 'q', encode: packDoubt, decode: unpackDoubt },
  renewedAt: numberMember('w', null),
  openDates: jsonMember<Head['openDates']>('o', openDatesSchema, undefined),
  pending: jsonMember<Head['pending']>('p', pendingSchema, undefined),
};

export function toHeadItem(connection: string, head: Head): Item {
  return toItem(toHeadKey(connection, head), writeMembers(MEMBERS, head));
}

/** Throws `NotifierError` `store_format_unknown` or `store_item_unreadable`. */
export function readHeadItem(item: Item): Head {
  const [feed, slice = ''] = readSortKey(item).split('#');
  return { feed: feedNameSchema.parse(feed), slice, ...readMembers(MEMBERS, item) };
}

const BOUND_BYTES = 4;
const COUNT_BYTES = 2;
const INSTANT_BYTES = 6;
const REF_BYTES = BOUND_BYTES + COUNT_BYTES + DIGEST_BYTES;
const DOUBT_BYTES = 2 * INSTANT_BYTES + BOUND_BYTES;
const LOSS_BYTES = BOUND_BYTES + INSTANT_BYTES + DIGEST_BYTES;

function packBuckets(buckets: readonly BucketRef[]): Uint8Array {
  const bytes = Buffer.alloc(buckets.length * REF_BYTES);
  for (const [index, { from, count, digest }] of buckets.entries()) {
    const at = index * REF_BYTES;
    bytes.writeUInt32BE(from, at);
    bytes.writeUInt16BE(count, at + BOUND_BYTES);
    bytes.write(digest, at + BOUND_BYTES + COUNT_BYTES, DIGEST_BYTES, 'hex');
  }
  return bytes;
}

function unpackBuckets(stored: unknown): BucketRef[] {
  return unpackEach(toBytes(stored), REF_BYTES, (bytes): BucketRef => {
    const count = bytes.readUInt16BE(BOUND_BYTES);
    // An empty bucket has no digest.
    const digest = count === 0 ? '' : bytes.toString('hex', BOUND_BYTES + COUNT_BYTES);
    return { from: bytes.readUInt32BE(), count, digest };
  });
}

function packDoubt(doubt: Doubt | null): Uint8Array | undefined {
  if (doubt === null) return undefined;
  const bytes = Buffer.alloc(DOUBT_BYTES + doubt.losses.length * LOSS_BYTES);
  bytes.writeUIntBE(doubt.since, 0, INSTANT_BYTES);
  bytes.writeUIntBE(doubt.after ?? 0, INSTANT_BYTES, INSTANT_BYTES);
  bytes.writeUInt32BE(doubt.records, 2 * INSTANT_BYTES);
  for (const [index, { from, at, digest }] of doubt.losses.entries()) {
    const place = DOUBT_BYTES + index * LOSS_BYTES;
    bytes.writeUInt32BE(from, place);
    bytes.writeUIntBE(at, place + BOUND_BYTES, INSTANT_BYTES);
    bytes.write(digest, place + BOUND_BYTES + INSTANT_BYTES, DIGEST_BYTES, 'hex');
  }
  return bytes;
}

function unpackDoubt(stored: unknown): Doubt | null {
  if (stored === undefined) return null;
  const all = toBytes(stored);
  return {
    since: all.readUIntBE(0, INSTANT_BYTES),
    after: all.readUIntBE(INSTANT_BYTES, INSTANT_BYTES) || null,
    records: all.readUInt32BE(2 * INSTANT_BYTES),
    losses: unpackEach(
      all.subarray(DOUBT_BYTES),
      LOSS_BYTES,
      (bytes): DoubtedLoss => ({
        from: bytes.readUInt32BE(),
        at: bytes.readUIntBE(BOUND_BYTES, INSTANT_BYTES),
        digest: bytes.toString('hex', BOUND_BYTES + INSTANT_BYTES),
      }),
    ),
  };
}

function toBytes(stored: unknown): Buffer {
  const { buffer, byteOffset, byteLength } = z.instanceof(Uint8Array).parse(stored);
  return Buffer.from(buffer, byteOffset, byteLength);
}

function unpackEach<Value>(bytes: Buffer, size: number, unpack: (part: Buffer) => Value): Value[] {
  return Array.from({ length: bytes.length / size }, (_, index) =>
    unpack(bytes.subarray(index * size, (index + 1) * size)),
  );
}
