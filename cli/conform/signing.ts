import { createHmac } from 'node:crypto';
import { NotifierError } from '#shared/core/errors.ts';

const SECRET = /^whsec_(?<key>[A-Za-z0-9+/]+={0,2})$/;
/** Sizes of a key that the Standard Webhooks specification allows. */
const KEY_BYTES = { least: 24, most: 64 };

/** One request as it goes to the receiver. Headers are in lower case. */
export interface Outgoing {
  readonly method: 'POST' | 'GET' | 'HEAD';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A request that is made when it is sent, so that its timestamp is fresh. `now` in milliseconds since 1970. */
export type Shot = (now: number) => Outgoing;

/** Bytes that sign messages. */
export type SigningKey = Buffer;

/** How a message differs from the usual one. */
export interface Unusual {
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
  readonly tamper?: (message: Outgoing) => Outgoing;
}

/** The bytes of a secret `whsec_...`. Throws `NotifierError` `secret_invalid`, which does not show it. */
export function signingKey(secret: string, from: string): SigningKey {
  const text = SECRET.exec(secret.trim())?.groups?.key ?? '';
  const key = Buffer.from(text, 'base64');
  if (key.length >= KEY_BYTES.least && key.length <= KEY_BYTES.most) return key;
  throw new NotifierError(
    'secret_invalid',
    `${from} is no signing secret; give "whsec_" and ${KEY_BYTES.least} to ${KEY_BYTES.most} bytes in base64 after it, as your receiver has them`,
  );
}

/** A message signed after the Standard Webhooks specification, 1.0. */
export function signed(body: string, key: SigningKey, unusual: Unusual = {}): Shot {
  return (now) => {
    const id = unusual.id ?? idIn(body);
    const timestamp = unusual.timestamp ?? String(Math.floor(now / 1000) - (unusual.ageSeconds ?? 0));
    const signature = signatureOf({ id, timestamp, body }, key);
    const message: Outgoing = {
      method: 'POST',
      headers: {
        ...ENVELOPE,
        'webhook-id': id,
        'webhook-timestamp': timestamp,
        'webhook-signature': unusual.signature?.(signature) ?? signature,
        ...unusual.headers,
      },
      body,
    };
    return unusual.tamper?.(message) ?? message;
  };
}

/** What every message has around it. */
export const ENVELOPE = {
  'content-type': 'application/cloudevents+json',
  'user-agent': 'workforce-change-notifier conform',
} as const;

/** The signature of a message: `v1,` and an HMAC of id, timestamp and body in base64. */
function signatureOf(
  { id, timestamp, body }: { readonly id: string; readonly timestamp: string; readonly body: string },
  key: SigningKey,
): string {
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
}

function idIn(body: string): string {
  const { id } = JSON.parse(body) as { readonly id: string };
  return id;
}
