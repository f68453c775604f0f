import { Webhook } from 'standardwebhooks';
import { NotifierError } from '../shared/core/errors.ts';

const SECRET = /^whsec_(?<key>[A-Za-z0-9+/]+={0,2})$/;
/** Key sizes that the Standard Webhooks specification allows. */
const KEY_BYTES = { min: 24, max: 64 };

/**
 * Signs with a secret. Throws `NotifierError` `secret_invalid`. It stands apart because its declaration names the type of
 * the library, which needs the types of Node: modules that subscribers import must not.
 */
export function openSecret(secret: string): Webhook {
  const text = secret.trim();
  const key = SECRET.exec(text)?.groups?.key ?? '';
  const bytes = Buffer.from(key, 'base64').length;
  if (bytes < KEY_BYTES.min || bytes > KEY_BYTES.max) throw invalidSecret();
  return new Webhook(text);
}

export function invalidSecret(): NotifierError {
  return new NotifierError(
    'secret_invalid',
    `a signing secret is whsec_ followed by ${KEY_BYTES.min} to ${KEY_BYTES.max} bytes in base64; pass the secret that the sender signs with, and both during a rotation`,
  );
}
