import * as z from 'zod';
import { parseJsonOrNull } from '#shared/core/parse-json.ts';
import { SourceError } from '../../core/errors.ts';
import { parseSecret, type Secret } from './secret.ts';

/** Reads the text of a secret; `fresh` bypasses the cache, because the secret may have been rotated. */
export type ReadSecret = (options: { readonly fresh: boolean }) => Promise<string>;

export interface CredentialOptions {
  readonly secretName: string;
  readonly readSecret: ReadSecret;
  /** Posts a form to a path on the source and returns the JSON value of the answer. */
  readonly requestToken: (path: string, form: Readonly<Record<string, string>>) => Promise<unknown>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** The tokens of one connection. */
export interface Credential {
  readonly secretName: string;
  /** The token in use; requests one if there is none or it is about to expire. */
  token(): Promise<string>;
  /** Another token, after the source rejected this one; concurrent calls for the same token make one request. */
  renew(rejected: string): Promise<string>;
}

/** A token is replaced this long before it expires, or a tenth of its life before if that is less. */
const MARGIN_MS = 60_000;
/** A token is kept at least this long, so that a server with a wrong clock does not double the requests. */
const MIN_KEPT_MS = 10_000;

interface HeldToken {
  readonly text: string;
  readonly keepUntil: number;
}

/**
 * Turns a secret into tokens (docs/source-api.md, Authentication). Throws `SourceError`: `source_unauthorised` if the
 * secret holds no credential or the source gives no token for it.
 */
export function createCredential(options: CredentialOptions): Credential {
  let held: HeldToken | null = null;
  let pendingToken: Promise<HeldToken> | null = null;

  /** One request for a token at a time, however many callers wait for it. */
  const obtain = async (fresh: boolean): Promise<string> => {
    pendingToken ??= obtainToken(options, fresh).finally(() => {
      pendingToken = null;
    });
    held = await pendingToken;
    return held.text;
  };

  return {
    secretName: options.secretName,
    async token() {
      return held !== null && options.now() < held.keepUntil ? held.text : obtain(false);
    },
    async renew(rejected) {
      return held !== null && held.text !== rejected ? held.text : obtain(true);
    },
  };
}

async function obtainToken(options: CredentialOptions, fresh: boolean): Promise<HeldToken> {
  const { readSecret, secretName, now } = options;
  const secret = parseSecret(await readSecret({ fresh }), secretName);
  // Not kept: the reader of the secret has a cache, and a rotated token is noticed without a 401.
  if (secret.kind === 'token') return { text: secret.token, keepUntil: now() };
  const { text, endsAt } = await exchangeSecret(options, secret, fresh);
  if (endsAt === null) return { text, keepUntil: Number.POSITIVE_INFINITY };
  const margin = Math.min(MARGIN_MS, (endsAt - now()) / 10);
  return { text, keepUntil: Math.max(endsAt - margin, now() + MIN_KEPT_MS) };
}

async function exchangeSecret(
  options: CredentialOptions,
  secret: Extract<Secret, { kind: 'client' }>,
  fresh: boolean,
): Promise<Token> {
  const { clientId, clientSecret, tokenPath } = secret;
  const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret };
  try {
    return parseToken(await options.requestToken(tokenPath, form), options.now());
  } catch (error) {
    const rejected = error instanceof SourceError && error.code === 'source_unauthorised';
    if (!rejected || fresh) throw error;
    // The cached client secret may have been rotated.
    const again = parseSecret(await options.readSecret({ fresh: true }), options.secretName);
    if (again.kind !== 'client' || again.clientSecret === clientSecret) throw error;
    return exchangeSecret(options, again, true);
  }
}

/** What is read from the answer of a token endpoint (RFC 6749, section 5.1). */
const tokenAnswer = z.looseObject({
  access_token: z.string().regex(/^[\x21-\x7e]+$/),
  /** Seconds; some servers send a text. */
  expires_in: z.coerce.number().positive().optional().catch(undefined),
});
const jwtClaims = z.looseObject({ exp: z.number().positive() });

interface Token {
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
