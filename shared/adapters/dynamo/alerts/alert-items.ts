import { hash } from 'node:crypto';
import * as z from 'zod';
import type { Delivery } from '#shared/flow/deliveries.ts';
import { type Alert, alertSchema, channelMessageSchema, isAlertType } from '#shared/people/alert.ts';
import type { SealedMessage } from '#shared/people/flow/collection.ts';
import { ATTRIBUTE, bytesSchema, type Item, readItem } from '../attributes.ts';
import { compressed, decompressed } from '../compression.ts';
import { DOES_NOT_EXIST, expectRevision } from '../conditions.ts';
import { toDeliveryItem } from '../deliveries/delivery-ledger.ts';
import { parseBody, readJsonItem, readSortKey, toItem, toJsonItem } from '../items.ts';
import type { Key } from '../keys.ts';
import type { TransactionWrite } from '../transactions.ts';

/** Instants and sequences are padded, so that sort keys are in their order. Instants are in milliseconds. */
const INSTANT_DIGITS = 15;
const SEQUENCE_DIGITS = 9;

export const WAITING = 'waiting#';
export const SEALED = 'sealed#';

const revisionItemSchema = z.object({ [ATTRIBUTE.revision]: z.int() });
const sealedItemSchema = z.object({
  [ATTRIBUTE.body]: bytesSchema,
  [ATTRIBUTE.end]: z.number(),
});
const sealedMessageSchema = z.object({
  message: channelMessageSchema.nullable(),
  alertIds: z.array(z.string()),
});

const typedSchema = z.object({ type: z.string() });

export function toAlertsPartition(channel: string): string {
  return `alerts#${channel}`;
}

export function toRevisionKey(channel: string): Key {
  return { partition: toAlertsPartition(channel), sort: 'revision' };
}

/** Urgent alerts sort first, so that a bounded read finds them before any number of others. */
function waitingKey(channel: string, { at, sequence = 0, id, urgent }: Alert): Key {
  const instant = String(Math.max(0, Math.trunc(at))).padStart(INSTANT_DIGITS, '0');
  const order = `${urgent ? 0 : 1}#${instant}#${String(sequence).padStart(SEQUENCE_DIGITS, '0')}`;
  return { partition: toAlertsPartition(channel), sort: `${WAITING}${order}#${id}` };
}

/** Reads the id of a waiting alert from its sort key. */
export function readWaitingId(item: Item): string {
  return readSortKey(item).split('#').slice(4).join('#');
}

/** Alerts that cancelled each other out make no message: the hash of their ids stands for its id. */
export function toSealedKey(channel: string, { message, alertIds }: SealedMessage): Key {
  const id = message?.id ?? hash('sha256', JSON.stringify([...alertIds].sort()), 'hex').slice(0, 32);
  return { partition: toAlertsPartition(channel), sort: `${SEALED}${id}` };
}

/** A channel and its name in the ledger of deliveries. */
export interface AlertTarget {
  readonly channel: string;
  readonly destination: string;
}

/** Builds the writes that add an alert to a channel, with its entry in the ledger, unless it has one already. */
export function buildAddition(
  { channel, destination }: AlertTarget,
  alert: Alert,
  expiresAt: number,
): TransactionWrite[] {
  const entry: Delivery = {
    eventId: alert.id,
    destination,
    outcome: 'waiting',
    at: alert.at,
    attempts: 0,
    detail: null,
  };
  return [
    { Put: { Item: toDeliveryItem(entry, expiresAt), ConditionExpression: DOES_NOT_EXIST } },
    { Put: { Item: toJsonItem(waitingKey(channel, alert), alert, expiresAt) } },
  ];
}

/** Null for a type that a later version added: such an alert waits until that version is deployed again. */
export function readWaitingItem(item: Item): Alert | null {
  const { type } = readJsonItem(typedSchema, item);
  return isAlertType(type) ? readJsonItem(alertSchema, item) : null;
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
  const { message, alertIds, ownedUntil } = sealed;
  return toItem(toSealedKey(channel, sealed), {
    [ATTRIBUTE.body]: compressed(JSON.stringify({ message, alertIds })),
    [ATTRIBUTE.end]: ownedUntil,
  });
}

export function readSealedItem(item: Item): SealedMessage {
  const { [ATTRIBUTE.body]: body, [ATTRIBUTE.end]: ownedUntil } = readItem(sealedItemSchema, item);
  return { ...parseBody(sealedMessageSchema, item, decompressed(body)), ownedUntil };
}
