import { createDeliveryIndex } from '#shared/adapters/dynamo/deliveries/delivery-store.ts';
import { CHAT_KINDS } from '#shared/config/schema/chat-kind.ts';
import { findNeededTypes, findTypesNeededOnlyLate } from '#shared/config/schema/people.ts';
import { toIso } from '#shared/core/dates.ts';
import { EVENT_TYPES } from '#shared/core/event-types.ts';
import type { Delivery } from '#shared/flow/deliveries.ts';
import { type DeliverableEvent, deliverableEventSchema } from '#shared/systems/delivery-message.ts';
import { isFor, mayBeFor } from '#shared/systems/filter.ts';
import { selectEvents } from '#shared/systems/selection.ts';
import { type LogQuery, openEventLog } from '../log-query.ts';
import type { Receiver } from '../receivers.ts';
import { type Target, toTableOptions } from '../target.ts';

/** Events whose deliveries are read together. */
const EVENTS_AT_ONCE = 500;

/** What became of one event at one receiver. */
export interface FoundDelivery {
  readonly receiver: Receiver;
  readonly connection: string;
  readonly timeZone: string;
  readonly eventId: string;
  /** Full name. */
  readonly type: string;
  readonly record: string | null;
  /** RFC 3339. */
  readonly committedAt: string;
  /** Null when no attempt is known yet. */
  readonly delivery: Delivery | null;
  /** The CloudEvent as JSON, byte for byte as it was published. */
  readonly text: string;
}

/**
 * Deliveries of the selected events to receivers, in the order of the log. Each receiver gets only what is for it. The
 * deliveryStore is not asked of what the config does not send: it would cost a read for each event of the log and each receiver.
 */
export async function* findDeliveries(
  queries: readonly LogQuery[],
  receivers: readonly Receiver[],
  target: Target,
): AsyncGenerator<FoundDelivery, void> {
  let waiting: FoundDelivery[] = [];
  for await (const candidate of readCandidates(queries, receivers, target)) {
    waiting.push(candidate);
    if (waiting.length < EVENTS_AT_ONCE) continue;
    yield* withDeliveries(waiting, target);
    waiting = [];
  }
  yield* withDeliveries(waiting, target);
}

/** Every event with every receiver that may have it. */
async function* readCandidates(
  queries: readonly LogQuery[],
  receivers: readonly Receiver[],
  target: Target,
): AsyncGenerator<FoundDelivery, void> {
  const log = openEventLog(target);
  const mayHave = createCandidateTest(target);
  for (const query of queries) {
    const { connection, types, record: only, ...stretch } = query;
    const { name, timeZone } = connection;
    for await (const { committedAt, texts } of log.read(name, stretch)) {
      for (const { type, text } of selectEvents(texts, { types, record: only })) {
        const parsed = deliverableEventSchema.parse(JSON.parse(text));
        const { id: eventId, subject: record = null } = parsed;
        const event = { timeZone, eventId, type, record, committedAt: toIso(committedAt), text };
        const wanted = receivers.filter((receiver) => mayHave(receiver, parsed));
        yield* wanted.map((receiver) => ({ ...event, connection: name, receiver, delivery: null }));
      }
    }
  }
}

/** Whether the config sends events like one to a receiver. True for a type that this version does not know. */
function createCandidateTest({ config: { people } }: Target) {
  const alerted: ReadonlySet<string> = new Set([...findNeededTypes(people).values()].flat());
  const alertedLate: ReadonlySet<string> = findTypesNeededOnlyLate(people);
  return ({ interest }: Receiver, { type, data }: DeliverableEvent): boolean => {
    if (interest !== null) return mayBeFor(type, interest);
    if (!EVENT_TYPES.some((known) => known === type)) return true;
    return alerted.has(type) && (!alertedLate.has(type) || (data.late ?? []).length > 0);
  };
}

/** Adds what the delivery store knows of events at receivers; leaves out what is not for a receiver. */
async function* withDeliveries(
  candidates: readonly FoundDelivery[],
  target: Target,
): AsyncGenerator<FoundDelivery, void> {
  const loaded = await loadDeliveries(
    candidates.map(({ eventId, receiver: { destination } }) => ({ eventId, destination })),
    target,
  );
  const known = new Map(loaded.map((each) => [`${each.eventId} ${each.destination}`, each]));
  for (const candidate of candidates) {
    const { eventId, receiver, text } = candidate;
    const delivery = known.get(`${eventId} ${receiver.destination}`) ?? null;
    if (delivery !== null || isExpected(text, receiver)) yield { ...candidate, delivery };
  }
}

/** As the table has an event that is in a message to a channel of Slack or Teams. */
const IN_MESSAGE = /^in message (?<id>\S+)$/;
const OF_CHAT = new RegExp(`^(?:${CHAT_KINDS.join('|')})/`);

/**
 * What the delivery store knows of events at destinations. An event that is in a message of a chat waits until the delivery store says
 * that the channel took the message.
 */
export async function loadDeliveries(
  asked: readonly Pick<Delivery, 'eventId' | 'destination'>[],
  target: Target,
): Promise<readonly Delivery[]> {
  const deliveryStore = createDeliveryIndex(toTableOptions(target));
  const loaded = await deliveryStore.loadMany(asked);
  const messageOf = ({ destination, detail }: Delivery) =>
    OF_CHAT.test(destination) ? IN_MESSAGE.exec(detail ?? '')?.groups?.id : undefined;
  const messages = loaded.flatMap((each) => {
    const eventId = messageOf(each);
    return eventId === undefined ? [] : { eventId, destination: each.destination };
  });
  const distinct = new Map(messages.map((each) => [`${each.eventId} ${each.destination}`, each]));
  const taken = new Map(
    (await deliveryStore.loadMany([...distinct.values()])).map((each) => [
      `${each.eventId} ${each.destination}`,
      each.at,
    ]),
  );
  return loaded.map((each) => {
    const message = messageOf(each);
    if (message === undefined) return each;
    const takenAt = taken.get(`${message} ${each.destination}`);
    if (takenAt !== undefined) return { ...each, at: Math.max(each.at, takenAt) };
    const detail = `in message ${message}, not known to be taken`;
    return { ...each, outcome: 'waiting', attempts: 0, detail };
  });
}

function isExpected(text: string, { interest }: Receiver): boolean {
  return interest !== null && isFor(deliverableEventSchema.parse(JSON.parse(text)), interest);
}
