import { createHmac } from 'node:crypto';
import { NotifierError } from '../../shared/core/errors.ts';
import { USER_AGENT } from '../../shared/core/user-agent.ts';

const SECRET = /^whsec_(?<key>[A-Za-z0-9+/]+={0,2})$/;
/** Key sizes that the Standard Webhooks specification allows. */
const KEY_BYTES = { min: 24, max: 64 };

/** A request to the receiver. Header names are in lower case. */
export interface OutgoingRequest {
  readonly method: 'POST' | 'GET' | 'HEAD';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Builds a request at the time it is sent, so that its timestamp is current. `now` in milliseconds since 1970. */
export type RequestFactory = (now: number) => OutgoingRequest;

/** The decoded key of a signing secret. No `Buffer`: subscribers compile with this, perhaps without the types of Node. */
export type SigningKey = Uint8Array;

/** How a message differs from a correct one. */
export interface SigningOverrides {
  /** Default: the id of the event. */
  readonly id?: string;
  /** How long ago it was signed; negative for the future. */
  readonly ageSeconds?: number;
  /** Replaces the seconds since 1970 in `webhook-timestamp`, and is signed. */
  readonly timestamp?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Maps the correct signature `v1,...` to the one sent. */
  readonly signature?: (signature: string) => string;
  /** Changes the message after it was signed. */
  readonly tamper?: (message: OutgoingRequest) => OutgoingRequest;
}

/** The key of a secret `whsec_...`. Throws `NotifierError` `secret_invalid`, which does not contain the secret. */
export function parseSigningKey(secret: string, from: string): SigningKey {
  const text = SECRET.exec(secret.trim())?.groups?.key ?? '';
  const key = Buffer.from(text, 'base64');
  if (key.length >= KEY_BYTES.min && key.length <= KEY_BYTES.max) return key;
  throw new NotifierError(
    'secret_invalid',
    `${from} is not a signing secret; use "whsec_" followed by ${KEY_BYTES.min} to ${KEY_BYTES.max} bytes in base64, as your receiver has it`,
  );
}

/** A message signed by the Standard Webhooks specification 1.0. */
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

/** Headers of every message. */
export const BASE_HEADERS = {
  'content-type': 'application/cloudevents+json',
  'user-agent': USER_AGENT,
} as const;

/** `v1,` and the HMAC-SHA256 of id, timestamp and body in base64. */
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
