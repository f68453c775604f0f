import { createHmac, timingSafeEqual } from 'node:crypto';

export interface TokenSettings {
  /** Signs the tokens; with the same key, tokens of an earlier start remain valid. */
  readonly key: string;
  /** Accepted until it is revoked; default: a JWT that does not expire. */
  readonly token?: string | undefined;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly lifeSeconds: number;
  /** Milliseconds since 1970, in real time because clients compare `exp` with their own clock. */
  readonly realNow: () => number;
}

interface IssuedToken {
  readonly access_token: string;
  readonly token_type: 'Bearer';
  /** Seconds. */
  readonly expires_in: number;
}

export interface Tokens {
  /** The token that is accepted from the start. */
  readonly token: string;
  accepts(token: string): boolean;
  /** From now on this one is accepted, too. */
  accept(token: string): void;
  /** From now on it is refused. */
  revoke(token: string): void;
  /** A new JWT for client credentials of OAuth 2.0; `null` when they are wrong. */
  issue(clientId: string, clientSecret: string): IssuedToken | null;
}

export function createTokens(settings: TokenSettings): Tokens {
  const { key, clientId, clientSecret, lifeSeconds, realNow } = settings;
  const token = settings.token ?? sign(key, { sub: clientId });
  const accepted = new Set([token]);
  return {
    token,
    accepts: (candidate) => accepted.has(candidate) || isValid(key, candidate, realNow()),
    accept: (added) => void accepted.add(added),
    revoke: (revoked) => void accepted.delete(revoked),
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

/** Whether the signature is correct and the token has not expired. */
function isValid(key: string, token: string, now: number): boolean {
  const [header = '', claims = '', signature = ''] = token.split('.');
  const given = Buffer.from(signature);
  const right = Buffer.from(computeSignature(key, `${header}.${claims}`));
  if (given.length !== right.length || !timingSafeEqual(given, right)) return false;
  const { exp } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { exp?: number };
  return exp !== undefined && now < exp * 1000;
}
