import * as z from 'zod';
import { parseJsonOrNull } from '#shared/core/parse-json.ts';
import { SourceError } from '../../core/errors.ts';

/** What is read from the answer of a token endpoint (RFC 6749, section 5.1). */
const tokenAnswer = z.looseObject({
  access_token: z.string().regex(/^[\x21-\x7e]+$/),
  /** Seconds; some servers send a text. */
  expires_in: z.coerce.number().positive().optional().catch(undefined),
});
const jwtClaims = z.looseObject({ exp: z.number().positive() });

export interface Token {
  readonly text: string;
  /** Milliseconds since 1970; `null` if unknown. */
  readonly endsAt: number | null;
}

/** Reads the answer of a token endpoint. Throws `SourceError` `source_bad_response`, without the answer's contents. */
export function parseToken(answer: unknown, now: number): Token {
  const result = tokenAnswer.safeParse(answer);
  if (!result.success)
    throw new SourceError(
      'source_bad_response',
      'the token endpoint answered without a usable access_token; check tokenPath in the secret',
      { status: 200 },
    );
  const { access_token: text, expires_in: seconds } = result.data;
  return { text, endsAt: seconds === undefined ? readExpiry(text) : now + seconds * 1_000 };
}

/** The `exp` claim of a JWT in milliseconds; unverified, since a wrong one only costs a request for a token. */
function readExpiry(jwt: string): number | null {
  const claims = parseJsonOrNull(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString('utf8'));
  const result = jwtClaims.safeParse(claims);
  // Without them a 401 will show that it has expired.
  return result.success ? result.data.exp * 1_000 : null;
}
