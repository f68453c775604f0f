import { timingSafeEqual } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { NotifierError } from '../shared/core/errors.ts';
import { type ParsedEvent, parseEvent } from './parse-event.ts';

/** Seconds between the signature and now that are believed, as the Standard Webhooks specification asks for. */
const TOLERANCE_SECONDS = 300;
const SECOND_MS = 1_000;
const SECRET = /^whsec_(?<key>[A-Za-z0-9+/]+={0,2})$/;
/** Sizes of a key that the Standard Webhooks specification allows. */
const KEY_BYTES = { min: 24, max: 64 };
const SECONDS = /^\d{1,12}$/;

/** A request as it came. `body`: the bytes or the text before anything parsed it, since these are signed. */
export interface WebhookRequest {
  /** Of `node:http`, of a Lambda, or a `Headers`; names in any case. */
  readonly headers:
    | Readonly<Record<string, string | readonly string[] | undefined>>
    | { get(name: string): string | null };
  readonly body: string | Uint8Array;
  /** Set by AWS on the events of Lambdas with an address: the body is base64 of the bytes. */
  readonly isBase64Encoded?: boolean;
}

export interface VerifyOptions {
  /** Milliseconds since 1970. */
  readonly now?: number;
  readonly toleranceSeconds?: number;
}

/** Why a request is not believed. */
export type RefusalReason =
  | 'header_missing'
  | 'timestamp_invalid'
  | 'timestamp_too_old'
  | 'timestamp_too_new'
  | 'signature_wrong';

/** Answer `refused` with 401, `invalid` with 400, and everything else with 2xx. */
export type VerifiedWebhook = ParsedEvent | { readonly outcome: 'refused'; readonly reason: RefusalReason };

/**
 * Verifies a webhook after the Standard Webhooks specification, and reads its event. Give every secret that lives: two,
 * while one replaces the other. Throws `NotifierError` `secret_invalid` when a secret is none, and never for what a
 * sender does.
 */
export function verifyWebhook(
  request: WebhookRequest,
  secrets: string | readonly string[],
  options: VerifyOptions = {},
): VerifiedWebhook {
  const webhooks = [secrets].flat().map(createVerifier);
  if (webhooks.length === 0) throw invalidSecret();
  const body = decodeBody(request);
  const reason = findRefusal({ ...request, body }, webhooks, options);
  if (reason !== null) return { outcome: 'refused', reason };
  const parsed = parseEvent(body);
  const replayed = headerOf(request, 'webhook-replayed') === 'true';
  return parsed.outcome === 'invalid' || parsed.outcome === 'example' ? parsed : { ...parsed, replayed };
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

/** Takes as long whether the first byte differs or the last. */
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

function createVerifier(secret: string): Webhook {
  const text = secret.trim();
  const key = SECRET.exec(text)?.groups?.key ?? '';
  const bytes = Buffer.from(key, 'base64').length;
  if (bytes < KEY_BYTES.min || bytes > KEY_BYTES.max) throw invalidSecret();
  return new Webhook(text);
}

function invalidSecret(): NotifierError {
  return new NotifierError(
    'secret_invalid',
    `a signing secret is whsec_ and ${KEY_BYTES.min} to ${KEY_BYTES.max} bytes in base64; give what the sender has, and while it is replaced both`,
  );
}
