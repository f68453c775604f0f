import { createHmac, timingSafeEqual } from 'node:crypto';

export interface TokenSettings {
  /** Signs the tokens; the same key accepts tokens of an earlier start. */
  readonly key: string;
  /** Accepted as long as the service runs; default: a JWT without an end. */
  readonly token?: string | undefined;
  readonly clientId: string;
  readonly clientSecret: string;
  /** How long an issued token is good, in seconds. */
  readonly lifeSeconds: number;
  /** Real time in milliseconds since 1970: clients compare `exp` with their own clock. */
  readonly realNow: () => number;
}

interface IssuedToken {
  readonly access_token: string;
  readonly token_type: 'Bearer';
  /** Seconds. */
  readonly expires_in: number;
}

export interface Tokens {
  /** The token that is always accepted. */
  readonly token: string;
  accepts(token: string): boolean;
  /** A new JWT for a client (OAuth 2.0 client credentials), or `null` when the credentials are wrong. */
  issue(clientId: string, clientSecret: string): IssuedToken | null;
}

export function createTokens(settings: TokenSettings): Tokens {
  const { key, clientId, clientSecret, lifeSeconds, realNow } = settings;
  const token = settings.token ?? sign(key, { sub: clientId });
  return {
    token,
    accepts: (candidate) => candidate === token || isValid(key, candidate, realNow()),
    issue(id, secret) {
      if (id !== clientId || secret !== clientSecret) return null;
      const issuedAt = Math.floor(realNow() / 1000);
      return {
        access_token: sign(key, { sub: id, iat: issuedAt, exp: issuedAt + lifeSeconds }),
        token_type: 'Bearer',
        expires_in: lifeSeconds,
      };
    },
  };
}

function sign(key: string, claims: Record<string, string | number>): string {
  const content = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(claims)}`;
  return `${content}.${computeSignature(key, content)}`;
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function computeSignature(key: string, content: string): string {
  return createHmac('sha256', key).update(content).digest('base64url');
}

/** Signed by us and not past its end. */
function isValid(key: string, token: string, now: number): boolean {
  const [head = '', claims = '', signature = ''] = token.split('.');
  const given = Buffer.from(signature);
  const right = Buffer.from(computeSignature(key, `${head}.${claims}`));
  if (given.length !== right.length || !timingSafeEqual(given, right)) return false;
  const { exp } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { exp?: number };
  return exp !== undefined && now < exp * 1000;
}
