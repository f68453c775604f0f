import { lookup } from 'node:dns/promises';
import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingMessage,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { type Proxies, readProxies } from '#shared/config/proxies.ts';
import type { AllowedTargets } from '#shared/config/schema/allowed-targets.ts';
import { parseRetryAfter } from '#shared/core/retry-after.ts';
import { USER_AGENT } from '#shared/core/user-agent.ts';
import type {
  OutgoingWebhookRequest,
  WebhookAnswer,
  WebhookClient,
} from '#shared/systems/flow/webhook-run.ts';
import { createGuardedLookup, ForbiddenTarget, parseTarget, type Resolve } from './target.ts';

/** For the agent that each request has: a kept connection was checked at another time. */
const CONNECTION = {
  keepAlive: false,
  /** For each of several addresses of a name; Node's 250 ms are too short for a distant continent. */
  autoSelectFamilyAttemptTimeout: 2_000,
};
/** For the rest of an answer whose status is known: other deliveries wait for it. */
const REST_MS = 2_000;
/** An answer is read up to this, because some receivers take a sender that stops reading for one that gave up. */
const MAX_ANSWER_BYTES = 65_536;

export interface WebhookClientOptions {
  readonly allow: AllowedTargets;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Replaces the system's resolver. */
  readonly resolve?: Resolve;
  /** From looking up the name to the status. */
  readonly timeoutMs: number;
  readonly restMs?: number;
  /** Bytes of an answer that are read. */
  readonly maxAnswerBytes?: number;
}

interface ProxiedOptions extends WebhookClientOptions {
  readonly proxies: Proxies | undefined;
}

interface Answered {
  readonly outcome: 'answered';
  readonly status: number;
  readonly retryAfterMs: number | null;
  readonly text?: string;
}

type Outcome = Answered | { readonly outcome: 'unanswered'; readonly reason: string };

/**
 * Posts to endpoints of other parties. Every request has its own connection, to an address that was checked (see
 * `createGuardedLookup`). Redirects are not followed, and of the answer only the status and `Retry-After` count, unless
 * its text is asked for. A proxy of the environment finds the address itself: then only what is written is checked.
 */
export function createWebhookClient(options: WebhookClientOptions): WebhookClient {
  const { now } = options;
  const proxies = readProxies(process.env);
  return {
    async post(request): Promise<WebhookAnswer> {
      const startedAt = now();
      const outcome = await exchange(request, { ...options, proxies });
      return { ...outcome, durationMs: now() - startedAt };
    },
  };
}

async function exchange(request: OutgoingWebhookRequest, options: ProxiedOptions): Promise<Outcome> {
  try {
    return await sendRequest(createRequest(request, options), request, options);
  } catch (error) {
    return { outcome: 'unanswered', reason: classifyFailure(error) };
  }
}

/** A request that is not sent yet. Throws `ForbiddenTarget`. */
function createRequest(
  { url, headers, body }: OutgoingWebhookRequest,
  options: ProxiedOptions,
): ClientRequest {
  const { allow, resolve = resolveAll, proxies: proxyEnv } = options;
  const target = parseTarget(url, allow);
  const settings = {
    method: 'POST',
    headers: { 'user-agent': USER_AGENT, ...headers, 'content-length': Buffer.byteLength(body) },
    lookup: createGuardedLookup(resolve, allow),
  };
  const connection = { ...CONNECTION, proxyEnv };
  return target.protocol === 'https:'
    ? httpsRequest(target, { ...settings, agent: new HttpsAgent(connection), rejectUnauthorized: true })
    : httpRequest(target, { ...settings, agent: new HttpAgent(connection) });
}

function sendRequest(
  request: ClientRequest,
  { body, readsAnswer = false }: OutgoingWebhookRequest,
  options: WebhookClientOptions,
): Promise<Outcome> {
  const { now, timeoutMs, restMs = REST_MS, maxAnswerBytes = MAX_ANSWER_BYTES } = options;
  return new Promise((resolve, reject) => {
    let answer: Answered | null = null;
    // Once there is a status, a cut answer or the timeout does not change it.
    const chunks: Buffer[] = [];
    const finish = (error: Error) => {
      if (answer === null) return reject(error);
      return resolve(readsAnswer ? { ...answer, text: Buffer.concat(chunks).toString('utf8') } : answer);
    };
    const timer = setTimeout(() => request.destroy(new TimedOut()), timeoutMs);
    let rest: NodeJS.Timeout | undefined;
    request.on('response', (response) => {
      rest = setTimeout(() => request.destroy(), restMs);
      const { statusCode: status = 0, headers } = response;
      const retryAfter = parseRetryAfter(headers['retry-after'] ?? '', now());
      answer = { outcome: 'answered', status, retryAfterMs: retryAfter };
      drain(response, maxAnswerBytes, readsAnswer ? chunks : null);
    });
    request.on('error', finish);
    request.on('close', () => {
      clearTimeout(timer);
      clearTimeout(rest);
      finish(new Error('the connection was closed'));
    });
    request.end(body);
  });
}

/** Reads the body, and keeps it in `kept` if anybody wants it. */
function drain(response: IncomingMessage, maxBytes: number, kept: Buffer[] | null): void {
  let bytes = 0;
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    kept?.push(chunk);
    if (bytes > maxBytes) response.destroy();
  });
  // The `close` of the request finishes it.
  response.on('error', () => {});
}

async function resolveAll(name: string) {
  return await lookup(name, { all: true });
}

/** Patterns of codes of Node and OpenSSL; the first that matches counts. */
const REASONS: readonly (readonly [code: RegExp, reason: string])[] = [
  [/^(?:ENOTFOUND$|EAI_)/, 'name_unknown'],
  [/^(?:ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|HOSTNAME_MISMATCH$|EPROTO$)|SELF_SIGNED/, 'tls_failed'],
  [/^HPE_HEADER_OVERFLOW$/, 'answer_too_long'],
  [/^HPE_/, 'answer_invalid'],
];

class TimedOut extends Error {
  override readonly name = 'TimedOut';
}

/** Why there was no answer, as a stable code. */
export function classifyFailure(error: unknown): string {
  if (error instanceof ForbiddenTarget) return 'target_forbidden';
  if (error instanceof TimedOut) return 'timeout';
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return REASONS.find(([pattern]) => pattern.test(code))?.[1] ?? 'connection_failed';
}
