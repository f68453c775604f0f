import { hash } from 'node:crypto';
import type { TransactWriteItem } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import { TABLE } from '#shared/config/table.ts';
import { type Alert, alertSchema, channelMessageSchema, isAlertType } from '#shared/core/alerts/alert.ts';
import type { SealedMessage } from '#shared/ports/alerts.ts';
import type { Delivery } from '#shared/ports/deliveries.ts';
import { ATTRIBUTE, FORMAT_VERSION, type Item, readItem, toAttributes } from '../attributes.ts';
import { compressed, decompressed } from '../compression.ts';
import { toDeliveryItem } from '../deliveries/delivery-ledger.ts';
import { checked, readJsonItem, sortOf, toJsonItem } from '../items.ts';
import { type Key, keyAttributes } from '../keys.ts';
import type { Table } from '../table.ts';
import { buildUpdate } from '../update.ts';

/** The channel was never given the alert: it has no mark of it in the ledger of deliveries. */
const NEVER_GIVEN = `attribute_not_exists(${TABLE.partitionKey})`;

/** Digits of an instant in milliseconds, so that sort keys are in the order of time. */
const INSTANT_DIGITS = 15;
const SEQUENCE_DIGITS = 9;

export const WAITING = 'waiting#';
export const SEALED = 'sealed#';

const revisionItemSchema = z.object({
  [ATTRIBUTE.version]: z.literal(FORMAT_VERSION),
  [ATTRIBUTE.revision]: z.int(),
});
const sealedItemSchema = z.object({
  [ATTRIBUTE.version]: z.literal(FORMAT_VERSION),
  [ATTRIBUTE.body]: z.instanceof(Uint8Array),
  [ATTRIBUTE.end]: z.number().default(0),
});
const sealedMessageSchema = z.object({
  message: channelMessageSchema.nullable(),
  alertIds: z.array(z.string()),
});

const typedSchema = z.object({ type: z.string() });

export function alertsPartition(channel: string): string {
  return `alerts#${channel}`;
}

export function revisionKey(channel: string): Key {
  return { partition: alertsPartition(channel), sort: 'revision' };
}

/** Urgent ones first: however many others are held, they are found. */
function waitingKey(channel: string, { at, sequence = 0, id, urgent }: Alert): Key {
  const instant = String(Math.max(0, Math.trunc(at))).padStart(INSTANT_DIGITS, '0');
  const order = `${urgent ? 0 : 1}#${instant}#${String(sequence).padStart(SEQUENCE_DIGITS, '0')}`;
  return { partition: alertsPartition(channel), sort: `${WAITING}${order}#${id}` };
}

/** The id of the alert that waits under a sort key. */
export function waitingId(item: Item): string {
  return sortOf(item).split('#').slice(4).join('#');
}

/** A message has an id; what cancelled each other out is named by its alerts. */
export function sealedKey(channel: string, { message, alertIds }: SealedMessage): Key {
  const id = message?.id ?? hash('sha256', JSON.stringify([...alertIds].sort()), 'hex').slice(0, 32);
  return { partition: alertsPartition(channel), sort: `${SEALED}${id}` };
}

/** Where an alert goes: the channel, and what it is called in the ledger. */
export interface AlertTarget {
  readonly channel: string;
  readonly destination: string;
}

/** An alert for a channel that was never given it: the alert, and the mark that it was. */
export function buildAddition(
  { name }: Table,
  { channel, destination }: AlertTarget,
  given: { readonly alert: Alert; readonly expiresAt: number },
): TransactWriteItem[] {
  const { alert, expiresAt } = given;
  const mark: Delivery = {
    eventId: alert.id,
    destination,
    outcome: 'waiting',
    at: alert.at,
    attempts: 0,
    detail: null,
  };
  return [
    { Put: { TableName: name, Item: toDeliveryItem(mark, expiresAt), ConditionExpression: NEVER_GIVEN } },
    { Put: { TableName: name, Item: toJsonItem(waitingKey(channel, alert), alert, expiresAt) } },
  ];
}

/** An alert that waits; null for one of a type that a later version added: it waits until such a version is back. */
export function readWaitingItem(item: Item): Alert | null {
  const { type } = readJsonItem(typedSchema, item);
  return isAlertType(type) ? readJsonItem(alertSchema, item) : null;
}

/** The next revision of a channel, if nobody sealed since it was opened. */
export function buildRevisionUpdate(
  { name }: Table,
  channel: string,
  revision: number | null,
): TransactWriteItem {
  const update = buildUpdate({
    key: revisionKey(channel),
    values: { [ATTRIBUTE.version]: FORMAT_VERSION, [ATTRIBUTE.revision]: (revision ?? 0) + 1 },
    pointer: null,
    expectedRevision: revision,
  });
  return { Update: { TableName: name, ...update } };
}

export function readRevisionItem(item: Item): number {
  return readItem(revisionItemSchema, item)[ATTRIBUTE.revision];
}

export function toSealedItem(channel: string, sealed: SealedMessage): Item {
  const { message, alertIds, ownedUntil } = sealed;
  return {
    ...keyAttributes(sealedKey(channel, sealed)),
    ...toAttributes({
      [ATTRIBUTE.version]: FORMAT_VERSION,
      [ATTRIBUTE.body]: compressed(JSON.stringify({ message, alertIds })),
      [ATTRIBUTE.end]: ownedUntil,
    }),
  };
}

export function readSealedItem(item: Item): SealedMessage {
  const { [ATTRIBUTE.body]: body, [ATTRIBUTE.end]: ownedUntil } = readItem(sealedItemSchema, item);
  return { ...checked(sealedMessageSchema, item, decompressed(body)), ownedUntil };
}
