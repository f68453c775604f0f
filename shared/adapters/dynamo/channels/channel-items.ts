import { hash } from 'node:crypto';
import * as z from 'zod';
import type { Delivery } from '#shared/flow/deliveries.ts';
import type { SealedMessage } from '#shared/people/flow/channel-store.ts';
import { messageSchema } from '#shared/people/message.ts';
import { type WaitingEvent, waitingEventSchema } from '#shared/people/waiting-event.ts';
import { ATTRIBUTE, bytesSchema, type Item, readItem } from '../attributes.ts';
import { compressed, decompressed } from '../compression.ts';
import { DOES_NOT_EXIST, expectRevision } from '../conditions.ts';
import { toDeliveryItem } from '../deliveries/delivery-store.ts';
import { parseBody, readJsonItem, readSortKey, toItem, toJsonItem } from '../items.ts';
import type { Key } from '../keys.ts';
import type { TransactionWrite } from '../transactions.ts';

/** Instants, in milliseconds, are padded, so that sort keys are in their order. */
const INSTANT_DIGITS = 15;

export const WAITING = 'waiting#';
export const SEALED = 'sealed#';

const revisionItemSchema = z.object({ [ATTRIBUTE.revision]: z.int() });
const sealedItemSchema = z.object({
  [ATTRIBUTE.body]: bytesSchema,
  [ATTRIBUTE.end]: z.number(),
});
const sealedMessageSchema = z.object({
  message: messageSchema.nullable(),
  eventIds: z.array(z.string()),
});

export function toChannelPartition(channel: string): string {
  return `alerts#${channel}`;
}

export function toRevisionKey(channel: string): Key {
  return { partition: toChannelPartition(channel), sort: 'revision' };
}

/** Urgent events sort first, so that a bounded read finds them before any number of others. */
function waitingKey(channel: string, { at, id, urgent }: WaitingEvent): Key {
  const instant = String(Math.max(0, Math.trunc(at))).padStart(INSTANT_DIGITS, '0');
  return { partition: toChannelPartition(channel), sort: `${WAITING}${urgent ? 0 : 1}#${instant}#${id}` };
}

/** Reads the id of a waiting event from its sort key. */
export function readWaitingId(item: Item): string {
  return readSortKey(item).split('#').slice(3).join('#');
}

/** Events that undo each other make no message: the hash of their ids stands for its id. */
export function toSealedKey(channel: string, { message, eventIds }: SealedMessage): Key {
  const id = message?.id ?? hash('sha256', JSON.stringify([...eventIds].sort()), 'hex').slice(0, 32);
  return { partition: toChannelPartition(channel), sort: `${SEALED}${id}` };
}

/** A channel and its name in the delivery store. */
export interface ChannelTarget {
  readonly channel: string;
  readonly destination: string;
}

/** Builds the writes that add an event to a channel, with its entry in the delivery store, unless it has one already. */
export function buildAddition(
  { channel, destination }: ChannelTarget,
  event: WaitingEvent,
  expiresAt: number,
): TransactionWrite[] {
  const entry: Delivery = {
    eventId: event.id,
    destination,
    outcome: 'waiting',
    at: event.at,
    attempts: 0,
    detail: null,
  };
  return [
    { Put: { Item: toDeliveryItem(entry, expiresAt), ConditionExpression: DOES_NOT_EXIST } },
    { Put: { Item: toJsonItem(waitingKey(channel, event), event, expiresAt) } },
  ];
}

export function readWaitingItem(item: Item): WaitingEvent {
  return readJsonItem(waitingEventSchema, item);
}

/** Builds the write that counts a channel's revision on, if it is still the one that was read. */
export function buildRevisionUpdate(channel: string, revision: number | null): TransactionWrite {
  const Item = toItem(toRevisionKey(channel), { [ATTRIBUTE.revision]: (revision ?? 0) + 1 });
  return { Put: { Item, ...expectRevision(revision) } };
}

export function readRevisionItem(item: Item): number {
  return readItem(revisionItemSchema, item)[ATTRIBUTE.revision];
}

export function toSealedItem(channel: string, sealed: SealedMessage): Item {
  const { message, eventIds, ownedUntil } = sealed;
  return toItem(toSealedKey(channel, sealed), {
    [ATTRIBUTE.body]: compressed(JSON.stringify({ message, eventIds })),
    [ATTRIBUTE.end]: ownedUntil,
  });
}

export function readSealedItem(item: Item): SealedMessage {
  const { [ATTRIBUTE.body]: body, [ATTRIBUTE.end]: ownedUntil } = readItem(sealedItemSchema, item);
  return { ...parseBody(sealedMessageSchema, item, decompressed(body)), ownedUntil };
}
