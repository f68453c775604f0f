import { lookup } from 'node:dns/promises';
import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { parseRetryAfter } from '#shared/core/fetch/retry-after.ts';
import type { OutgoingWebhookRequest, WebhookAnswer, WebhookClient } from '../../ports/webhooks.ts';
import { classifyFailure, TimedOut } from './answer.ts';
import { type AllowedTargets, createGuardedLookup, parseTarget, type Resolve } from './target.ts';

/**
 * For everything: name, connection, handshake, request, answer. The Standard Webhooks specification proposes 15 to 30
 * s.
 */
const TIMEOUT_MS = 15_000;
/** An agent for each request: a connection that is kept was checked for another time. */
const CONNECTION = {
  keepAlive: false,
  /** For one of several addresses of a name; Node's quarter of a second is less than the way around the world. */
  autoSelectFamilyAttemptTimeout: 2_000,
};
/** Once there is a status, time for the rest of the answer: others wait for the end of this one. */
const REST_MS = 2_000;
/** An answer is read to its end up to this, since some receivers take a cut one for a sender that gave up. */
const MAX_ANSWER_BYTES = 65_536;

export interface WebhookClientOptions {
  readonly allow: AllowedTargets;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Another resolver than the system's. */
  readonly resolve?: Resolve;
  readonly timeoutMs?: number;
  readonly restMs?: number;
}

type Outcome =
  | { readonly outcome: 'answered'; readonly status: number; readonly retryAfterMs: number | null }
  | { readonly outcome: 'unanswered'; readonly reason: string };

/**
 * Posts to endpoints of strangers. Every request has a connection of its own, made to an address that the guard has
 * checked (see `createGuardedLookup`); redirects are not followed, proxies not used, and of the answer nothing but the
 * status and `Retry-After` is looked at.
 */
export function createWebhookClient(options: WebhookClientOptions): WebhookClient {
  const { now } = options;
  return {
    async post(request): Promise<WebhookAnswer> {
      const startedAt = now();
      const outcome = await exchange(request, options);
      return { ...outcome, durationMs: now() - startedAt };
    },
  };
}

async function exchange(request: OutgoingWebhookRequest, options: WebhookClientOptions): Promise<Outcome> {
  try {
    return await sendRequest(createRequest(request, options), request.body, options);
  } catch (error) {
    return { outcome: 'unanswered', reason: classifyFailure(error) };
  }
}

/** The request, not yet sent. Throws `ForbiddenTarget`. */
function createRequest(
  { url, headers, body }: OutgoingWebhookRequest,
  options: WebhookClientOptions,
): ClientRequest {
  const { allow, resolve = resolveAll } = options;
  const target = parseTarget(url, allow);
  const settings = {
    method: 'POST',
    headers: { ...headers, 'content-length': Buffer.byteLength(body) },
    lookup: createGuardedLookup(resolve, allow),
  };
  return target.protocol === 'https:'
    ? httpsRequest(target, { ...settings, agent: new HttpsAgent(CONNECTION), rejectUnauthorized: true })
    : httpRequest(target, { ...settings, agent: new HttpAgent(CONNECTION) });
}

function sendRequest(
  request: ClientRequest,
  body: string,
  { now, timeoutMs = TIMEOUT_MS, restMs = REST_MS }: WebhookClientOptions,
): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    let answer: Outcome | null = null;
    // Once there is a status, nothing undoes it: no cut answer, no time that runs out.
    const settle = (error: Error) => (answer === null ? reject(error) : resolve(answer));
    const timer = setTimeout(() => request.destroy(new TimedOut()), timeoutMs);
    let rest: NodeJS.Timeout | undefined;
    request.on('response', (response) => {
      rest = setTimeout(() => request.destroy(), restMs);
      const { statusCode: status = 0, headers } = response;
      const retryAfter = parseRetryAfter(headers['retry-after'] ?? '', now());
      answer = { outcome: 'answered', status, retryAfterMs: retryAfter };
      drain(response);
    });
    request.on('error', settle);
    request.on('close', () => {
      clearTimeout(timer);
      clearTimeout(rest);
      settle(new Error('the connection was closed'));
    });
    request.end(body);
  });
}

/** Reads what follows the status and throws it away. */
function drain(response: IncomingMessage): void {
  let bytes = 0;
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) response.destroy();
  });
  // The end of the request says what came of it.
  response.on('error', () => {});
}

async function resolveAll(name: string) {
  return await lookup(name, { all: true });
}
