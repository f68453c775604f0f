import { DeleteItemCommand, GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import { TABLE } from '#shared/config/table.ts';
import type { FeedKey } from '#shared/core/feeds.ts';
import { MAX_LEASE_MS } from '#shared/core/plan/lease.ts';
import type { Lease } from '#shared/ports/poll.ts';
import { ATTRIBUTE, FORMAT_VERSION, readItem, toAttributes } from '../attributes.ts';
import { keyAttributes, leaseKey } from '../keys.ts';
import type { Table } from '../table.ts';

/** Nobody polls. */
const FREE = `attribute_not_exists(${TABLE.partitionKey})`;
/** We poll already: the request came twice. */
const OURS = '#owner = :owner';
/** Whoever polled did not come to the end of it in time. */
const OVER = '#end <= :now';
/** Whoever polled had a wrong clock: no poll lives that long. */
const ENDLESS = '#end > :latest';

/** Whether the lease is ours now. */
export async function acquireLease(table: Table, feed: FeedKey, lease: Lease): Promise<boolean> {
  const { outcome } = await table.attempt({
    operation: 'acquireLease',
    kind: 'write',
    send: (client) =>
      client.send(
        new PutItemCommand({
          ...table.settings,
          Item: {
            ...keyAttributes(leaseKey(feed, lease.dates)),
            ...toAttributes({
              [ATTRIBUTE.version]: FORMAT_VERSION,
              [ATTRIBUTE.owner]: lease.owner,
              [ATTRIBUTE.end]: lease.expiresAt,
            }),
          },
          ...(lease.takeOver ? {} : buildCondition(lease)),
        }),
      ),
  });
  return outcome === 'done';
}

function buildCondition({ owner, now }: Lease) {
  return {
    ConditionExpression: `${FREE} OR ${OURS} OR ${OVER} OR ${ENDLESS}`,
    ExpressionAttributeNames: { '#owner': ATTRIBUTE.owner, '#end': ATTRIBUTE.end },
    ExpressionAttributeValues: toAttributes({ ':owner': owner, ':now': now, ':latest': now + MAX_LEASE_MS }),
  };
}

const leaseItemSchema = z.object({ [ATTRIBUTE.owner]: z.string(), [ATTRIBUTE.end]: z.number() });

/** Whether another one than the owner holds the lease of the whole feed. */
export async function isLeaseHeld(
  table: Table,
  feed: FeedKey,
  { owner, now }: Pick<Lease, 'owner' | 'now'>,
): Promise<boolean> {
  const { Item } = await table.send({
    operation: 'isLeaseHeld',
    kind: 'read',
    send: (client) =>
      client.send(
        new GetItemCommand({ ...table.settings, Key: keyAttributes(leaseKey(feed)), ConsistentRead: true }),
      ),
  });
  if (Item === undefined) return false;
  const { [ATTRIBUTE.owner]: holder, [ATTRIBUTE.end]: end } = readItem(leaseItemSchema, Item);
  return holder !== owner && end > now && end <= now + MAX_LEASE_MS;
}

/** Gives the lease back, if it is still ours. */
export async function releaseLease(table: Table, feed: FeedKey, owner: string): Promise<void> {
  // A conflict is somebody else's lease.
  await table.attempt({
    operation: 'releaseLease',
    kind: 'write',
    send: (client) =>
      client.send(
        new DeleteItemCommand({
          ...table.settings,
          Key: keyAttributes(leaseKey(feed)),
          ConditionExpression: OURS,
          ExpressionAttributeNames: { '#owner': ATTRIBUTE.owner },
          ExpressionAttributeValues: toAttributes({ ':owner': owner }),
        }),
      ),
  });
}
