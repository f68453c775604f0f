import * as z from 'zod';
import { parseJsonOrNull } from '#shared/core/parse-json.ts';
import { SourceError } from '../../core/errors.ts';

const TOKEN_PATH = '/oauth/token';

/** Characters that an HTTP header may hold; any other would fail later, with the token in the message. */
const token = z
  .string()
  .transform((text) => text.trim().replace(/^bearer\s+/i, ''))
  .pipe(z.string().regex(/^[\x21-\x7e]+$/));

const tokenSecret = z.looseObject({ token });
const clientSecret = z.looseObject({
  clientId: z.string().min(1),
  clientSecret: z.string().min(1),
  /** A path beside `/api/v1`, or an absolute address on the same host. */
  tokenPath: z.string().min(1).default(TOKEN_PATH),
});

/** A token, or client credentials. */
export type Secret =
  | { readonly kind: 'token'; readonly token: string }
  | {
      readonly kind: 'client';
      readonly clientId: string;
      readonly clientSecret: string;
      readonly tokenPath: string;
    };

/**
 * Reads the text of a secret: a token by itself, `{"token"}`, or `{"clientId", "clientSecret", "tokenPath"?}`.
 * Throws `SourceError` `source_unauthorised`, which says what is allowed and nothing of what the secret holds.
 */
export function parseSecret(text: string, secretName: string): Secret {
  const value = parseContents(text);
  const plain = tokenSecret.safeParse(value);
  if (plain.success) return { kind: 'token', token: plain.data.token };
  const client = clientSecret.safeParse(value);
  if (client.success) {
    const { clientId, clientSecret: secret, tokenPath } = client.data;
    return { kind: 'client', clientId, clientSecret: secret, tokenPath };
  }
  throw new SourceError(
    'source_unauthorised',
    `the secret "${secretName}" holds no credential; put a token into it, or {"token": ...}, or {"clientId": ..., "clientSecret": ...}`,
  );
}

function parseContents(text: string): unknown {
  return text.trimStart().startsWith('{') ? parseJsonOrNull(text) : { token: text };
}
