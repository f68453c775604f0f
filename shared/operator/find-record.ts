import * as z from 'zod';
import type { Connection } from '#shared/config/schema/connection.ts';
import { listPolledFeeds, listPublishedFeeds } from '#shared/config/schema/directory.ts';
import type { NotifierConfig } from '#shared/config/schema/notifier-config.ts';
import { toIso } from '#shared/core/dates.ts';
import { sourceOf } from '#shared/core/event-types.ts';
import { comparePositions } from '#shared/core/events/event-order.ts';
import { FEED_NAMES, type FeedKey, type FeedName } from '#shared/core/feeds.ts';
import type { State } from '#shared/core/records/fields.ts';
import { believeHead, believeState } from '#shared/core/snapshot/believable.ts';
import { EMPTY_STATE } from '#shared/core/snapshot/state.ts';
import { readState } from '#shared/core/snapshot/stored-state.ts';
import type { Delivery } from '#shared/flow/deliveries.ts';
import type { Store } from '#shared/flow/poll/ports.ts';
import { walkRows } from '#shared/flow/stored-records.ts';
import { readDelivery } from '#shared/systems/delivery-message.ts';
import { type Interest, isFor } from '#shared/systems/filter.ts';
import { selectEvents } from '#shared/systems/selection.ts';
import { loadDeliveries } from './deliveries/find-deliveries.ts';
import {
  type Explanation,
  explainMissing,
  explainRecord,
  type KnownRecord,
  type StoredConnection,
} from './explain-record.ts';
import { buildQueries, type LogFlags, type LogQuery, openEventLog } from './log-query.ts';
import { openStore } from './open-store.ts';
import { listReceivers, WITH_DELIVERIES } from './receivers.ts';
import type { Target } from './target.ts';

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
  /** False while it waits to be published. */
  readonly published: boolean;
  readonly deliveries: readonly Delivery[];
}

/** The history of a record in one feed of one connection. */
export interface FoundRecord {
  readonly connection: string;
  readonly timeZone: string;
  readonly feed: FeedName;
  readonly record: string;
  readonly chapters: readonly Chapter[];
  /** The watched values as last committed; null when none are stored. */
  readonly state: State | null;
  /** Events of the record so far; null when it is not stored. */
  readonly sequence: number | null;
  /** Why there is no newer event. */
  readonly why: readonly Explanation[];
}

/** Searches the log and the stored records of every feed for a record. */
export async function findRecord(
  flags: LogFlags & { readonly record: string },
  target: Target,
): Promise<FoundRecord[]> {
  const store = openStore(target);
  const found: FoundRecord[] = [];
  for (const query of buildQueries(flags, target)) {
    const { connection } = query;
    const { name, timeZone } = connection;
    const chapters = await readChapters({ ...query, record: flags.record }, { target, store });
    for (const feed of FEED_NAMES) {
      const own = chapters.filter(({ event }) => event.source === sourceOf(name, feed));
      const stored = await findStored({ connection: name, feed, record: flags.record }, store);
      if (own.length === 0 && stored === null) continue;
      const known = {
        ...{ feed, stored, lastType: own.at(-1)?.event.type ?? null },
        unpublished: own.filter(({ published }) => !published).length,
      };
      found.push({
        ...{ connection: name, timeZone, feed, record: flags.record, chapters: own },
        state: stored === null ? null : readState(feed, stored.row),
        sequence: stored?.row.sequence ?? null,
        why: explainRecord(known, await loadConnection(connection, { target, store })),
      });
    }
  }
  return found;
}

/** Why a record may be in no connection: reasons by the connection's name. */
export async function explainUnknown(target: Target): Promise<ReadonlyMap<string, readonly Explanation[]>> {
  const store = openStore(target);
  const explained = target.connections.map(
    async (connection) =>
      [connection.name, explainMissing(await loadConnection(connection, { target, store }))] as const,
  );
  return new Map(await Promise.all(explained));
}

interface Sources {
  readonly target: Target;
  readonly store: Store;
}

async function loadConnection(
  connection: Connection,
  { target: { config, system, speed }, store }: Sources,
): Promise<StoredConnection> {
  const { name } = connection;
  const now = system.now();
  const [state, heads] = await Promise.all([store.loadState(name), store.loadHeads(name)]);
  return {
    ...{ connection, now, speed },
    state: believeState(state ?? EMPTY_STATE, now),
    heads: heads.map((head) => believeHead(head, now)),
    ...{ polled: listPolledFeeds(config), published: listPublishedFeeds(config) },
  };
}

/** The events of a record, in their order, with what became of them. */
async function readChapters(
  { connection: { name }, record, ...stretch }: LogQuery & { readonly record: string },
  { target, store }: Sources,
): Promise<Chapter[]> {
  const { topics = {} } = (await store.loadState(name)) ?? {};
  const chapters: Omit<Chapter, 'deliveries'>[] = [];
  for await (const { key, topic, committedAt, texts } of openEventLog(target).read(name, stretch)) {
    const published = key <= (topics[topic]?.published ?? '');
    for (const { text } of selectEvents(texts, { record })) {
      const event = recordEventSchema.safeParse(JSON.parse(text));
      if (event.success) chapters.push({ event: event.data, committedAt: toIso(committedAt), published });
    }
  }
  const destinations = listReceivers(WITH_DELIVERIES, target).map(({ destination }) => destination);
  const asked = chapters.flatMap(({ event }) =>
    destinations.toSorted().map((destination) => ({ eventId: event.id, destination })),
  );
  const byEvent = Map.groupBy(await loadDeliveries(asked, target), ({ eventId }) => eventId);
  return chapters
    .map((chapter) => ({ ...chapter, deliveries: byEvent.get(chapter.event.id) ?? [] }))
    .sort((a, b) => comparePositions(a.event, b.event));
}

async function findStored(
  { connection, feed, record }: FeedKey & { readonly record: string },
  store: Store,
): Promise<KnownRecord['stored']> {
  for await (const { slice, rows } of walkRows(connection, { feed, ids: [record] }, store))
    for (const row of rows) return { slice, row };
  return null;
}

/** Names of the receivers of the config that an event is for, and of those whose topics or filter leave it out. */
interface ExpectedReceivers {
  /** Whoever reads them is not known here. */
  readonly queues: readonly string[];
  readonly webhooks: readonly string[];
  readonly leftOut: readonly string[];
}

export function findExpectedReceivers(
  event: object,
  { queues, webhooks }: Pick<NotifierConfig, 'queues' | 'webhooks'>,
): ExpectedReceivers {
  const delivery = readDelivery(JSON.stringify(event), { now: 0, sentAgain: false })?.event;
  const receives = (receiver: Interest) => delivery !== undefined && isFor(delivery, receiver);
  const named = [
    ...queues.map((queue) => ({ kind: 'queue', ...queue })),
    ...webhooks.map((webhook) => ({ kind: 'webhook', ...webhook })),
  ];
  return {
    queues: queues.filter(receives).map(({ name }) => name),
    webhooks: webhooks.filter(receives).map(({ name }) => name),
    leftOut: named.filter((each) => !receives(each)).map(({ kind, name }) => `${kind} ${name}`),
  };
}
