import { computeDeliveryRetentionMs } from '../core/delivery-retention.ts';
import { describeFailure } from '../core/errors.ts';
import { isSnapshotType } from '../core/event-types.ts';
import { comparePositions } from '../core/events/event-order.ts';
import { hasMark } from '../core/message-marks.ts';
import { isOutOfOrder, type PendingDelivery, readDelivery } from '../core/webhooks/delivery-message.ts';
import { isFor } from '../core/webhooks/filter.ts';
import {
  decideTurn,
  isNext,
  listPredecessorIds,
  needsMark,
  type Turn,
  toCursorName,
  toOrderKey,
} from '../core/webhooks/ordering.ts';
import type { Delivery } from './deliveries.ts';
import type { BatchResult, QueueMessage } from './system.ts';
import { attemptDelivery, MAX_ATTEMPT_MS } from './webhooks/attempt-delivery.ts';
import { checkDisabled } from './webhooks/check-disabled.ts';
import {
  giveUp,
  moveCursor,
  recordDelivery,
  reportRecovery,
  sendAgain,
  settle,
} from './webhooks/settle-delivery.ts';
import {
  DELIVERY_RESULTS,
  type DeliveryResult,
  type WebhookPorts,
  type WebhookRun,
} from './webhooks/webhook-run.ts';

/** Delay of an event for which there was no time. */
const RETURN_DELAY_MS = 5_000;

interface ParsedMessage {
  readonly message: QueueMessage;
  /** Null when the message is not an event of this product. */
  readonly delivery: PendingDelivery | null;
}

interface Handled {
  readonly message: QueueMessage;
  readonly result: DeliveryResult;
}

/** `deadline` in milliseconds since 1970. */
export interface WebhookBatch extends Pick<WebhookRun, 'webhook' | 'deadline'> {
  readonly messages: readonly QueueMessage[];
  /** Days for which deliveries are remembered. */
  readonly retentionDays: number;
}

/**
 * Delivers events to an endpoint: messages -> deliveries -> attempts -> results. Records are processed concurrently,
 * the events of one record in order. An event that is not delivered is sent to the queue again or given up. When
 * something of this product fails, the message is returned as failed, and the queue redelivers it.
 */
export async function deliverWebhooks(batch: WebhookBatch, ports: WebhookPorts): Promise<BatchResult> {
  const startedAt = ports.clock.now();
  const run = await startRun(batch, ports);
  const parsed = batch.messages.map((message) => parseMessage(message, startedAt));
  const records = groupByRecord(parsed);
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
    retentionMs: computeDeliveryRetentionMs(batch.retentionDays),
    disabled: await checkDisabled(webhook, ports),
    disabling: null,
  };
}

function parseMessage(message: QueueMessage, now: number): ParsedMessage {
  const replayed = hasMark(message.attributes, 'replayed');
  const example = hasMark(message.attributes, 'example');
  return { message, delivery: readDelivery(message.body, { now, replayed, example }) };
}

/** Groups messages by record, in the order of their events. An example or a snapshot is a group of its own. */
function groupByRecord(parsed: readonly ParsedMessage[]): ParsedMessage[][] {
  const records = Map.groupBy(parsed, ({ message, delivery }) => {
    if (delivery === null || delivery.example) return `#${message.id}`;
    const { event } = delivery;
    return isSnapshotType(event.type) ? `#${event.id}` : toOrderKey(event);
  });
  const positionOf = ({ delivery }: ParsedMessage) => delivery?.event ?? { sequence: 0 };
  return [...records.values()].map((each) =>
    each.sort((a, b) => comparePositions(positionOf(a), positionOf(b))),
  );
}

async function handleInTurn(parsed: readonly ParsedMessage[], run: WebhookRun): Promise<Handled[]> {
  const handled: Handled[] = [];
  for (const each of parsed) {
    // With an order, the events behind an interrupted one are interrupted as well.
    const isBehind = run.webhook.order === 'record' && handled.at(-1)?.result === 'interrupted';
    handled.push({ message: each.message, result: isBehind ? 'interrupted' : await handle(each, run) });
  }
  return handled;
}

async function handle({ message, delivery }: ParsedMessage, run: WebhookRun): Promise<DeliveryResult> {
  try {
    return delivery === null ? await refuse(message, run) : await deliver(delivery, run);
  } catch (error) {
    run.ports.telemetry.report({
      outcome: 'delivery.interrupted',
      webhook: run.webhook.name,
      messageId: message.id,
      eventId: delivery?.event.id ?? null,
      reason: describeFailure(error),
    });
    return 'interrupted';
  }
}

/** A message that cannot be parsed is given up; a retry would not help. */
async function refuse(message: QueueMessage, { ports, webhook }: WebhookRun): Promise<DeliveryResult> {
  await ports.queue.giveUp(message.body);
  ports.telemetry.report({ outcome: 'delivery.refused', webhook: webhook.name, messageId: message.id });
  return 'refused';
}

async function deliver(received: PendingDelivery, run: WebhookRun): Promise<DeliveryResult> {
  const now = run.ports.clock.now();
  if (!run.disabled) {
    if (received.dueAt > now) return postpone(received, run);
    if (now + MAX_ATTEMPT_MS > run.deadline) {
      await keepUnsentPlace(received, run);
      return postpone({ ...received, dueAt: now + RETURN_DELAY_MS }, run);
    }
  }
  const known = await run.ports.ledger.load(received.event.id, run.destination);
  const delivery = { ...received, failedAt: known?.failedAt ?? received.failedAt };
  if (!delivery.replayed && (known?.outcome === 'delivered' || known?.outcome === 'filtered')) {
    await moveCursor(delivery, run);
    await reportRecovery(delivery, known, run);
    return 'repeated';
  }
  // A replay to this queue bypasses the filter of SNS.
  const wanted = isFor(delivery.event, run.webhook);
  if (wanted && run.disabled) {
    return giveUp(delivery, { attempts: delivery.attempt, reason: 'disabled' }, run);
  }
  if (run.webhook.order === 'record' && !isOutOfOrder(delivery)) {
    return deliverInOrder(delivery, { known, wanted }, run);
  }
  return wanted ? settle(delivery, await attemptDelivery(delivery, run), run) : 'filtered';
}

/** Later events of its record wait for an event that was received, also when there was no time to send it. */
async function keepUnsentPlace(delivery: PendingDelivery, run: WebhookRun): Promise<void> {
  if (run.webhook.order === 'none' || isOutOfOrder(delivery)) return;
  const known = await run.ports.ledger.load(delivery.event.id, run.destination);
  await keepPlace(delivery, { known, reason: delivery.lastReason }, run);
}

/** Marks an event as waiting, so that later ones of its record wait for it. */
async function keepPlace(
  delivery: PendingDelivery,
  { known, reason }: { readonly known: Delivery | null; readonly reason: string | null },
  run: WebhookRun,
): Promise<void> {
  if (!needsMark(known, run.ports.clock.now())) return;
  const entry = { outcome: 'waiting', attempts: delivery.attempt, detail: reason } as const;
  await recordDelivery(delivery, entry, run);
}

/** Delivers the events of a record in their order. */
async function deliverInOrder(
  delivery: PendingDelivery,
  { known, wanted }: { readonly known: Delivery | null; readonly wanted: boolean },
  run: WebhookRun,
): Promise<DeliveryResult> {
  const { lastReason } = delivery;
  const now = run.ports.clock.now();
  const turn = await loadTurn(delivery, run);
  if (turn.turn === 'wait') {
    await keepPlace(delivery, { known, reason: 'order' }, run);
    await sendAgain({ ...delivery, dueAt: now + turn.delayMs, lastReason: lastReason ?? 'order' }, run);
    return 'held';
  }
  if (!wanted) {
    // Only an event that waited is in the ledger.
    if (known !== null)
      await recordDelivery(delivery, { outcome: 'filtered', attempts: 0, detail: null }, run);
    await moveCursor(delivery, run);
    return 'filtered';
  }
  // Before the attempt, so that later events wait even if this process ends during it.
  await keepPlace(delivery, { known, reason: lastReason }, run);
  return settle(delivery, await attemptDelivery(delivery, run), run);
}

async function loadTurn({ event, firstAt }: PendingDelivery, run: WebhookRun): Promise<Turn> {
  const { stateStore, clock } = run.ports;
  const cursor = await stateStore.loadCursor(run.webhook.name, toCursorName(event));
  const now = clock.now();
  if (isNext(event.sequence, cursor)) return { turn: 'now' };
  const ids = listPredecessorIds(event, { cursor, waitedMs: now - firstAt });
  const predecessor = await loadFirst(ids, run);
  return decideTurn(event.sequence, { cursor, predecessor }, { now, firstAt });
}

/** The first entry of the ledger that exists. */
async function loadFirst(
  ids: readonly string[],
  { ports, destination }: WebhookRun,
): Promise<Delivery | null> {
  for (const id of ids) {
    const known = await ports.ledger.load(id, destination);
    if (known !== null) return known;
  }
  return null;
}

async function postpone(delivery: PendingDelivery, run: WebhookRun): Promise<DeliveryResult> {
  await sendAgain(delivery, run);
  return 'put_off';
}

function reportBatch(handled: readonly Handled[], { ports, webhook }: WebhookRun, startedAt: number): void {
  // A retry that is hours away is received every 15 minutes; that is not worth a line.
  if (handled.every(({ result }) => result === 'put_off' || result === 'held')) return;
  const counts = DELIVERY_RESULTS.map((result) => [
    result,
    handled.filter((each) => each.result === result).length,
  ]);
  ports.telemetry.report({
    outcome: 'deliveries.handled',
    webhook: webhook.name,
    messages: handled.length,
    ...Object.fromEntries(counts),
    duration_ms: ports.clock.now() - startedAt,
  });
}
