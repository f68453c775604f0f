import { NotifierError } from '#shared/core/errors.ts';
import { type DeliveryDecision, decideDelivery } from '#shared/core/webhooks/decide.ts';
import type { PendingDelivery } from '#shared/core/webhooks/delivery-message.ts';
import { mayHaveRefusedSignature } from '#shared/core/webhooks/judge-answer.ts';
import type { SignedHeaders, WebhookAnswer } from '#shared/ports/webhooks.ts';
import type { WebhookRun } from './webhook-run.ts';

/** The longest that one request takes, with some reserve. */
const REQUEST_MS = 16_000;
/** An attempt may have two requests, and what came of it is to be written down. */
export const ATTEMPT_MS = 2 * REQUEST_MS + 3_000;

const CONTENT_TYPE = 'application/cloudevents+json';
const USER_AGENT = 'workforce-change-notifier';

/** One attempt: sign -> post -> decide, with one line in the log. */
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

/** When the endpoint doubts the signature, the secret may have been rotated: it is read anew and used once. */
async function post(delivery: PendingDelivery, run: WebhookRun): Promise<WebhookAnswer> {
  const { client, clock } = run.ports;
  const at = clock.now();
  const signed = await sign(delivery, run, { at, fresh: false });
  if (typeof signed === 'string') return { outcome: 'unanswered', reason: signed, durationMs: 0 };
  const answer = await client.post(buildRequest(delivery, run, signed));
  if (!mayHaveRefusedSignature(answer) || clock.now() + REQUEST_MS > run.deadline) return answer;
  const anew = await sign(delivery, run, { at, fresh: true });
  if (typeof anew === 'string' || anew['webhook-signature'] === signed['webhook-signature']) return answer;
  const second = await client.post(buildRequest(delivery, run, anew));
  return { ...second, durationMs: answer.durationMs + second.durationMs };
}

/**
 * The headers, or the code of what is wrong with the secret. That is a failed attempt like any other: a person has as
 * much time to mend it as an endpoint has to come back.
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
