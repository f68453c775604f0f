import { createHmac } from 'node:crypto';
import { NotifierError } from '#shared/core/errors.ts';

const SECRET = /^whsec_(?<key>[A-Za-z0-9+/]+={0,2})$/;
/** Sizes of a key that the Standard Webhooks specification allows. */
const KEY_BYTES = { min: 24, max: 64 };

/** One request as it goes to the receiver. Headers are in lower case. */
export interface OutgoingRequest {
  readonly method: 'POST' | 'GET' | 'HEAD';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A request that is made when it is sent, so that its timestamp is fresh. `now` in milliseconds since 1970. */
export type RequestFactory = (now: number) => OutgoingRequest;

/** Bytes that sign messages. */
export type SigningKey = Buffer;

/** How a message differs from the usual one. */
export interface SigningOverrides {
  /** Left out, the id of the event. */
  readonly id?: string;
  /** How long ago it was signed; negative: how far ahead. */
  readonly ageSeconds?: number;
  /** Stands in `webhook-timestamp`, and is signed, instead of seconds since 1970. */
  readonly timestamp?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Made of the true signature, `v1,...`. */
  readonly signature?: (signature: string) => string;
  /** Done to the message after it was signed. */
  readonly tamper?: (message: OutgoingRequest) => OutgoingRequest;
}

/** The bytes of a secret `whsec_...`. Throws `NotifierError` `secret_invalid`, which does not show it. */
export function parseSigningKey(secret: string, from: string): SigningKey {
  const text = SECRET.exec(secret.trim())?.groups?.key ?? '';
  const key = Buffer.from(text, 'base64');
  if (key.length >= KEY_BYTES.min && key.length <= KEY_BYTES.max) return key;
  throw new NotifierError(
    'secret_invalid',
    `${from} is no signing secret; give "whsec_" and ${KEY_BYTES.min} to ${KEY_BYTES.max} bytes in base64 after it, as your receiver has them`,
  );
}

/** A message signed after the Standard Webhooks specification, 1.0. */
export function signed(body: string, key: SigningKey, overrides: SigningOverrides = {}): RequestFactory {
  return (now) => {
    const id = overrides.id ?? readEventId(body);
    const timestamp = overrides.timestamp ?? String(Math.floor(now / 1000) - (overrides.ageSeconds ?? 0));
    const signature = computeSignature({ id, timestamp, body }, key);
    const message: OutgoingRequest = {
      method: 'POST',
      headers: {
        ...BASE_HEADERS,
        'webhook-id': id,
        'webhook-timestamp': timestamp,
        'webhook-signature': overrides.signature?.(signature) ?? signature,
        ...overrides.headers,
      },
      body,
    };
    return overrides.tamper?.(message) ?? message;
  };
}

/** What every message has around it. */
export const BASE_HEADERS = {
  'content-type': 'application/cloudevents+json',
  'user-agent': 'workforce-change-notifier conform',
} as const;

/** The signature of a message: `v1,` and an HMAC of id, timestamp and body in base64. */
function computeSignature(
  { id, timestamp, body }: { readonly id: string; readonly timestamp: string; readonly body: string },
  key: SigningKey,
): string {
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
}

function readEventId(body: string): string {
  const { id } = JSON.parse(body) as { readonly id: string };
  return id;
}
