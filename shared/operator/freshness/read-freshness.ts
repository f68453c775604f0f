import { createDynamoSnapshotStore } from '#shared/adapters/dynamo/snapshot/snapshot-store.ts';
import { readObjectives } from '#shared/config/schema/objectives.ts';
import { collectOutboxEntries } from '#shared/core/commit/outbox.ts';
import { type FeedKey, type FeedName, isDirectoryFeed } from '#shared/core/feeds.ts';
import type { Delivery } from '#shared/flow/deliveries.ts';
import { type CauseContext, findCause, Troubles } from '#shared/freshness/causes.ts';
import {
  computeSeconds,
  type MeasuredEvent,
  measureEvent,
  type Unmeasured,
} from '#shared/freshness/freshness.ts';
import {
  type Arrival,
  type Objectives,
  type PlaceFreshness,
  summarizeArrivals,
} from '#shared/freshness/report.ts';
import type { LoggedBatch } from '#shared/replay/flow/replay-events.ts';
import { selectEvents } from '#shared/replay/selection.ts';
import { deliverableEventSchema } from '#shared/webhooks/delivery-message.ts';
import {
  createCandidateTest,
  type FoundDelivery,
  type LedgerReceiver,
  withDeliveries,
} from '../deliveries/find-deliveries.ts';
import { type LogQuery, openEventLog } from '../log-query.ts';
import { type Target, toTableOptions } from '../target.ts';

/** Events whose deliveries are read together. */
const EVENTS_AT_ONCE = 500;
const MINUTE_MS = 60_000;

/** Freshness at a receiver. */
export interface ReceiverFreshness extends PlaceFreshness {
  readonly to: string;
  /** Events before the first that was tried: perhaps from before the receiver was there. They do not count. */
  readonly untried: number;
  /** Events that came by a replay alone, and do not count. */
  readonly replayed: number;
}

/** Freshness of the selected events. Seconds are those of the target's clock. */
export interface FreshnessReport {
  /** Of the config, in seconds. */
  readonly objectives: Objectives;
  readonly publication: PlaceFreshness;
  readonly receivers: readonly ReceiverFreshness[];
  /** Webhooks of a sample company, which run in real time beside its own. */
  readonly unmeasuredReceivers: readonly string[];
  /** Selected events that have no freshness, by reason. */
  readonly unmeasured: Readonly<Record<Unmeasured, number>>;
}

/** An event of the log that has a freshness. Instants in milliseconds since 1970. */
interface LoggedEvent {
  readonly event: MeasuredEvent;
  readonly eventId: string;
  readonly text: string;
  readonly committedAt: number;
  /** Null while it waits. */
  readonly publishedAt: number | null;
  readonly context: CauseContext;
}

/** Reads the event log and the ledger of deliveries. Throws a `NotifierError`. */
export async function readFreshness(
  queries: readonly LogQuery[],
  wanted: readonly LedgerReceiver[],
  target: Target,
): Promise<FreshnessReport> {
  const untimed = wanted.filter(({ interest }) => interest !== null && target.webhooksInRealTime === true);
  const receivers = wanted.filter((receiver) => !untimed.includes(receiver));
  const publication: Arrival[] = [];
  const unmeasured: Record<Unmeasured, number> = { untimed: 0, first_sight: 0, restore: 0 };
  const places = receivers.map((receiver) => ({ receiver, deliveries: [] as ReceivedEvent[] }));
  const mayHave = createCandidateTest(target);
  const take = async (some: readonly LoggedEvent[]) => {
    publication.push(...some.map(toPublication));
    const candidates = some.flatMap((each) => {
      const event = deliverableEventSchema.parse(JSON.parse(each.text));
      return receivers
        .filter((receiver) => mayHave(receiver, event))
        .map((receiver) => ({ ...each, receiver }));
    });
    for await (const { text: _, ...each } of withDeliveries(candidates, target))
      places.find(({ receiver }) => receiver === each.receiver)?.deliveries.push(each);
  };
  let waiting: LoggedEvent[] = [];
  for await (const each of readLogged(queries, target)) {
    if (typeof each === 'string') unmeasured[each] += 1;
    else waiting.push(each);
    if (waiting.length < EVENTS_AT_ONCE) continue;
    await take(waiting);
    waiting = [];
  }
  await take(waiting);
  const objectives = readObjectives(target.config.objectives);
  return {
    objectives,
    publication: summarizeArrivals(publication, objectives),
    receivers: places.map(({ receiver, deliveries }) => summarizeReceiver(receiver, deliveries, objectives)),
    unmeasuredReceivers: untimed.map(({ label }) => label),
    unmeasured,
  };
}

async function* readLogged(
  queries: readonly LogQuery[],
  target: Target,
): AsyncGenerator<LoggedEvent | Unmeasured, void> {
  for (const query of queries) for (const feed of query.feeds) yield* readFeed(feed, query, target);
}

async function* readFeed(
  feed: FeedName,
  query: LogQuery,
  target: Target,
): AsyncGenerator<LoggedEvent | Unmeasured, void> {
  const { name, timeZone } = query.connection;
  const key = { connection: name, feed };
  const known = await loadKnown(key, target);
  const context = { ...known, timeZone, now: target.system.now() };
  for await (const batch of openEventLog(target).read(key, query)) {
    for (const text of batch.texts) known.troubles.learn(text);
    for (const { text } of selectEvents(batch.texts, query)) {
      const event = measureEvent(text, known);
      yield typeof event === 'string'
        ? event
        : { event, eventId: event.id, text, ...findPublished(batch, text, known), context };
    }
  }
}

/** What the table says of a feed besides its log. */
interface KnownOfFeed extends Pick<CauseContext, 'troubles' | 'pollEveryMs'> {
  readonly restoredAt: number | undefined;
  /** Batches that wait, by pointer: positions of their events that do, or null for all. */
  readonly waiting: ReadonlyMap<string, ReadonlySet<number> | null>;
}

async function loadKnown(feed: FeedKey, target: Target): Promise<KnownOfFeed> {
  const store = createDynamoSnapshotStore(toTableOptions(target));
  const stored = await store.loadFeedState(feed);
  const ofSlices = collectOutboxEntries(await store.loadHeads(feed, '')).map(({ pointer }) => pointer);
  const held = stored?.state.held ?? {};
  const troubles = new Troubles();
  if (stored !== null) troubles.learnState(stored.state);
  return {
    troubles,
    pollEveryMs: readPollMinutes(feed.feed, target) * MINUTE_MS,
    restoredAt: stored?.state.restoredAt,
    waiting: new Map(
      [...(stored?.outbox ?? []), ...ofSlices].map((pointer) => {
        const positions = held[pointer]?.map(([position]) => position);
        return [pointer, positions === undefined ? null : new Set(positions)];
      }),
    ),
  };
}

/** Nothing of the directory is measured. */
function readPollMinutes(feed: FeedName, { config: { schedules } }: Target): number {
  return schedules[isDirectoryFeed(feed) ? 'pay-periods' : feed].everyMinutes;
}

function findPublished(
  { pointer, committedAt, publishedAt = committedAt, texts }: LoggedBatch,
  text: string,
  { waiting }: KnownOfFeed,
): Pick<LoggedEvent, 'committedAt' | 'publishedAt'> {
  const positions = waiting.get(pointer);
  const waits = positions === null || positions?.has(texts.indexOf(text)) === true;
  return { committedAt, publishedAt: waits ? null : publishedAt };
}

function toPublication({ text: _, eventId, ...logged }: LoggedEvent): Arrival {
  const { event, publishedAt, context } = logged;
  return {
    event,
    seconds: computeSeconds(event, publishedAt ?? context.now),
    outcome: publishedAt === null ? 'waiting' : 'arrived',
    findCause: () => findCause(logged, context),
  };
}

/** A measured event at a receiver that it is for. */
type ReceivedEvent = Omit<LoggedEvent, 'text'> & Pick<FoundDelivery, 'delivery'>;

/** An alert that was cancelled by another one was in no message. */
const IN_MESSAGE = /^in message /;

function summarizeReceiver(
  { label, interest }: LedgerReceiver,
  deliveries: readonly ReceivedEvent[],
  objectives: Objectives,
): ReceiverFreshness {
  const isWebhook = interest !== null;
  const tried = deliveries.flatMap(({ delivery, ...each }) => (delivery === null ? [] : [each.committedAt]));
  const firstTriedAt = tried.reduce((first, at) => Math.min(first, at), Number.POSITIVE_INFINITY);
  const untried = deliveries.filter((each) => each.delivery === null && each.committedAt < firstTriedAt);
  const replayed = deliveries.filter(({ delivery }) => delivery?.replayed === true);
  const left = new Set([...untried, ...replayed]);
  const counted = deliveries
    .filter((each) => !left.has(each))
    .filter(({ delivery }) => isWebhook || delivery === null || !isCancelled(delivery));
  // People get digests, and nothing in quiet hours: that is not late.
  const judged = isWebhook ? objectives : {};
  return {
    to: label,
    ...summarizeArrivals(
      counted.map((each) => toAcceptance(each, judged)),
      judged,
    ),
    untried: untried.length,
    replayed: replayed.length,
  };
}

function isCancelled({ outcome, detail }: Delivery): boolean {
  return outcome === 'delivered' && !IN_MESSAGE.test(detail ?? '');
}

function toAcceptance({ delivery, ...logged }: ReceivedEvent, objectives: Objectives): Arrival {
  const { event, publishedAt, context } = logged;
  const publishedSeconds = computeSeconds(event, publishedAt ?? context.now);
  const isLatePublished = publishedSeconds > (objectives[event.class] ?? Number.POSITIVE_INFINITY);
  const findReason = () => (isLatePublished ? findCause(logged, context) : 'receiver');
  const common = { event, findCause: findReason };
  switch (delivery?.outcome) {
    case 'delivered':
      return {
        ...common,
        seconds: computeSeconds(event, delivery.acceptedAt ?? delivery.at),
        outcome: 'arrived',
      };
    case 'failed':
      return { ...common, seconds: computeSeconds(event, context.now), outcome: 'lost' };
    case 'waiting':
    case 'filtered':
    case undefined:
      return { ...common, seconds: computeSeconds(event, context.now), outcome: 'waiting' };
  }
}
