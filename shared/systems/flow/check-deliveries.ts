import type { CheckRequest } from '#shared/config/requests/check-request.ts';
import { parseJsonOrNull } from '#shared/core/parse-json.ts';
import type { DeliveryIndex } from '#shared/flow/deliveries.ts';
import type { EventLog } from '#shared/flow/event-log.ts';
import type { LogItem } from '#shared/flow/poll/ports.ts';
import type { Clock, Telemetry } from '#shared/flow/system.ts';
import { deliverableEventSchema } from '../delivery-message.ts';
import { isFor } from '../filter.ts';
import {
  CHECKED_MS,
  followInterest,
  isWithheld,
  type KnownInterest,
  WITHHELD_AFTER_MS,
} from '../withheld.ts';

/** Remembers since when webhooks want what they want. */
export interface InterestStore {
  load(webhook: string): Promise<KnownInterest | null>;
  save(webhook: string, interest: KnownInterest): Promise<void>;
}

export interface CheckPorts {
  readonly log: EventLog;
  readonly deliveryStore: DeliveryIndex;
  readonly interests: InterestStore;
  /** ARNs and addresses that are subscribed to a topic; none to one that is gone. */
  readonly listEndpoints: (topicArn: string) => Promise<ReadonlySet<string>>;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
}

export interface CheckOrder {
  readonly request: CheckRequest;
  /** When it must have ended, in milliseconds since 1970. */
  readonly deadline: number;
}

export interface CheckReport {
  /** Events that a webhook wants and that were looked up, each for each webhook. */
  readonly checked: number;
  readonly withheld: number;
  /** Subscriptions of the stack that are gone. */
  readonly unsubscribed: number;
}

/** Deliveries that are looked up together. */
const AT_ONCE = 100;

/**
 * Compares what was published and is wanted with what was tried, and what is to be subscribed with what is. Each trouble
 * is a line `deliveries.withheld`, which the alarm counts. A topic that refuses events for longer than that is heard here
 * as well: what was committed counts as published.
 */
export async function findWithheldDeliveries(order: CheckOrder, ports: CheckPorts): Promise<CheckReport> {
  const startedAt = ports.clock.now();
  const unsubscribed = await reportUnsubscribed(order.request, ports);
  const { checked, withheld } = await reportWithheld(order, ports);
  const counts = { checked, withheld, unsubscribed };
  const duration_ms = ports.clock.now() - startedAt;
  ports.telemetry.report({ outcome: 'deliveries.checked', ...counts, duration_ms });
  return counts;
}

async function reportUnsubscribed({ subscriptions }: CheckRequest, ports: CheckPorts): Promise<number> {
  const { listEndpoints, telemetry } = ports;
  let missing = 0;
  for (const [topicArn, wanted] of Map.groupBy(subscriptions, (each) => each.topicArn)) {
    const endpoints = await listEndpoints(topicArn);
    for (const { endpoint } of wanted.filter((each) => !endpoints.has(each.endpoint))) {
      const named = { receiver: nameOf(endpoint), topic: nameOf(topicArn) };
      telemetry.report({ outcome: 'deliveries.withheld', reason: 'unsubscribed', ...named });
      missing += 1;
    }
  }
  return missing;
}

/** The last part of an ARN. */
function nameOf(arn: string): string {
  return arn.slice(arn.lastIndexOf(':') + 1);
}

interface Wanted {
  readonly webhook: string;
  readonly eventId: string;
}

interface Found {
  events: number;
  readonly first: string;
}

async function reportWithheld(
  order: CheckOrder,
  ports: CheckPorts,
): Promise<{ checked: number; withheld: number }> {
  const { clock, telemetry } = ports;
  const now = clock.now();
  const found = new Map<string, Found>();
  let checked = 0;
  for await (const wanted of inGroups(readWanted(order, now, ports))) {
    checked += wanted.length;
    for (const { webhook, eventId } of await findWithheld(wanted, now, ports)) {
      const known = found.get(webhook) ?? { events: 0, first: eventId };
      known.events += 1;
      found.set(webhook, known);
    }
    if (clock.now() >= order.deadline) break;
  }
  let withheld = 0;
  for (const [webhook, { events, first }] of found) {
    const line = { reason: 'untried', receiver: `webhook-${webhook}`, events, eventId: first };
    telemetry.report({ outcome: 'deliveries.withheld', ...line });
    withheld += events;
  }
  return { checked, withheld };
}

async function findWithheld(
  wanted: readonly Wanted[],
  now: number,
  { deliveryStore }: CheckPorts,
): Promise<Wanted[]> {
  const asked = wanted.map(({ webhook, eventId }) => ({ eventId, destination: `webhook/${webhook}` }));
  const known = await deliveryStore.loadMany(asked);
  const byKey = new Map(known.map((each) => [`${each.destination} ${each.eventId}`, each]));
  return wanted.filter(({ webhook, eventId }) =>
    isWithheld(byKey.get(`webhook/${webhook} ${eventId}`) ?? null, now),
  );
}

/** Events of the time in question, each with each webhook that wanted it then. */
async function* readWanted(
  { request }: CheckOrder,
  now: number,
  ports: CheckPorts,
): AsyncGenerator<Wanted, void> {
  const webhooks = await listInterested(request, now, ports);
  if (webhooks.length === 0) return;
  for await (const { committedAt, texts } of readPublished(request, now - WITHHELD_AFTER_MS, ports)) {
    const interested = webhooks.filter(({ since }) => since <= committedAt);
    if (interested.length === 0) continue;
    for (const text of texts) yield* listWanted(text, interested);
  }
}

/** Commits of the time in question. */
async function* readPublished(
  { connections }: CheckRequest,
  to: number,
  { log }: CheckPorts,
): AsyncGenerator<LogItem, void> {
  for (const connection of connections) yield* log.read(connection, { from: to - CHECKED_MS, to });
}

type Interested = CheckRequest['webhooks'][number] & Pick<KnownInterest, 'since'>;

/** Remembers an interest that is new. */
async function listInterested(
  { webhooks }: CheckRequest,
  now: number,
  { interests }: CheckPorts,
): Promise<Interested[]> {
  const interested: Interested[] = [];
  for (const webhook of webhooks) {
    const known = await interests.load(webhook.name);
    const interest = followInterest(known, webhook, now);
    if (interest !== known) await interests.save(webhook.name, interest);
    if (!webhook.paused) interested.push({ ...webhook, since: interest.since });
  }
  return interested;
}

/** A text that is no event is skipped. */
function listWanted(text: string, webhooks: readonly Interested[]): Wanted[] {
  const event = deliverableEventSchema.safeParse(parseJsonOrNull(text));
  if (!event.success) return [];
  const { id: eventId } = event.data;
  return webhooks.filter((each) => isFor(event.data, each)).map(({ name }) => ({ webhook: name, eventId }));
}

async function* inGroups<Each>(all: AsyncGenerator<Each, void>): AsyncGenerator<Each[], void> {
  let group: Each[] = [];
  for await (const each of all) {
    group.push(each);
    if (group.length < AT_ONCE) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}
