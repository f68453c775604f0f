import type { Webhook } from '../config/schema/webhook.ts';
import { NotifierError } from '../core/errors.ts';
import { comparePositions } from '../core/events/event-order.ts';
import { isOutOfOrder, type PendingDelivery, readDelivery } from '../core/webhooks/delivery-message.ts';
import { isFor } from '../core/webhooks/filter.ts';
import {
  cursorName,
  isNext,
  needsMark,
  predecessorId,
  recordOf,
  type Turn,
  turnOf,
} from '../core/webhooks/ordering.ts';
import type { BatchResult, Delivery, QueueMessage } from '../delivery-ports.ts';
import { ATTEMPT_MS, attemptDelivery } from './webhooks/attempt-delivery.ts';
import { advance, giveUp, note, sendAgain, settle } from './webhooks/settle-delivery.ts';
import { RESULTS, type Result, type WebhookPorts, type WebhookRun } from './webhooks/webhook-run.ts';

/** When an event comes back that there was no time for. */
const NEXT_TURN_MS = 5_000;
/** What happened to an event is known for longer than its delivery can take. */
const LEAST_RETENTION_MS = 14 * 86_400_000;

/** A message that was read; `delivery` is null when it is no event of ours. */
interface Arrived {
  readonly message: QueueMessage;
  readonly delivery: PendingDelivery | null;
}

interface Handled {
  readonly message: QueueMessage;
  readonly result: Result;
}

/** A batch of messages for a webhook. Instants and times in milliseconds. */
export interface WebhookBatch extends Pick<WebhookRun, 'webhook' | 'deadline' | 'retentionMs'> {
  readonly messages: readonly QueueMessage[];
  /** The message attribute that marks what was published before. */
  readonly replayedAttribute: string;
  /** And the one that marks an example. */
  readonly exampleAttribute: string;
}

/**
 * Hands events to an endpoint: messages -> deliveries -> attempts -> what became of each. Records are worked on at the
 * same time, the events of one by one in their order. What is not delivered is sent to the queue again, given up, or,
 * when something of our own fails, left for the queue to give it out again: the ids that are returned.
 */
export async function deliverWebhooks(batch: WebhookBatch, ports: WebhookPorts): Promise<BatchResult> {
  const startedAt = ports.clock.now();
  const run = await startRun(batch, ports);
  const arrived = batch.messages.map((message) => arrivedAs(message, batch, startedAt));
  const records = byRecord(arrived);
  const handled = (await Promise.all(records.map((each) => handleInTurn(each, run)))).flat();
  reportBatch(handled, run, startedAt);
  return {
    failed: handled.filter(({ result }) => result === 'interrupted').map(({ message }) => message.id),
  };
}

async function startRun(batch: WebhookBatch, ports: WebhookPorts): Promise<WebhookRun> {
  const { webhook, deadline } = batch;
  return {
    ports,
    webhook,
    destination: `webhook/${webhook.name}`,
    deadline,
    retentionMs: Math.max(batch.retentionMs, LEAST_RETENTION_MS),
    disabled: await isDisabled(webhook, ports),
    disabling: null,
  };
}

/** Another address in the config is another endpoint, and what the one before answered does not count any more. */
async function isDisabled({ name, url }: Webhook, { book }: WebhookPorts): Promise<boolean> {
  const disabled = await book.loadDisabled(name);
  if (disabled === null || disabled.url === url) return disabled?.told ?? false;
  await book.saveDisabled(name, null);
  return false;
}

function arrivedAs(message: QueueMessage, batch: WebhookBatch, now: number): Arrived {
  const replayed = message.attributes[batch.replayedAttribute] === 'true';
  const example = message.attributes[batch.exampleAttribute] === 'true';
  return { message, delivery: readDelivery(message.body, { now, replayed, example }) };
}

/** Messages of the same record together, the earlier events first; an example is of none. */
function byRecord(arrived: readonly Arrived[]): Arrived[][] {
  const records = Map.groupBy(arrived, ({ message, delivery }) =>
    delivery === null || delivery.example ? `#${message.id}` : recordOf(delivery.event),
  );
  const positionOf = ({ delivery }: Arrived) => delivery?.event ?? { sequence: 0 };
  return [...records.values()].map((each) =>
    each.sort((a, b) => comparePositions(positionOf(a), positionOf(b))),
  );
}

async function handleInTurn(arrived: readonly Arrived[], run: WebhookRun): Promise<Handled[]> {
  const handled: Handled[] = [];
  for (const each of arrived) {
    // Where the order counts, those behind one that comes back come back with it.
    const behind = run.webhook.order === 'record' && handled.at(-1)?.result === 'interrupted';
    handled.push({ message: each.message, result: behind ? 'interrupted' : await handle(each, run) });
  }
  return handled;
}

async function handle({ message, delivery }: Arrived, run: WebhookRun): Promise<Result> {
  try {
    return delivery === null ? await refuse(message, run) : await deliver(delivery, run);
  } catch (error) {
    run.ports.telemetry.report({
      outcome: 'delivery.interrupted',
      webhook: run.webhook.name,
      messageId: message.id,
      eventId: delivery?.event.id ?? null,
      reason: error instanceof NotifierError ? error.code : nameOf(error),
    });
    return 'interrupted';
  }
}

/** What is no event of ours will be none however often it is read. */
async function refuse(message: QueueMessage, { ports, webhook }: WebhookRun): Promise<Result> {
  await ports.queue.giveUp(message.body);
  ports.telemetry.report({ outcome: 'delivery.refused', webhook: webhook.name, messageId: message.id });
  return 'refused';
}

async function deliver(delivery: PendingDelivery, run: WebhookRun): Promise<Result> {
  const { ledger, clock } = run.ports;
  const now = clock.now();
  if (!run.disabled) {
    if (delivery.dueAt > now) return putOff(delivery, run);
    if (now + ATTEMPT_MS > run.deadline) return putOff({ ...delivery, dueAt: now + NEXT_TURN_MS }, run);
  }
  const known = await ledger.load(delivery.event.id, run.destination);
  if (!delivery.replayed && (known?.outcome === 'delivered' || known?.outcome === 'filtered')) {
    await advance(delivery, run);
    return 'repeated';
  }
  // What SNS filters for us it does not when somebody sends an event to the queue itself, as a replay does.
  const wanted = isFor(delivery.event, run.webhook);
  if (wanted && run.disabled) {
    return giveUp(delivery, { attempts: delivery.attempt, reason: 'disabled' }, run);
  }
  if (run.webhook.order === 'record' && !isOutOfOrder(delivery)) {
    return deliverInOrder(delivery, { known, wanted }, run);
  }
  return wanted ? settle(delivery, await attemptDelivery(delivery, run), run) : 'filtered';
}

/** The endpoint gets the events of a record in their order. */
async function deliverInOrder(
  delivery: PendingDelivery,
  { known, wanted }: { readonly known: Delivery | null; readonly wanted: boolean },
  run: WebhookRun,
): Promise<Result> {
  const { attempt, lastReason } = delivery;
  const now = run.ports.clock.now();
  const turn = await turnFor(delivery, run);
  if (turn.turn === 'wait') {
    if (needsMark(known, now)) await note(delivery, waiting(attempt, 'order'), run);
    await sendAgain({ ...delivery, dueAt: now + turn.delayMs, lastReason: lastReason ?? 'order' }, run);
    return 'held';
  }
  if (!wanted) {
    // Only what waited is in the ledger, and waits no more.
    if (known !== null) await note(delivery, { outcome: 'filtered', attempts: 0, detail: null }, run);
    await advance(delivery, run);
    return 'filtered';
  }
  // Before the attempt, so that those after it wait for it even if this process ends in the middle.
  if (needsMark(known, now)) await note(delivery, waiting(attempt, lastReason), run);
  return settle(delivery, await attemptDelivery(delivery, run), run);
}

async function turnFor({ event, firstAt }: PendingDelivery, run: WebhookRun): Promise<Turn> {
  const { book, ledger, clock } = run.ports;
  const cursor = await book.loadCursor(run.webhook.name, cursorName(event));
  const before = isNext(event.sequence, cursor) ? null : predecessorId(event);
  const predecessor = before === null ? null : await ledger.load(before, run.destination);
  return turnOf(event.sequence, { cursor, predecessor }, { now: clock.now(), firstAt });
}

async function putOff(delivery: PendingDelivery, run: WebhookRun): Promise<Result> {
  await sendAgain(delivery, run);
  return 'put_off';
}

function waiting(attempts: number, detail: string | null) {
  return { outcome: 'waiting', attempts, detail } as const;
}

function reportBatch(handled: readonly Handled[], { ports, webhook }: WebhookRun, startedAt: number): void {
  // A retry that is hours away comes by every quarter of an hour: that is nothing to tell.
  if (handled.every(({ result }) => result === 'put_off' || result === 'held')) return;
  const counts = RESULTS.map((result) => [result, handled.filter((each) => each.result === result).length]);
  ports.telemetry.report({
    outcome: 'deliveries.handled',
    webhook: webhook.name,
    messages: handled.length,
    ...Object.fromEntries(counts),
    duration_ms: ports.clock.now() - startedAt,
  });
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : 'unknown error';
}
