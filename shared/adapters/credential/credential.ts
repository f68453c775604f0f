import * as z from 'zod';
import { parseJsonOrNull } from '#shared/core/parse-json.ts';
import { NotifierError, SourceError } from '../../core/errors.ts';

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
type Secret =
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
function parseSecret(text: string, secretName: string): Secret {
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

/**
 * A reader of a connection's secret, whose failures count as failures of the source. Throws `SourceError`:
 * `source_unauthorised` if the secret does not exist or may not be read, `source_unreachable` (retryable) if Secrets
 * Manager does not answer.
 */
export function toSourceSecretReader(readSecret: ReadSecret): ReadSecret {
  return async (ask) => {
    try {
      return await readSecret(ask);
    } catch (cause) {
      if (!(cause instanceof NotifierError)) throw cause;
      const { message, retryable } = cause;
      throw new SourceError(retryable ? 'source_unreachable' : 'source_unauthorised', message, {
        cause,
        retryable,
      });
    }
  };
}
