import * as z from 'zod';
import { NotifierError, SourceError } from '#shared/core/errors.ts';
import { parseJsonOrNull } from '#shared/core/parse-json.ts';
import { describeUnknownMember, parseSecretMembers } from '#shared/core/secret-members.ts';

/** Reads the text of a secret; `fresh` bypasses the cache, because the secret may have been rotated. */
export type ReadSecret = (options: { readonly fresh: boolean }) => Promise<string>;

export interface CredentialOptions {
  readonly secretName: string;
  readonly readSecret: ReadSecret;
  readonly requestToken: RequestToken;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Who asks for a token, and how. */
interface ClientForm {
  readonly form: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  /** What is masked where an answer repeats it. */
  readonly secrets: readonly string[];
}

/** Posts a form to a path beside the API, or to an address, and returns the JSON value of the answer, unchecked. */
export type RequestToken = (path: string, client: ClientForm) => Promise<unknown>;

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

/** How a token endpoint is told who asks: in the body, or by HTTP Basic (RFC 6749, section 2.3.1). */
type ClientWay = 'body' | 'basic';

/**
 * Turns a secret into tokens (docs/source-api.md, Authentication). Throws `SourceError`: `source_unauthorised` if the
 * secret holds no credential or the source gives no token for it.
 */
export function createCredential(options: CredentialOptions): Credential {
  let held: HeldToken | null = null;
  let pendingToken: Promise<HeldToken> | null = null;
  const client = createTokenClient(options);

  /** One request for a token at a time, however many callers wait for it. */
  const obtain = async (fresh: boolean): Promise<string> => {
    pendingToken ??= obtainToken(options, client, fresh).finally(() => {
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
      if (held !== null && held.text !== rejected) return held.text;
      held = null;
      return obtain(true);
    },
  };
}

async function obtainToken(
  options: CredentialOptions,
  client: TokenClient,
  fresh: boolean,
): Promise<HeldToken> {
  const { readSecret } = options;
  const text = await readSecret({ fresh });
  try {
    return await exchangeSecret(text, client, options);
  } catch (error) {
    const rejected = error instanceof SourceError && error.code === 'source_unauthorised';
    if (!rejected || fresh) throw error;
    // The cached secret may have been replaced.
    const again = await readSecret({ fresh: true });
    if (again === text) throw error;
    return await exchangeSecret(again, client, options);
  }
}

async function exchangeSecret(
  text: string,
  client: TokenClient,
  { secretName, now }: CredentialOptions,
): Promise<HeldToken> {
  const secret = parseCredential(text, secretName);
  // Not kept: the reader of the secret has a cache, and a rotated token is noticed without a 401.
  if (secret.kind === 'token') return { text: secret.token, keepUntil: now() };
  const token = parseToken(await client(secret), now());
  const { endsAt } = token;
  if (endsAt === null) return { text: token.text, keepUntil: Number.POSITIVE_INFINITY };
  const margin = Math.min(MARGIN_MS, (endsAt - now()) / 10);
  return { text: token.text, keepUntil: Math.max(endsAt - margin, now() + MIN_KEPT_MS) };
}

/** Asks for a token, and returns the unchecked answer. */
type TokenClient = (secret: ClientSecret) => Promise<unknown>;

/** Asks in the way that was taken last, at first in the body, and where the client is refused in the other one. */
function createTokenClient({ requestToken }: Pick<CredentialOptions, 'requestToken'>): TokenClient {
  let way: ClientWay = 'body';
  return async (secret) => {
    try {
      return await requestToken(secret.tokenPath, toClientForm(secret, way));
    } catch (refusal) {
      if (!refusesClient(refusal)) throw refusal;
      const other = way === 'body' ? 'basic' : 'body';
      const answer = await requestToken(secret.tokenPath, toClientForm(secret, other)).catch((error) => {
        throw refusesClient(error) ? refusal : error;
      });
      way = other;
      return answer;
    }
  };
}

/** Some servers miss the client in the request that they do not read it from, and call that 400 (RFC 6749, section 5.2). */
function refusesClient(error: unknown): boolean {
  if (!(error instanceof SourceError)) return false;
  return (
    error.status === 401 || (error.status === 400 && /\binvalid_(?:client|request)\b/.test(error.said ?? ''))
  );
}

function toClientForm({ clientId, clientSecret, scope, audience }: ClientSecret, way: ClientWay): ClientForm {
  const form = {
    grant_type: 'client_credentials',
    ...(way === 'body' ? { client_id: clientId, client_secret: clientSecret } : {}),
    ...(scope === undefined ? {} : { scope }),
    ...(audience === undefined ? {} : { audience }),
  };
  if (way === 'body') return { form, headers: {}, secrets: [clientSecret] };
  const pair = Buffer.from(`${encodeForm(clientId)}:${encodeForm(clientSecret)}`).toString('base64');
  return { form, headers: { authorization: `Basic ${pair}` }, secrets: [clientSecret, pair] };
}

/** As a value in a form. */
function encodeForm(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice('='.length);
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

const tokenSecret = z.strictObject({ token });
const clientSecret = z.strictObject({
  clientId: z.string().min(1),
  clientSecret: z.string().min(1),
  /** A path beside `/api/v1`, or an absolute address on the same host. */
  tokenPath: z.string().min(1).default(TOKEN_PATH),
  scope: z.string().min(1).optional(),
  audience: z.string().min(1).optional(),
});
const MEMBERS = [...Object.keys(tokenSecret.shape), ...Object.keys(clientSecret.shape)];

type ClientSecret = z.output<typeof clientSecret>;
/** A token, or client credentials. */
type Secret =
  | { readonly kind: 'token'; readonly token: string }
  | ({ readonly kind: 'client' } & ClientSecret);

/**
 * Reads the text of a secret: a token by itself, `{"token"}`, or
 * `{"clientId", "clientSecret", "tokenPath"?, "scope"?, "audience"?}`. Throws `SourceError` `source_unauthorised`, which
 * says what is allowed and nothing of what the secret holds but the name of a member that nobody reads.
 */
export function parseCredential(text: string, secretName: string): Secret {
  const members = parseSecretMembers(text, 'token');
  const plain = tokenSecret.safeParse(members);
  if (plain.success) return { kind: 'token', token: plain.data.token };
  const client = clientSecret.safeParse(members);
  if (client.success) return { kind: 'client', ...client.data };
  const wrong =
    describeUnknownMember(members, MEMBERS) ??
    'holds no credential; put a token into it, or {"token": ...}, or {"clientId": ..., "clientSecret": ...}';
  throw new SourceError('source_unauthorised', `the secret "${secretName}" ${wrong}`);
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
