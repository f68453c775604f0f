import { createHmac } from 'node:crypto';
import type { SignedHeaders, WebhookSigner } from '#shared/webhooks/flow/webhook-run.ts';
import { decodeSigningKey, parseSigningSecrets } from './signing-secret.ts';

export interface WebhookSignerOptions {
  readonly secretName: string;
  /** Reads the text of the secret; `fresh` bypasses the cache. */
  readonly readSecret: (ask: { readonly fresh: boolean }) => Promise<string>;
}

/**
 * Signs according to the Standard Webhooks specification, with the current secret and the previous one, so that a
 * receiver that knows either can verify. Throws `secret_invalid`, and what reading the secret throws.
 */
export function createWebhookSigner({ secretName, readSecret }: WebhookSignerOptions): WebhookSigner {
  return {
    async sign({ id, at, body }, ask): Promise<SignedHeaders> {
      const secrets = parseSigningSecrets(await readSecret(ask), secretName);
      const timestamp = String(Math.floor(at / 1_000));
      const signatures = secrets.map((secret) => {
        const hmac = createHmac('sha256', decodeSigningKey(secret));
        return `v1,${hmac.update(`${id}.${timestamp}.${body}`).digest('base64')}`;
      });
      return {
        'webhook-id': id,
        'webhook-timestamp': timestamp,
        'webhook-signature': signatures.join(' '),
      };
    },
  };
}
