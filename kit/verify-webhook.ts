import { timingSafeEqual } from 'node:crypto';
import type { Webhook } from 'standardwebhooks';
import { NotifierError } from '../shared/core/errors.ts';
import { type ParsedEvent, parseEvent } from './parse-event.ts';
import { invalidSecret, openSecret } from './signing-secret.ts';

/** Largest accepted difference between `webhook-timestamp` and now, as the Standard Webhooks specification requires. */
const TOLERANCE_SECONDS = 300;
const SECOND_MS = 1_000;
const SECONDS = /^\d{1,12}$/;

/** A request as received. */
export interface WebhookRequest {
  /** Headers of `node:http` or of a Lambda event, or a `Headers` object; names in any case. */
  readonly headers:
    | Readonly<Record<string, string | readonly string[] | undefined>>
    | { get(name: string): string | null };
  /** The raw body, before any parsing: the signature is over its bytes. */
  readonly body: string | Uint8Array;
  /** Set by API Gateway and Lambda function URLs when `body` is base64. */
  readonly isBase64Encoded?: boolean;
}

/** For tests, and for receivers with another tolerance. */
export interface VerifyOptions {
  /** Milliseconds since 1970; default: the system clock. */
  readonly now?: number;
  /** Default 300. 0 or more, and finite: without a bound, a request that was recorded could be sent again for ever. */
  readonly toleranceSeconds?: number;
}

/** Why a request was refused. */
export type RefusalReason =
  | 'header_missing'
  | 'timestamp_invalid'
  | 'timestamp_too_old'
  | 'timestamp_too_new'
  | 'signature_wrong';

/**
 * Answer `refused` with 401, `invalid` with 400, and everything else with 2xx.
 */
export type VerifiedWebhook = ParsedEvent | { readonly outcome: 'refused'; readonly reason: RefusalReason };

/**
 * Verifies a webhook by the Standard Webhooks specification and reads its event. Pass every secret in use: two during a
 * rotation. Throws `NotifierError`: `secret_invalid` when a secret is malformed, `options_wrong` when an option is not a
 * number that can be compared with; never for anything in the request.
 */
export function verifyWebhook(
  request: WebhookRequest,
  secrets: string | readonly string[],
  options: VerifyOptions = {},
): VerifiedWebhook {
  checkOptions(options);
  const webhooks = [secrets].flat().map(openSecret);
  if (webhooks.length === 0) throw invalidSecret();
  const body = decodeBody(request);
  const reason = findRefusal({ ...request, body }, webhooks, options);
  if (reason !== null) return { outcome: 'refused', reason };
  return parseEvent(body);
}

/** Compared with NaN, no request is too old or too new. */
function checkOptions({ now = 0, toleranceSeconds = TOLERANCE_SECONDS }: VerifyOptions): void {
  if (!Number.isFinite(now)) {
    throw new NotifierError('options_wrong', `now is ${now}; pass milliseconds since 1970, or leave it out`);
  }
  if (Number.isFinite(toleranceSeconds) && toleranceSeconds >= 0) return;
  throw new NotifierError(
    'options_wrong',
    `toleranceSeconds is ${toleranceSeconds}; pass a number of seconds from 0, or leave it out for ${TOLERANCE_SECONDS}`,
  );
}

function findRefusal(
  request: WebhookRequest & { readonly body: string },
  webhooks: readonly Webhook[],
  { now = Date.now(), toleranceSeconds = TOLERANCE_SECONDS }: VerifyOptions,
): RefusalReason | null {
  const id = headerOf(request, 'webhook-id');
  const timestamp = headerOf(request, 'webhook-timestamp');
  const signatures = headerOf(request, 'webhook-signature');
  if (!(id && timestamp && signatures)) return 'header_missing';
  if (!SECONDS.test(timestamp)) return 'timestamp_invalid';
  const signedAt = new Date(Number(timestamp) * SECOND_MS);
  const age = Math.floor(now / SECOND_MS) - Number(timestamp);
  if (age > toleranceSeconds) return 'timestamp_too_old';
  if (age < -toleranceSeconds) return 'timestamp_too_new';
  const given = signatures.split(' ').map(encodeText);
  const right = webhooks.map((webhook) => encodeText(webhook.sign(id, signedAt, request.body)));
  return right.some((each) => given.some((other) => isSame(each, other))) ? null : 'signature_wrong';
}

/** Compares in constant time. */
function isSame(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && timingSafeEqual(left, right);
}

function encodeText(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function decodeBody({ body, isBase64Encoded }: WebhookRequest): string {
  if (typeof body !== 'string') return new TextDecoder('utf-8', { ignoreBOM: true }).decode(body);
  return isBase64Encoded === true ? Buffer.from(body, 'base64').toString('utf8') : body;
}

function headerOf({ headers }: WebhookRequest, name: string): string | undefined {
  if (isHeaders(headers)) return headers.get(name) ?? undefined;
  const values = Object.entries(headers).find(([other]) => other.toLowerCase() === name)?.[1];
  if (typeof values === 'string') return values;
  return values?.length === 1 ? values[0] : undefined;
}

function isHeaders(headers: WebhookRequest['headers']): headers is { get(name: string): string | null } {
  return typeof headers.get === 'function';
}
