import { createHmac } from 'node:crypto';
import * as z from 'zod';
import { NotifierError } from '#shared/core/errors.ts';
import { parseJsonOrNull } from '#shared/core/parse-json.ts';
import type { SignedHeaders, WebhookSigner } from '#shared/webhooks/flow/webhook-run.ts';

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

const PREFIX = 'whsec_';
/** Sizes of a key that the Standard Webhooks specification allows. */
const KEY_BYTES = { min: 24, max: 64 };

/** A signing secret in the notation of the Standard Webhooks specification. */
const signingSecret = z
  .string()
  .transform((text) => text.trim())
  .refine(isSigningSecret);

const rotatingSecrets = z.looseObject({
  current: signingSecret,
  previous: z.literal('').or(signingSecret).nullish(),
});

/**
 * Reads the text of a webhook's secret: `whsec_...` by itself, or `{"current", "previous"?}` while it rotates. Returns
 * the valid secrets, the current one first. Throws `NotifierError` `secret_invalid`, which says what is allowed and
 * nothing of what the secret holds.
 */
export function parseSigningSecrets(text: string, secretName: string): readonly string[] {
  const result = rotatingSecrets.safeParse(parseContents(text));
  if (result.success) {
    const { current, previous } = result.data;
    // Some people empty it at the end of a rotation instead of removing it.
    return !previous || previous === current ? [current] : [current, previous];
  }
  throw new NotifierError(
    'secret_invalid',
    `the secret "${secretName}" holds no signing secret; put whsec_ and ${KEY_BYTES.min} to ${KEY_BYTES.max} random bytes in base64 into it, or {"current": ..., "previous": ...} while it rotates`,
  );
}

function parseContents(text: string): unknown {
  return text.trimStart().startsWith('{') ? parseJsonOrNull(text) : { current: text };
}

/** The key that a signing secret stands for. */
function decodeSigningKey(secret: string): Buffer {
  return Buffer.from(secret.slice(PREFIX.length), 'base64');
}

function isSigningSecret(text: string): boolean {
  const key = decodeSigningKey(text);
  // Decoding skips characters that are not base64, so only valid text survives the way there and back.
  const isBase64 = text === `${PREFIX}${key.toString('base64')}`;
  return isBase64 && key.length >= KEY_BYTES.min && key.length <= KEY_BYTES.max;
}
