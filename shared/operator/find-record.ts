import * as z from 'zod';
import { createDynamoSnapshotStore } from '#shared/adapters/dynamo/snapshot/snapshot-store.ts';
import type { NotifierConfig } from '#shared/config/schema/notifier-config.ts';
import { collectOutboxEntries } from '#shared/core/commit/outbox.ts';
import { toIso } from '#shared/core/dates.ts';
import { comparePositions } from '#shared/core/events/event-order.ts';
import type { FeedName } from '#shared/core/feeds.ts';
import { feedDefinition, type State, toState, WHOLE_LIST } from '#shared/core/records/feed-definition.ts';
import { toLeafRef } from '#shared/core/snapshot/snapshot.ts';
import type { Delivery } from '#shared/flow/deliveries.ts';
import type { SnapshotStore } from '#shared/flow/poll/ports.ts';
import { readDelivery } from '#shared/systems/delivery-message.ts';
import { type Interest, isFor } from '#shared/systems/filter.ts';
import { selectEvents } from '#shared/systems/selection.ts';
import { loadDeliveries } from './deliveries/find-deliveries.ts';
import { buildQueries, type LogFlags, type LogQuery, openEventLog } from './log-query.ts';
import { IN_LEDGER, listReceivers } from './receivers.ts';
import { type Target, toTableOptions } from './target.ts';

/** The parts of a record event that its explanation uses. */
const recordEventSchema = z.looseObject({
  id: z.string(),
  type: z.string(),
  source: z.string(),
  subject: z.string(),
  connection: z.string(),
  epoch: z.string().optional(),
  sequence: z.int(),
  time: z.string(),
  data: z.looseObject({
    current: z.record(z.string(), z.unknown()).nullish(),
    previous: z.record(z.string(), z.unknown()).nullish(),
    changed: z.array(z.string()).default([]),
    observed: z.object({ after: z.string().nullable(), by: z.string() }),
    occurredAt: z.string().nullish(),
    late: z.array(z.string()).default([]),
  }),
});
type RecordEvent = z.output<typeof recordEventSchema>;

/** One event in the history of a record. */
export interface Chapter {
  readonly event: RecordEvent;
  /** RFC 3339. */
  readonly committedAt: string;
  /** False while it waits in the outbox. */
  readonly published: boolean;
  /** Id of the poll that saw it; absent where no poll did. */
  readonly look?: string;
  readonly deliveries: readonly Delivery[];
}

/** The history of a record in one feed of one connection. */
export interface FoundRecord {
  readonly connection: string;
  readonly timeZone: string;
  readonly feed: FeedName;
  readonly record: string;
  readonly chapters: readonly Chapter[];
  /** The watched values as last committed; null when none are stored or the record was removed. */
  readonly state: State | null;
  /** Events of the record so far, by the snapshot; null when it is not in the snapshot. */
  readonly sequence: number | null;
}

/** Searches the log and the snapshots of every feed for a record. */
export async function findRecord(
  flags: LogFlags & { readonly record: string },
  target: Target,
): Promise<FoundRecord[]> {
  const found: FoundRecord[] = [];
  for (const query of buildQueries(flags, target)) {
    for (const feed of query.feeds) {
      const record = await findRecordInFeed(feed, { ...query, record: flags.record }, target);
      if (record.chapters.length > 0 || record.state !== null) found.push(record);
    }
  }
  return found;
}

type RecordQuery = LogQuery & { readonly record: string };

async function findRecordInFeed(feed: FeedName, query: RecordQuery, target: Target): Promise<FoundRecord> {
  const { connection, record } = query;
  const table = toTableOptions(target);
  const store = createDynamoSnapshotStore(table);
  const chapters = await readChapters(feed, query, { target, store });
  const destinations = listReceivers(IN_LEDGER, target).map(({ destination }) => destination);
  const sorted = destinations.sort();
  const deliveries = await loadDeliveries(
    chapters.flatMap(({ event }) => sorted.map((destination) => ({ eventId: event.id, destination }))),
    target,
  );
  const byEvent = Map.groupBy(deliveries, ({ eventId }) => eventId);
  const withDeliveries = chapters.map((chapter) => ({
    ...chapter,
    deliveries: byEvent.get(chapter.event.id) ?? [],
  }));
  const snapshot = await readSnapshotState(feed, query, { store, last: chapters.at(-1)?.event });
  const { name, timeZone } = connection;
  return { connection: name, timeZone, feed, record, chapters: withDeliveries, ...snapshot };
}

async function readChapters(
  feed: FeedName,
  query: RecordQuery,
  { target, store }: { readonly target: Target; readonly store: SnapshotStore },
): Promise<Omit<Chapter, 'deliveries'>[]> {
  const key = { connection: query.connection.name, feed };
  const chapters: Omit<Chapter, 'deliveries'>[] = [];
  const waiting = new Set([
    ...((await store.loadFeedState(key))?.outbox ?? []),
    ...collectOutboxEntries(await store.loadHeads(key, '')).map(({ pointer }) => pointer),
  ]);
  for await (const { pointer, committedAt, look, texts } of openEventLog(target).read(key, query)) {
    for (const { text } of selectEvents(texts, { record: query.record })) {
      const event = recordEventSchema.safeParse(JSON.parse(text));
      if (!event.success) continue;
      const at = toIso(committedAt);
      const looked = look === undefined ? {} : { look };
      chapters.push({ event: event.data, committedAt: at, published: !waiting.has(pointer), ...looked });
    }
  }
  return chapters.sort((a, b) => comparePositions(a.event, b.event));
}

/** The record as last committed: in the slice of its last event, or else in any slice. */
async function readSnapshotState(
  feed: FeedName,
  { connection, record }: RecordQuery,
  { store, last }: { readonly store: SnapshotStore; readonly last: RecordEvent | undefined },
): Promise<Pick<FoundRecord, 'state' | 'sequence'>> {
  const key = { connection: connection.name, feed };
  const date = last?.data.current?.date;
  const slice = feed === 'timesheets' ? date : WHOLE_LIST;
  const heads = await store.loadHeads(key, typeof slice === 'string' ? slice : '');
  const candidates = heads.filter((head) => typeof slice !== 'string' || head.slice === slice);
  const refs = candidates.map((head) => toLeafRef(head, record));
  const leaves = refs.length === 0 ? [] : await store.readLeaves(key, refs);
  const row = leaves.flatMap(({ rows }) => rows).find(({ id }) => id === record);
  if (row === undefined) return { state: null, sequence: null };
  return { state: toState(feedDefinition(feed), row.state), sequence: row.sequence };
}

/** Names of the receivers that an event is for, by the config. */
interface ExpectedReceivers {
  /** Whoever reads them is not known here. */
  readonly queues: readonly string[];
  readonly webhooks: readonly string[];
}

export function findExpectedReceivers(
  event: object,
  { queues, webhooks }: Pick<NotifierConfig, 'queues' | 'webhooks'>,
): ExpectedReceivers {
  const delivery = readDelivery(JSON.stringify(event), { now: 0, sentAgain: false })?.event;
  const receives = (receiver: Interest) => delivery !== undefined && isFor(delivery, receiver);
  return {
    queues: queues.filter(receives).map(({ name }) => name),
    webhooks: webhooks.filter(receives).map(({ name }) => name),
  };
}
