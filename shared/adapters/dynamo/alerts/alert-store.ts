import { type TransactWriteItem, TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb';
import { TABLE } from '#shared/config/table.ts';
import type { Alert } from '#shared/core/alerts/alert.ts';
import type { CommitOutcome } from '#shared/core/commit/commit-step.ts';
import { NotifierError } from '#shared/core/errors.ts';
import type { AlertStore, ChannelBacklog, SealedMessage } from '#shared/ports/alerts.ts';
import type { Delivery } from '#shared/ports/deliveries.ts';
import { ATTRIBUTE, type Item, toAttributes } from '../attributes.ts';
import { toDeliveryItem } from '../deliveries/delivery-ledger.ts';
import { deleteItem, getItem, putItemIf, queryItems, queryPages, sortOf } from '../items.ts';
import { deliveryKey, keyAttributes } from '../keys.ts';
import { writeBatches } from '../snapshot/leaves.ts';
import { Table, type TableOptions } from '../table.ts';
import {
  type AlertTarget,
  alertsPartition,
  buildAddition,
  buildRevisionUpdate,
  readRevisionItem,
  readSealedItem,
  readWaitingItem,
  revisionKey,
  SEALED,
  sealedKey,
  toSealedItem,
  WAITING,
  waitingId,
} from './alert-items.ts';
import { loadProcessing, saveProcessing } from './alert-processing.ts';

/** Times that an alert is added while others write its mark. */
const MAX_TRIES = 5;
/** Nobody else claimed the message, and it is not finished. */
const OWNED_AS_BEFORE = `#ownedUntil = :before OR (attribute_exists(${TABLE.partitionKey}) AND attribute_not_exists(#ownedUntil))`;
/** Messages that one transaction seals, besides the revision of the channel. */
const MAX_SEALED_MESSAGES = 50;

export interface AlertStoreOptions extends TableOptions {
  /** What each channel is called in the ledger of deliveries. */
  readonly destinations: ReadonlyMap<string, string>;
}

/**
 * Alerts on their way to people, in the one table. That a channel was given an alert is marked in the ledger of
 * deliveries. Throws as `createDynamoSnapshotStore` does, and `store_contended` (retryable) when others write the same
 * mark all the time.
 */
export function createAlertStore(options: AlertStoreOptions): AlertStore {
  const table = new Table(options);
  const target = (channel: string): AlertTarget => {
    const destination = options.destinations.get(channel);
    if (destination !== undefined) return { channel, destination };
    throw new NotifierError(
      'channel_unknown',
      `there is no channel "${channel}"; name it in alerts.channels`,
    );
  };
  return {
    add: (channel, alerts, expiresAt) => addAll(table, target(channel), { alerts, expiresAt }),
    open: (channel, most) => open(table, channel, most),
    seal: (channel, revision, messages) => seal(table, { channel, revision, messages }),
    claim: (channel, sealed, ownedUntil) => claim(table, channel, { sealed, ownedUntil }),
    finish: (channel, sealed, at) => finish(table, target(channel), { sealed, ...at }),
    loadProcessing: (connection, payPeriodId) => loadProcessing(table, connection, payPeriodId),
    saveProcessing: (key, processing) => saveProcessing(table, key, processing),
  };
}

interface Given {
  readonly alerts: readonly Alert[];
  readonly expiresAt: number;
}

async function addAll(table: Table, target: AlertTarget, { alerts, expiresAt }: Given): Promise<number> {
  let added = 0;
  await table.inParts(alerts, async (alert) => {
    if (await add(table, target, { alert, expiresAt })) added += 1;
    return null;
  });
  return added;
}

/** Whether the channel had to be given it. */
async function add(
  table: Table,
  target: AlertTarget,
  given: { alert: Alert; expiresAt: number },
): Promise<boolean> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const outcome = await transact(table, 'addAlert', buildAddition(table, target, given));
    if (outcome === 'committed') return true;
    // Two that add it at once can both be refused: only the mark says that one of them was not.
    const mark = await getItem(table, 'loadDelivery', deliveryKey(given.alert.id, target.destination));
    if (mark !== null) return false;
  }
  throw new NotifierError(
    'store_contended',
    `alert ${given.alert.id} cannot be added for "${target.channel}": others write its mark all the time; it is tried again`,
    { retryable: true },
  );
}

/**
 * Three reads, in this order. Who seals after the first makes our own sealing a conflict. Who finishes a message after
 * the second takes away alerts that we leave out anyhow; read the other way round, they would seem to wait.
 */
async function open(table: Table, channel: string, most: number): Promise<ChannelBacklog> {
  const revisionItem = await getItem(table, 'openChannel', revisionKey(channel));
  const partition = alertsPartition(channel);
  const items = await queryItems(table, { operation: 'openChannel', partition, start: SEALED });
  const sealed = items.map(readSealedItem).sort(compareBySeen);
  const taken = new Set(sealed.flatMap(({ alertIds }) => alertIds));
  const waiting: Alert[] = [];
  for await (const page of queryPages(table, { operation: 'openChannel', partition, start: WAITING })) {
    const free = page.filter((item) => !taken.has(waitingId(item)));
    const known = free.map(readWaitingItem).filter((alert) => alert !== null);
    waiting.push(...known.slice(0, most - waiting.length));
    if (waiting.length >= most) break;
  }
  return {
    revision: revisionItem === null ? null : readRevisionItem(revisionItem),
    waiting: waiting.sort((a, b) => a.at - b.at || (a.sequence ?? 0) - (b.sequence ?? 0)),
    sealed,
  };
}

function compareBySeen({ message: a }: SealedMessage, { message: b }: SealedMessage): number {
  return (a?.at ?? 0) - (b?.at ?? 0);
}

interface Sealing {
  readonly channel: string;
  readonly revision: number | null;
  readonly messages: readonly SealedMessage[];
}

async function seal(table: Table, { channel, revision, messages }: Sealing): Promise<CommitOutcome> {
  if (messages.length > MAX_SEALED_MESSAGES) {
    throw new NotifierError(
      'seal_too_large',
      `${messages.length} messages for "${channel}" at once; at most ${MAX_SEALED_MESSAGES} are sealed together`,
    );
  }
  const puts = messages.map((message) => ({
    Put: { TableName: table.name, Item: toSealedItem(channel, message) },
  }));
  return await transact(table, 'sealMessages', [buildRevisionUpdate(table, channel, revision), ...puts]);
}

async function transact(
  table: Table,
  operation: string,
  TransactItems: TransactWriteItem[],
): Promise<CommitOutcome> {
  const { ReturnConsumedCapacity } = table.settings;
  const { outcome } = await table.attempt({
    operation,
    kind: 'write',
    send: (client) => client.send(new TransactWriteItemsCommand({ ReturnConsumedCapacity, TransactItems })),
  });
  return outcome === 'done' ? 'committed' : 'conflict';
}

interface Claim {
  readonly sealed: SealedMessage;
  readonly ownedUntil: number;
}

/** The same message under a new owner, if it is still as it was opened. */
async function claim(table: Table, channel: string, { sealed, ownedUntil }: Claim): Promise<boolean> {
  return await putItemIf(table, 'claimMessage', {
    item: toSealedItem(channel, { ...sealed, ownedUntil }),
    condition: {
      ConditionExpression: OWNED_AS_BEFORE,
      ExpressionAttributeNames: { '#ownedUntil': ATTRIBUTE.end },
      ExpressionAttributeValues: toAttributes({ ':before': sealed.ownedUntil }),
    },
  });
}

interface Finish {
  readonly sealed: SealedMessage;
  readonly now: number;
  readonly expiresAt: number;
}

/** The message goes last: as long as it is there, its alerts do not wait, whatever of this was done. */
async function finish(
  table: Table,
  { channel, destination }: AlertTarget,
  { sealed, now, expiresAt }: Finish,
) {
  const { message, alertIds } = sealed;
  const key = sealedKey(channel, sealed);
  if ((await getItem(table, 'finishMessage', key)) === null) return;
  const waiting = await findWaitingKeys(table, channel, alertIds);
  const detail =
    message === null ? 'cancelled out, or counted in another message' : `in message ${message.id}`;
  const marks = [...new Set(alertIds)].map(
    (eventId): Delivery => ({ eventId, destination, outcome: 'delivered', at: now, attempts: 1, detail }),
  );
  await writeBatches(table, 'finishMessage', [
    ...waiting.map((Key) => ({ DeleteRequest: { Key } })),
    ...marks.map((mark) => ({ PutRequest: { Item: toDeliveryItem(mark, expiresAt) } })),
  ]);
  await deleteItem(table, 'finishMessage', key);
}

/** The keys under which alerts wait; some may be gone already. */
async function findWaitingKeys(table: Table, channel: string, alertIds: readonly string[]): Promise<Item[]> {
  const missing = new Set(alertIds);
  const keys: Item[] = [];
  const partition = alertsPartition(channel);
  for await (const page of queryPages(table, { operation: 'finishMessage', partition, start: WAITING })) {
    for (const item of page)
      if (missing.delete(waitingId(item))) keys.push(keyAttributes({ partition, sort: sortOf(item) }));
    if (missing.size === 0) break;
  }
  return keys;
}
