import * as z from 'zod';
import { NotifierError } from '#shared/core/errors.ts';
import {
  computeBucketEnd,
  joinBuckets,
  type Membership,
  type MembershipBucket,
  membershipBucketSchema,
} from '#shared/core/periods/membership.ts';
import { ATTRIBUTE, bytesSchema, type Item, readItem } from './attributes.ts';
import { writeBatches } from './batches.ts';
import { compressed, decompressed } from './compression.ts';
import { parseBody, toItem } from './items.ts';
import { toMembershipKey } from './keys.ts';
import { queryItems } from './queries.ts';
import type { Table } from './table.ts';

const bucketItemSchema = z.object({ [ATTRIBUTE.body]: bytesSchema });

/** Loads who belongs to which calendar. A row that cannot be read counts as empty: it is asked again and overwritten. */
export async function loadMembership(table: Table, connection: string): Promise<Membership> {
  const { partition } = toMembershipKey(connection, 0);
  const items = await queryItems(table, { operation: 'loadMembership', partition });
  return joinBuckets(items.flatMap((item) => readBucket(item) ?? []));
}

/** Writes rows whole; the last write wins. */
export async function saveMembership(
  table: Table,
  connection: string,
  buckets: readonly MembershipBucket[],
): Promise<void> {
  const requests = buckets.map((bucket) => ({ PutRequest: { Item: toBucketItem(connection, bucket) } }));
  await writeBatches(table, 'saveMembership', requests);
}

function toBucketItem(connection: string, { index, ...bucket }: MembershipBucket): Item {
  const body = compressed(JSON.stringify(bucket));
  return toItem(toMembershipKey(connection, index), { [ATTRIBUTE.body]: body }, computeBucketEnd(bucket));
}

function readBucket(item: Item): Omit<MembershipBucket, 'index'> | null {
  try {
    const bytes = readItem(bucketItemSchema, item)[ATTRIBUTE.body];
    return parseBody(membershipBucketSchema, item, decompressed(bytes));
  } catch (error) {
    // A cache must not stop the poll that reads it.
    if (error instanceof NotifierError && error.code === 'store_item_unreadable') return null;
    throw error;
  }
}
