import { NotifierError } from '#shared/core/errors.ts';
import type { Delivery } from '#shared/flow/deliveries.ts';
import { computeDelaySeconds, type DeliveryDecision } from '../decide.ts';
import {
  buildDeliveryFailedEvent,
  buildDeliveryRecoveredEvent,
  buildWebhookDisabledEvent,
  isAboutWebhook,
} from '../delivery-events.ts';
import { type PendingDelivery, writeDelivery } from '../delivery-message.ts';
import type { DeliveryResult, WebhookRun } from './webhook-run.ts';

type DeliveryEntry = Omit<Delivery, 'eventId' | 'destination' | 'at'>;

/**
 * Carries out the decision after an attempt. The message is sent on last: when something fails before, it is
 * redelivered and everything is repeated.
 */
export async function carryOut(
  delivery: PendingDelivery,
  decision: DeliveryDecision,
  run: WebhookRun,
): Promise<DeliveryResult> {
  const { attempts } = decision;
  switch (decision.decision) {
    case 'delivered': {
      const { failedAt } = delivery;
      const recovered = failedAt === undefined ? {} : { failedAt };
      const entry = { outcome: 'delivered', attempts, detail: null, ...listAnswers(delivery) } as const;
      const recorded = await recordDelivery(delivery, { ...entry, ...recovered }, run);
      await reportRecovery(delivery, recorded, run);
      return 'delivered';
    }
    case 'retry': {
      const { dueAt, reason } = decision;
      const history = listAnswers(delivery, reason);
      const entry = { outcome: 'waiting', attempts, detail: reason, ...history, nextAt: dueAt } as const;
      if (!delivery.sentAgain) await recordDelivery(delivery, entry, run);
      await sendAgain({ ...delivery, ...history, attempt: attempts, dueAt, lastReason: reason }, run);
      return 'retried';
    }
    case 'give_up': {
      const failedAt = delivery.failedAt ?? (await publishFailure(delivery, decision, run));
      return giveUp({ ...delivery, failedAt }, decision, run);
    }
    case 'disable':
      run.disabling ??= disable(delivery, decision.reason, run);
      await run.disabling;
      return giveUp(delivery, decision, run);
  }
}

/** Sends an event to the dead-letter queue, from where it can be redriven. */
export async function giveUp(
  delivery: PendingDelivery,
  { attempts, reason }: { readonly attempts: number; readonly reason: string },
  run: WebhookRun,
): Promise<DeliveryResult> {
  const { queue, clock } = run.ports;
  // Without a further attempt, the reason is no answer: the webhook is disabled.
  const history = listAnswers(delivery, ...(attempts > delivery.attempt ? [reason] : []));
  const { failedAt } = delivery;
  const since = failedAt === undefined ? {} : { failedAt };
  await recordFailure(delivery, { outcome: 'failed', attempts, detail: reason, ...history, ...since }, run);
  // Redriven, it starts over, so its answers are not kept with it.
  const letter = { ...delivery, attempt: attempts, lastReason: reason, answers: undefined };
  await queue.giveUp(writeDelivery(letter, clock.now()));
  return 'given_up';
}

/** Why its attempts failed, the last one included; nothing when none failed. */
function listAnswers({ answers = [] }: PendingDelivery, ...last: readonly string[]) {
  const all = [...answers, ...last];
  return all.length === 0 ? {} : { answers: all };
}

/** Sends an event to the queue again, delayed until it is due, or for the maximum of SQS. */
export async function sendAgain(
  delivery: PendingDelivery,
  { ports }: WebhookRun,
  body = writeDelivery(delivery),
): Promise<void> {
  await ports.queue.sendLater(body, computeDelaySeconds(delivery.dueAt, ports.clock.now()));
}

/** Writes the outcome of an event into the delivery store. Returns what it wrote. */
async function recordDelivery(
  { event }: PendingDelivery,
  entry: DeliveryEntry,
  { destination, retentionMs, ports }: WebhookRun,
): Promise<Delivery> {
  const at = ports.clock.now();
  const delivery = { eventId: event.id, destination, at, ...entry };
  await ports.deliveryStore.save(delivery, at + retentionMs);
  return delivery;
}

/** Tells that an event was delivered after all, if it was told that it was given up, and remembers that. */
export async function reportRecovery(
  { event }: PendingDelivery,
  delivered: Delivery,
  run: WebhookRun,
): Promise<void> {
  const { failedAt, ...record } = delivered;
  if (failedAt === undefined || delivered.outcome !== 'delivered') return;
  const { webhook, ports, retentionMs } = run;
  const failed = { webhook: webhook.name, event, failedAt };
  await publish(buildDeliveryRecoveredEvent(failed, delivered.at), run);
  await ports.deliveryStore.save(record, delivered.at + retentionMs);
}

/** A failed copy does not overwrite that the event was delivered. */
async function recordFailure(
  delivery: PendingDelivery,
  entry: DeliveryEntry,
  run: WebhookRun,
): Promise<void> {
  const known = await run.ports.deliveryStore.load(delivery.event.id, run.destination);
  if (known?.outcome === 'delivered') return;
  await recordDelivery(delivery, entry, run);
}

/** Returns when it was published; undefined when it was not. */
async function publishFailure(
  delivery: PendingDelivery,
  { reason }: { readonly reason: string },
  run: WebhookRun,
): Promise<number | undefined> {
  const { event, firstAt } = delivery;
  if (isAboutWebhook(event)) return undefined;
  const failedAt = run.ports.clock.now();
  const failed = { webhook: run.webhook.name, event, failedAt };
  await publish(buildDeliveryFailedEvent(failed, { reason, firstAt }), run);
  return failedAt;
}

/**
 * Saves the state, publishes that, then marks it as published. The first run to save determines the
 * instant, so that concurrent or repeated runs publish the same event, byte for byte.
 */
async function disable({ event }: PendingDelivery, reason: string, run: WebhookRun): Promise<void> {
  const { name, url } = run.webhook;
  const { stateStore, clock } = run.ports;
  const { connection } = event;
  const saved = await stateStore.saveDisabledIfAbsent(name, {
    url,
    at: clock.now(),
    reason,
    connection,
    told: false,
  });
  if (!saved.told) {
    await publish(buildWebhookDisabledEvent(name, saved), run);
    await stateStore.saveDisabled(name, { ...saved, told: true });
  }
  run.disabled = true;
}

async function publish(text: string, { ports, webhook }: WebhookRun): Promise<void> {
  const { unpublished } = await ports.publisher.publish('operations', [text]);
  if (unpublished.length === 0) return;
  throw new NotifierError(
    'publish_failed',
    `cannot publish an event about webhook ${webhook.name} to the topic operations; the delivery is tried again`,
    { retryable: true },
  );
}
