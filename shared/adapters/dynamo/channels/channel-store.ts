import { NotifierError } from '#shared/core/errors.ts';
import type { Delivery } from '#shared/flow/deliveries.ts';
import type { ChannelBacklog, ChannelStore, SealedMessage } from '#shared/people/flow/channel-store.ts';
import type { WaitingEvent } from '#shared/people/waiting-event.ts';
import { MAX_SEALED_MESSAGES } from '#shared/people/when.ts';
import { ATTRIBUTE, type Item, toAttributes } from '../attributes.ts';
import { writeBatches } from '../batches.ts';
import { toDeliveryItem } from '../deliveries/delivery-store.ts';
import { deleteItem, getItem, putItemIf, readSortKey } from '../items.ts';
import { toDeliveryKey, toKeyAttributes } from '../keys.ts';
import { queryItems, queryPages } from '../queries.ts';
import { Table, type TableOptions } from '../table.ts';
import { transact } from '../transactions.ts';
import {
  buildAddition,
  buildRevisionUpdate,
  type ChannelTarget,
  readRevisionItem,
  readSealedItem,
  readWaitingId,
  readWaitingItem,
  SEALED,
  toChannelPartition,
  toRevisionKey,
  toSealedItem,
  toSealedKey,
  WAITING,
} from './channel-items.ts';

/** Tries to add an event while other writers hold its delivery. */
const MAX_TRIES = 5;
/** The message is not finished, and no other run claimed it. */
const OWNED_AS_BEFORE = '#ownedUntil = :before';

export interface ChannelStoreOptions extends TableOptions {
  /** Names of the channels in the delivery store. */
  readonly destinations: ReadonlyMap<string, string>;
}

/**
 * The channel store in the one table. The delivery store has which events a channel got. Throws as
 * `createDynamoStore` does, `channel_unknown`, `seal_too_large`, and `store_contended` (retryable) when other
 * writers keep holding the delivery of an event.
 */
export function createChannelStore(options: ChannelStoreOptions): ChannelStore {
  const table = new Table(options);
  const target = (channel: string): ChannelTarget => {
    const destination = options.destinations.get(channel);
    if (destination !== undefined) return { channel, destination };
    throw new NotifierError(
      'channel_unknown',
      `there is no channel "${channel}"; name it in people.channels`,
    );
  };
  return {
    add: (channel, events, expiresAt) => addAll(table, target(channel), { events, expiresAt }),
    open: (channel, max) => open(table, channel, max),
    seal: (channel, revision, messages) => seal(table, { channel, revision, messages }),
    claim: (channel, sealed, ownedUntil) => claim(table, channel, { sealed, ownedUntil }),
    finish: (channel, sealed, at) => finish(table, target(channel), { sealed, ...at }),
  };
}

interface Addition {
  readonly events: readonly WaitingEvent[];
  readonly expiresAt: number;
}

async function addAll(table: Table, target: ChannelTarget, { events, expiresAt }: Addition): Promise<number> {
  let added = 0;
  await table.inBatches(events, async (event) => {
    if (await add(table, target, { event, expiresAt })) added += 1;
    return null;
  });
  return added;
}

/** Returns whether the channel did not have the event yet. */
async function add(
  table: Table,
  target: ChannelTarget,
  { event, expiresAt }: { readonly event: WaitingEvent; readonly expiresAt: number },
): Promise<boolean> {
  const writes = buildAddition(target, event, expiresAt);
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const outcome = await transact(table, { operation: 'addEvent', writes });
    if (outcome === 'committed') return true;
    // DynamoDB can refuse both of two concurrent transactions: only the delivery shows that one was committed.
    const entry = await getItem(table, 'loadDelivery', toDeliveryKey(event.id, target.destination));
    if (entry !== null) return false;
  }
  throw new NotifierError(
    'store_contended',
    `cannot add event ${event.id} for "${target.channel}": other writers hold its delivery; a retry follows`,
    { retryable: true },
  );
}

/**
 * Three reads, in this order. A run that seals after the first read makes the caller's own sealing a conflict. A run that
 * finishes a message after the second read deletes events which are left out here anyway; in another order they would
 * seem to wait.
 */
async function open(table: Table, channel: string, max: number): Promise<ChannelBacklog> {
  const revisionItem = await getItem(table, 'openChannel', toRevisionKey(channel));
  const partition = toChannelPartition(channel);
  const items = await queryItems(table, { operation: 'openChannel', partition, prefix: SEALED });
  const sealed = items.map(readSealedItem).sort(compareByInstant);
  const taken = new Set(sealed.flatMap(({ eventIds }) => eventIds));
  const waiting: WaitingEvent[] = [];
  for await (const page of queryPages(table, { operation: 'openChannel', partition, prefix: WAITING })) {
    const free = page.filter((item) => !taken.has(readWaitingId(item)));
    waiting.push(...free.slice(0, max - waiting.length).map(readWaitingItem));
    if (waiting.length >= max) break;
  }
  return {
    revision: revisionItem === null ? null : readRevisionItem(revisionItem),
    waiting: waiting.sort((a, b) => a.at - b.at),
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

/** Deletes the message last: while it exists, its events do not count as waiting, so that a repetition is safe. */
async function finish(
  table: Table,
  { channel, destination }: ChannelTarget,
  { sealed, now, expiresAt }: Finish,
) {
  const { message, eventIds } = sealed;
  const key = toSealedKey(channel, sealed);
  if ((await getItem(table, 'finishMessage', key)) === null) return;
  const waiting = await findWaitingKeys(table, channel, eventIds);
  const detail =
    message === null ? 'cancelled out, or counted in another message' : `in message ${message.id}`;
  const entries = [...new Set(eventIds)].map(
    (eventId): Delivery => ({ eventId, destination, outcome: 'delivered', at: now, attempts: 1, detail }),
  );
  await writeBatches(table, 'finishMessage', [
    ...waiting.map((Key) => ({ DeleteRequest: { Key } })),
    ...entries.map((entry) => ({ PutRequest: { Item: toDeliveryItem(entry, expiresAt) } })),
  ]);
  await deleteItem(table, 'finishMessage', key);
}

/** Keys of the events that still wait. */
async function findWaitingKeys(table: Table, channel: string, eventIds: readonly string[]): Promise<Item[]> {
  const missing = new Set(eventIds);
  const keys: Item[] = [];
  const partition = toChannelPartition(channel);
  for await (const page of queryPages(table, { operation: 'finishMessage', partition, prefix: WAITING })) {
    for (const item of page)
      if (missing.delete(readWaitingId(item)))
        keys.push(toKeyAttributes({ partition, sort: readSortKey(item) }));
    if (missing.size === 0) break;
  }
  return keys;
}
