import type { Webhook } from '#shared/config/schema/webhook.ts';
import { computeDeliveryRetentionMs } from '#shared/core/delivery-retention.ts';
import { describeFailure, NotifierError } from '#shared/core/errors.ts';
import { comparePositions } from '#shared/core/events/event-order.ts';
import { hasFlag } from '#shared/core/message-flags.ts';
import type { BatchResult, QueueMessage } from '#shared/flow/system.ts';
import { type DeliveryDecision, decideDelivery } from '../decide.ts';
import { buildWebhookEnabledEvent } from '../delivery-events.ts';
import { type PendingDelivery, readDelivery } from '../delivery-message.ts';
import type { DisabledWebhook } from '../disabled-webhook.ts';
import { isFor } from '../filter.ts';
import { mayHaveRefusedSignature } from '../judge-answer.ts';
import { carryOut, giveUp, reportRecovery, sendAgain } from './carry-out.ts';
import { noteAcceptance } from './note-acceptance.ts';
import {
  DELIVERY_RESULTS,
  type DeliveryResult,
  REQUEST_TIMEOUT_MS,
  type SignedHeaders,
  TOKEN_TIMEOUT_MS,
  type WebhookAnswer,
  type WebhookPorts,
  type WebhookRun,
  type WebhookSigner,
} from './webhook-run.ts';

/** Delay of an event for which there was no time. */
const RETURN_DELAY_MS = 5_000;

interface ParsedMessage {
  readonly message: QueueMessage;
  /** Null when the message is not an event of this product. */
  readonly delivery: PendingDelivery | null;
  /** It came in an envelope that says when it is due. */
  readonly isEarly: boolean;
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
 * the events of one record one after the other, so that most arrive in their order. An event that is not delivered is
 * sent to the queue again or given up. When something of this product fails, the message is returned as failed, and the
 * queue redelivers it.
 */
export async function deliverWebhooks(batch: WebhookBatch, ports: WebhookPorts): Promise<BatchResult> {
  const startedAt = ports.clock.now();
  const run = await startRun(batch, ports);
  const parsed = batch.messages.map((message) => parseMessage(message, startedAt));
  const records = groupByRecord(parsed);
  const handled = (await Promise.all(records.map((each) => handleInTurn(each, run)))).flat();
  reportBatch(handled, run, startedAt);
  if (handled.some(({ result }) => result === 'delivered')) await noteAcceptance(run);
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
  const sentAgain = hasFlag(message.attributes, 'sentAgain');
  const example = hasFlag(message.attributes, 'example');
  const delivery = readDelivery(message.body, { now, sentAgain, example });
  return { message, delivery, isEarly: delivery !== null && delivery.dueAt > now };
}

/** Groups messages by record, in the order of their events. */
function groupByRecord(parsed: readonly ParsedMessage[]): ParsedMessage[][] {
  const records = Map.groupBy(parsed, ({ message, delivery }) =>
    delivery === null ? message.id : `${delivery.event.source}#${delivery.event.subject}`,
  );
  const positionOf = ({ delivery }: ParsedMessage) => delivery?.event ?? { sequence: 0 };
  return [...records.values()].map((each) =>
    each.sort((a, b) => comparePositions(positionOf(a), positionOf(b))),
  );
}

async function handleInTurn(parsed: readonly ParsedMessage[], run: WebhookRun): Promise<Handled[]> {
  const handled: Handled[] = [];
  for (const each of parsed) handled.push({ message: each.message, result: await handle(each, run) });
  return handled;
}

async function handle(parsed: ParsedMessage, run: WebhookRun): Promise<DeliveryResult> {
  const { message, delivery, isEarly } = parsed;
  try {
    if (delivery === null) return await refuse(message, run);
    // Most receipts of an event whose retry is hours away: the same envelope waits on.
    const waits = isEarly && !run.disabled && delivery.dueAt > run.ports.clock.now();
    if (waits) await sendAgain(delivery, run, message.body);
    return waits ? 'put_off' : await deliver(delivery, run);
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
  if (!run.disabled && now > latestStart(run)) {
    await sendAgain({ ...received, dueAt: now + RETURN_DELAY_MS }, run);
    return 'put_off';
  }
  const known = await run.ports.deliveryStore.load(received.event.id, run.destination);
  const delivery = { ...received, failedAt: known?.failedAt ?? received.failedAt };
  if (!delivery.sentAgain && known?.outcome === 'delivered') {
    await reportRecovery(delivery, known, run);
    return 'repeated';
  }
  // What is sent to this queue by hand bypasses the filter of SNS.
  const wanted = isFor(delivery.event, run.webhook);
  if (wanted && run.disabled) {
    return giveUp(delivery, { attempts: delivery.attempt, reason: 'disabled' }, run);
  }
  return wanted ? carryOut(delivery, await attemptDelivery(delivery, run), run) : 'filtered';
}

function reportBatch(handled: readonly Handled[], { ports, webhook }: WebhookRun, startedAt: number): void {
  // A retry that is hours away is received every 15 minutes; that is not worth a line.
  if (handled.every(({ result }) => result === 'put_off')) return;
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

/** A new address in the config is a new endpoint, so the answer of the former one no longer counts. */
async function checkDisabled(webhook: Webhook, ports: WebhookPorts): Promise<boolean> {
  const disabled = await ports.stateStore.loadDisabled(webhook.name);
  if (disabled === null || disabled.url === webhook.url) return disabled?.told ?? false;
  await enable(disabled, webhook, ports);
  return false;
}

/**
 * Publishes that the webhook is in use again, if it was told that it is disabled, and forgets that. The instant
 * is saved first, so that concurrent or repeated runs publish the same event, byte for byte. Events are delivered whether
 * or not this succeeds; then the next batch does it.
 */
async function enable(
  disabled: DisabledWebhook,
  { name }: Webhook,
  { stateStore, publisher, clock, telemetry }: WebhookPorts,
): Promise<void> {
  if (!disabled.told) return stateStore.saveDisabled(name, null);
  const saved =
    disabled.enabledAt === undefined
      ? await stateStore.replaceDisabled(name, disabled, { ...disabled, enabledAt: clock.now() })
      : disabled;
  // Gone, or disabled anew: another run did it.
  const text = saved?.url === disabled.url ? buildWebhookEnabledEvent(name, saved) : null;
  if (text === null) return;
  try {
    const { unpublished } = await publisher.publish('operations', [text]);
    if (unpublished.length === 0) await stateStore.saveDisabled(name, null);
  } catch (error) {
    telemetry.report({ outcome: 'delivery.interrupted', webhook: name, reason: describeFailure(error) });
  }
}

/** Upper bound for one request. */
const MAX_REQUEST_MS = REQUEST_TIMEOUT_MS + 1_000;

/** When an attempt can begin at the latest: it takes a token, two requests, and recording the result. */
function latestStart({ deadline }: WebhookRun): number {
  return deadline - TOKEN_TIMEOUT_MS - 2 * MAX_REQUEST_MS - 3_000;
}

const CONTENT_TYPE = 'application/cloudevents+json';

/** One attempt: sign -> post -> decide. Logs one line. */
async function attemptDelivery(delivery: PendingDelivery, run: WebhookRun): Promise<DeliveryDecision> {
  const { clock, random, telemetry } = run.ports;
  const answer = await post(delivery, run);
  const decision = decideDelivery(delivery, answer, { now: clock.now(), random: random() });
  telemetry.report({
    outcome: 'delivery.attempted',
    webhook: run.webhook.name,
    eventId: delivery.event.id,
    type: delivery.event.type,
    attempt: decision.attempts,
    result: decision.decision,
    status: answer.outcome === 'answered' ? answer.status : null,
    reason: answer.outcome === 'answered' ? null : answer.reason,
    sentAgain: delivery.sentAgain,
    example: delivery.example,
    due_ms: decision.decision === 'retry' ? decision.dueAt - clock.now() : null,
    age_ms: clock.now() - delivery.firstAt,
    duration_ms: answer.durationMs,
  });
  return decision;
}

/** When the endpoint may have rejected the signature, reads the secret again and retries once if it was rotated. */
async function post(delivery: PendingDelivery, run: WebhookRun): Promise<WebhookAnswer> {
  const { client, clock } = run.ports;
  const at = clock.now();
  const { url } = run.webhook;
  const message = { id: delivery.event.id, at, body: delivery.text };
  const signed = await sign(message, run, { fresh: false });
  if (typeof signed === 'string') return { outcome: 'unanswered', reason: signed, durationMs: 0 };
  const answer = await client.post(buildRequest(delivery, { url, signed }));
  if (!mayHaveRefusedSignature(answer) || clock.now() + TOKEN_TIMEOUT_MS + MAX_REQUEST_MS > run.deadline)
    return answer;
  const resigned = await sign(message, run, { fresh: true });
  if (typeof resigned === 'string' || isSame(resigned, signed)) {
    return answer;
  }
  const second = await client.post(buildRequest(delivery, { url, signed: resigned }));
  return { ...second, durationMs: answer.durationMs + second.durationMs };
}

/**
 * The headers, or the error code when the secret cannot be used or gets no token. That counts as a failed attempt, so
 * that there is as much time to fix the secret as for an endpoint to recover.
 */
async function sign(
  message: Parameters<WebhookSigner['sign']>[0],
  { ports }: WebhookRun,
  ask: { readonly fresh: boolean },
): Promise<SignedHeaders | string> {
  try {
    return await ports.signer.sign(message, ask);
  } catch (error) {
    if (error instanceof NotifierError && UNSIGNED.test(error.code)) return error.code;
    throw error;
  }
}

/** Codes of errors that leave a request without its headers. */
const UNSIGNED = /^(?:secret|token)_/;

function isSame(left: SignedHeaders, right: SignedHeaders): boolean {
  return Object.entries(left).every(([name, value]) => right[name] === value);
}

function buildRequest(
  { event, text, sentAgain, example }: PendingDelivery,
  { url, signed }: { readonly url: string; readonly signed: SignedHeaders },
) {
  return {
    url,
    headers: {
      'content-type': CONTENT_TYPE,
      ...signed,
      ...(event.traceparent === undefined ? {} : { traceparent: event.traceparent }),
      ...(sentAgain ? { 'webhook-sent-again': 'true' } : {}),
      ...(example ? { 'webhook-example': 'true' } : {}),
    },
    body: text,
  };
}
