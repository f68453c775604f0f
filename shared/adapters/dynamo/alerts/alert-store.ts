import { NotifierError } from '#shared/core/errors.ts';
import type { Delivery } from '#shared/flow/deliveries.ts';
import type { Alert } from '#shared/people/alert.ts';
import type {
  AlertStore,
  ChannelBacklog,
  RevertedHours,
  SealedMessage,
} from '#shared/people/flow/collection.ts';
import { MAX_SEALED_MESSAGES } from '#shared/people/release.ts';
import { hoursAtReversalSchema } from '#shared/people/reverted-hours.ts';
import { ATTRIBUTE, type Item, toAttributes } from '../attributes.ts';
import { writeBatches } from '../batches.ts';
import { toDeliveryItem } from '../deliveries/delivery-ledger.ts';
import { deleteItem, getItem, putItem, putItemIf, readJsonItem, readSortKey, toJsonItem } from '../items.ts';
import { toDeliveryKey, toKeyAttributes, toRevertedHoursKey } from '../keys.ts';
import { queryItems, queryPages } from '../queries.ts';
import { Table, type TableOptions } from '../table.ts';
import { transact } from '../transactions.ts';
import {
  type AlertTarget,
  buildAddition,
  buildRevisionUpdate,
  readRevisionItem,
  readSealedItem,
  readWaitingId,
  readWaitingItem,
  SEALED,
  toAlertsPartition,
  toRevisionKey,
  toSealedItem,
  toSealedKey,
  WAITING,
} from './alert-items.ts';

/** Tries to add an alert while other writers hold its ledger entry. */
const MAX_TRIES = 5;
/** The message is not finished, and no other run claimed it. */
const OWNED_AS_BEFORE = '#ownedUntil = :before';

export interface AlertStoreOptions extends TableOptions {
  /** Names of the channels in the ledger of deliveries. */
  readonly destinations: ReadonlyMap<string, string>;
}

/**
 * The alert store in the one table. The ledger of deliveries has which alerts a channel got. Throws as
 * `createDynamoStore` does, `channel_unknown`, `seal_too_large`, and `store_contended` (retryable) when other
 * writers keep holding the ledger entry of an alert.
 */
export function createAlertStore(options: AlertStoreOptions): AlertStore {
  const table = new Table(options);
  const target = (channel: string): AlertTarget => {
    const destination = options.destinations.get(channel);
    if (destination !== undefined) return { channel, destination };
    throw new NotifierError(
      'channel_unknown',
      `there is no channel "${channel}"; name it in people.channels`,
    );
  };
  return {
    add: (channel, alerts, expiresAt) => addAll(table, target(channel), { alerts, expiresAt }),
    open: (channel, max) => open(table, channel, max),
    seal: (channel, revision, messages) => seal(table, { channel, revision, messages }),
    claim: (channel, sealed, ownedUntil) => claim(table, channel, { sealed, ownedUntil }),
    finish: (channel, sealed, at) => finish(table, target(channel), { sealed, ...at }),
  };
}

interface Addition {
  readonly alerts: readonly Alert[];
  readonly expiresAt: number;
}

async function addAll(table: Table, target: AlertTarget, { alerts, expiresAt }: Addition): Promise<number> {
  let added = 0;
  await table.inBatches(alerts, async (alert) => {
    if (await add(table, target, { alert, expiresAt })) added += 1;
    return null;
  });
  return added;
}

/** Returns whether the channel did not have the alert yet. */
async function add(
  table: Table,
  target: AlertTarget,
  { alert, expiresAt }: { readonly alert: Alert; readonly expiresAt: number },
): Promise<boolean> {
  const writes = buildAddition(target, alert, expiresAt);
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const outcome = await transact(table, { operation: 'addAlert', writes });
    if (outcome === 'committed') return true;
    // DynamoDB can refuse both of two concurrent transactions: only the ledger entry shows that one was committed.
    const entry = await getItem(table, 'loadDelivery', toDeliveryKey(alert.id, target.destination));
    if (entry !== null) return false;
  }
  throw new NotifierError(
    'store_contended',
    `cannot add alert ${alert.id} for "${target.channel}": other writers hold its ledger entry; a retry follows`,
    { retryable: true },
  );
}

/**
 * Three reads, in this order. A run that seals after the first read makes the caller's own sealing a conflict. A run that
 * finishes a message after the second read deletes alerts which are left out here anyway; in another order they would
 * seem to wait.
 */
async function open(table: Table, channel: string, max: number): Promise<ChannelBacklog> {
  const revisionItem = await getItem(table, 'openChannel', toRevisionKey(channel));
  const partition = toAlertsPartition(channel);
  const items = await queryItems(table, { operation: 'openChannel', partition, prefix: SEALED });
  const sealed = items.map(readSealedItem).sort(compareByInstant);
  const taken = new Set(sealed.flatMap(({ alertIds }) => alertIds));
  const waiting: Alert[] = [];
  for await (const page of queryPages(table, { operation: 'openChannel', partition, prefix: WAITING })) {
    const free = page.filter((item) => !taken.has(readWaitingId(item)));
    const alerts = free.map(readWaitingItem).filter((alert) => alert !== null);
    waiting.push(...alerts.slice(0, max - waiting.length));
    if (waiting.length >= max) break;
  }
  return {
    revision: revisionItem === null ? null : readRevisionItem(revisionItem),
    waiting: waiting.sort((a, b) => a.at - b.at || (a.sequence ?? 0) - (b.sequence ?? 0)),
    sealed,
  };
}

function compareByInstant({ message: a }: SealedMessage, { message: b }: SealedMessage): number {
  return (a?.at ?? 0) - (b?.at ?? 0);
}

interface Sealing {
  readonly channel: string;
  readonly revision: number | null;
  readonly messages: readonly SealedMessage[];
}

async function seal(
  table: Table,
  { channel, revision, messages }: Sealing,
): Promise<'committed' | 'conflict'> {
  if (messages.length > MAX_SEALED_MESSAGES) {
    throw new NotifierError(
      'seal_too_large',
      `cannot seal ${messages.length} messages for "${channel}" at once; at most ${MAX_SEALED_MESSAGES} fit one transaction`,
    );
  }
  const puts = messages.map((message) => ({ Put: { Item: toSealedItem(channel, message) } }));
  const writes = [buildRevisionUpdate(channel, revision), ...puts];
  return await transact(table, { operation: 'sealMessages', writes });
}

interface Claim {
  readonly sealed: SealedMessage;
  readonly ownedUntil: number;
}

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

/** Deletes the message last: while it exists, its alerts do not count as waiting, so that a repetition is safe. */
async function finish(
  table: Table,
  { channel, destination }: AlertTarget,
  { sealed, now, expiresAt }: Finish,
) {
  const { message, alertIds } = sealed;
  const key = toSealedKey(channel, sealed);
  if ((await getItem(table, 'finishMessage', key)) === null) return;
  const waiting = await findWaitingKeys(table, channel, alertIds);
  const detail =
    message === null ? 'cancelled out, or counted in another message' : `in message ${message.id}`;
  const entries = [...new Set(alertIds)].map(
    (eventId): Delivery => ({ eventId, destination, outcome: 'delivered', at: now, attempts: 1, detail }),
  );
  await writeBatches(table, 'finishMessage', [
    ...waiting.map((Key) => ({ DeleteRequest: { Key } })),
    ...entries.map((entry) => ({ PutRequest: { Item: toDeliveryItem(entry, expiresAt) } })),
  ]);
  await deleteItem(table, 'finishMessage', key);
}

/** Keys of the alerts that still wait. */
async function findWaitingKeys(table: Table, channel: string, alertIds: readonly string[]): Promise<Item[]> {
  const missing = new Set(alertIds);
  const keys: Item[] = [];
  const partition = toAlertsPartition(channel);
  for await (const page of queryPages(table, { operation: 'finishMessage', partition, prefix: WAITING })) {
    for (const item of page)
      if (missing.delete(readWaitingId(item)))
        keys.push(toKeyAttributes({ partition, sort: readSortKey(item) }));
    if (missing.size === 0) break;
  }
  return keys;
}

/** In the one table. Throws as `createDynamoStore` does. */
export function createRevertedHours(options: TableOptions): RevertedHours {
  const table = new Table(options);
  return {
    load: async (eventId) => {
      const item = await getItem(table, 'loadRevertedHours', toRevertedHoursKey(eventId));
      return item === null ? null : readJsonItem(hoursAtReversalSchema, item);
    },
    save: (eventId, hours, expiresAt) =>
      putItem(table, 'saveRevertedHours', toJsonItem(toRevertedHoursKey(eventId), hours, expiresAt)),
  };
}
