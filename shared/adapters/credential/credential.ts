import { SourceError } from '../../core/errors.ts';
import { parseSecret, type Secret } from './secret.ts';
import { parseToken, type Token } from './token-answer.ts';

/** Gives the text of a secret; `fresh` asks past any cache, since the secret may have been rotated. */
export type ReadSecret = (options: { readonly fresh: boolean }) => Promise<string>;

export interface CredentialOptions {
  readonly secretName: string;
  readonly readSecret: ReadSecret;
  /** Posts a form to a path on the source and gives the JSON value of the answer. */
  readonly requestToken: (path: string, form: Readonly<Record<string, string>>) => Promise<unknown>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** The tokens of one connection. */
export interface Credential {
  readonly secretName: string;
  /** The token in use; asks for one when there is none or it is about to end. */
  token(): Promise<string>;
  /** Another token after the source refused one; the same call for the same refused token asks once. */
  renew(refused: string): Promise<string>;
}

/** A token is replaced this long before it ends, or a tenth of its life before when that is less. */
const MARGIN_MS = 60_000;
/** How long a token is kept at least: a server with a wrong clock must not cost a request for each request. */
const MIN_KEPT_MS = 10_000;

interface HeldToken {
  readonly text: string;
  readonly keepUntil: number;
}

/**
 * Turns a secret into tokens (section 5 of the specification; design, section 8). Throws `SourceError`:
 * `source_unauthorised` when the secret holds no credential or the source gives no token for it.
 */
export function createCredential(options: CredentialOptions): Credential {
  let held: HeldToken | null = null;
  let pendingToken: Promise<HeldToken> | null = null;

  /** One request for a token at a time, however many wait for it. */
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
    async renew(refused) {
      return held !== null && held.text !== refused ? held.text : obtain(true);
    },
  };
}

async function obtainToken(options: CredentialOptions, fresh: boolean): Promise<HeldToken> {
  const { readSecret, secretName, now } = options;
  const secret = parseSecret(await readSecret({ fresh }), secretName);
  // Asked for every time: the reader of the secret has a cache, and a rotated token comes in without a 401.
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
    const refused = error instanceof SourceError && error.code === 'source_unauthorised';
    if (!refused || fresh) throw error;
    // The client secret we remembered may have been rotated.
    const again = parseSecret(await options.readSecret({ fresh: true }), options.secretName);
    if (again.kind !== 'client' || again.clientSecret === clientSecret) throw error;
    return exchangeSecret(options, again, true);
  }
}
