import * as z from 'zod';
import type { FeedKey } from '#shared/core/feeds.ts';
import { MAX_LEASE_MS } from '#shared/core/plan/lease.ts';
import type { Lease } from '#shared/flow/poll/ports.ts';
import { ATTRIBUTE, readItem, toAttributes } from '../attributes.ts';
import { DOES_NOT_EXIST, type ItemCondition } from '../conditions.ts';
import { deleteItemIf, getItem, putItemIf, toItem } from '../items.ts';
import { toLeaseKey } from '../keys.ts';
import type { Table } from '../table.ts';

/** The same poll holds it: its request was delivered twice. */
const IS_OWN = '#owner = :owner';
/** The poll that held it did not end in time. */
const IS_EXPIRED = '#end <= :now';
/** The poll that held it had a wrong clock: no lease is that long. */
const IS_TOO_LONG = '#end > :latest';

/** Acquires or extends a lease, and returns whether it did. */
export async function acquireLease(table: Table, feed: FeedKey, lease: Lease): Promise<boolean> {
  const { owner, expiresAt, takeOver, dates } = lease;
  const item = toItem(toLeaseKey(feed, dates), { [ATTRIBUTE.owner]: owner, [ATTRIBUTE.end]: expiresAt });
  return await putItemIf(table, 'acquireLease', { item, condition: takeOver ? {} : expectFree(lease) });
}

function expectFree({ owner, now }: Lease): ItemCondition {
  return {
    ConditionExpression: `${DOES_NOT_EXIST} OR ${IS_OWN} OR ${IS_EXPIRED} OR ${IS_TOO_LONG}`,
    ExpressionAttributeNames: { '#owner': ATTRIBUTE.owner, '#end': ATTRIBUTE.end },
    ExpressionAttributeValues: toAttributes({ ':owner': owner, ':now': now, ':latest': now + MAX_LEASE_MS }),
  };
}

const leaseItemSchema = z.object({ [ATTRIBUTE.owner]: z.string(), [ATTRIBUTE.end]: z.number() });

/** Whether another owner holds the lease of the whole feed. */
export async function isLeaseHeld(
  table: Table,
  feed: FeedKey,
  { owner, now }: Pick<Lease, 'owner' | 'now'>,
): Promise<boolean> {
  const item = await getItem(table, 'isLeaseHeld', toLeaseKey(feed));
  if (item === null) return false;
  const { [ATTRIBUTE.owner]: holder, [ATTRIBUTE.end]: end } = readItem(leaseItemSchema, item);
  return holder !== owner && end > now && end <= now + MAX_LEASE_MS;
}

/** Deletes the lease of the whole feed, unless another owner holds it by now. */
export async function releaseLease(table: Table, feed: FeedKey, owner: string): Promise<void> {
  const condition = {
    ConditionExpression: IS_OWN,
    ExpressionAttributeNames: { '#owner': ATTRIBUTE.owner },
    ExpressionAttributeValues: toAttributes({ ':owner': owner }),
  };
  await deleteItemIf(table, 'releaseLease', { key: toLeaseKey(feed), condition });
}
