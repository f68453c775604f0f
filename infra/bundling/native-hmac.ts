import { createHmac } from 'node:crypto';

/**
 * Stands in for `fast-sha256` in bundles, of which the library that signs webhooks uses this function alone: written in
 * JavaScript it is larger and slower than the one that Node.js has.
 */
export function hmac(key: Uint8Array, data: Uint8Array): Uint8Array {
  return new Uint8Array(createHmac('sha256', key).update(data).digest());
}
