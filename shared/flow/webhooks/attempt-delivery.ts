import { NotifierError } from '#shared/core/errors.ts';
import { type DeliveryDecision, decideDelivery } from '#shared/core/webhooks/decide.ts';
import type { PendingDelivery } from '#shared/core/webhooks/delivery-message.ts';
import { mayHaveRefusedSignature } from '#shared/core/webhooks/judge-answer.ts';
import type { SignedHeaders, WebhookAnswer, WebhookRun } from './webhook-run.ts';

/** Upper bound for one request. */
const REQUEST_TIMEOUT_MS = 16_000;
/** Upper bound for an attempt: two requests, and recording the result. */
export const MAX_ATTEMPT_MS = 2 * REQUEST_TIMEOUT_MS + 3_000;

const CONTENT_TYPE = 'application/cloudevents+json';
const USER_AGENT = 'workforce-change-notifier';

/** One attempt: sign -> post -> decide. Logs one line. */
export async function attemptDelivery(delivery: PendingDelivery, run: WebhookRun): Promise<DeliveryDecision> {
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
    replayed: delivery.replayed,
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
  const signed = await sign(delivery, run, { at, fresh: false });
  if (typeof signed === 'string') return { outcome: 'unanswered', reason: signed, durationMs: 0 };
  const answer = await client.post(buildRequest(delivery, run, signed));
  if (!mayHaveRefusedSignature(answer) || clock.now() + REQUEST_TIMEOUT_MS > run.deadline) return answer;
  const resigned = await sign(delivery, run, { at, fresh: true });
  if (typeof resigned === 'string' || resigned['webhook-signature'] === signed['webhook-signature']) {
    return answer;
  }
  const second = await client.post(buildRequest(delivery, run, resigned));
  return { ...second, durationMs: answer.durationMs + second.durationMs };
}

/**
 * The headers, or the error code when the secret cannot be used. That counts as a failed attempt, so that there is as
 * much time to fix the secret as for an endpoint to recover.
 */
async function sign(
  { event, text }: PendingDelivery,
  { ports }: WebhookRun,
  { at, fresh }: { readonly at: number; readonly fresh: boolean },
): Promise<SignedHeaders | string> {
  try {
    return await ports.signer.sign({ id: event.id, at, body: text }, { fresh });
  } catch (error) {
    if (error instanceof NotifierError && error.code.startsWith('secret_')) return error.code;
    throw error;
  }
}

function buildRequest(
  { text, replayed, example }: PendingDelivery,
  { webhook }: WebhookRun,
  signed: SignedHeaders,
) {
  return {
    url: webhook.url,
    headers: {
      'content-type': CONTENT_TYPE,
      'user-agent': USER_AGENT,
      ...signed,
      ...(replayed ? { 'webhook-replayed': 'true' } : {}),
      ...(example ? { 'webhook-example': 'true' } : {}),
    },
    body: text,
  };
}
