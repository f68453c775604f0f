import { openSecret } from '#kit/signing-secret.ts';

/** A request as a webhook gets it, for `fetch` or a handler of yours. Names of headers are in lower case. */
export interface SignedWebhook {
  readonly method: 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * An event, or its JSON, as a webhook gets it, signed by the Standard Webhooks specification. `at`: when it is signed, in
 * milliseconds since 1970; pass `Date.now()` unless your receiver has a clock of its own. Throws `NotifierError`
 * `secret_invalid`.
 */
export function signWebhook(
  event: { readonly id: string } | string,
  secret: string,
  at: number,
): SignedWebhook {
  const body = typeof event === 'string' ? event : JSON.stringify(event);
  const { id } = JSON.parse(body) as { readonly id: string };
  const seconds = Math.floor(at / 1_000);
  const signature = openSecret(secret).sign(id, new Date(seconds * 1_000), body);
  const headers = {
    'content-type': 'application/cloudevents+json',
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': signature,
  };
  return { method: 'POST', headers, body };
}
