import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { Context, Handler, MiddlewareHandler } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';

const SECRET_BYTES = 24;
const PLACE_BYTES = 9;
const BEARER = /^Bearer ([\w-]+)$/;
const COOKIE = 'session';
/** An address that nobody opened stays in the scrollback of a terminal. */
const ADDRESS_LASTS_MS = 10 * 60_000;
const SESSION_LASTS_MS = 24 * 3_600_000;

/** Why the address of the terminal opens nothing. */
type Refusal = 'address_needed' | 'address_wrong' | 'address_used' | 'address_expired';

/** Who may read: the browser that opened the one-time address, for a day. */
export interface Access {
  /** A new token of the address, valid once, in place of the one before. Whoever enters with it ends the session before. */
  issueToken(): string;
  /** The folder of all pages, such as `/~x3k9/`. Browsers send the cookie of the session to addresses below it alone. */
  readonly place: string;
  /** Refuses other hosts, and what other origins want to change. */
  readonly guard: MiddlewareHandler;
  /** Whether a request is of the session. */
  isOpen(context: Context): boolean;
  /** Begins the session for the token of the address. */
  readonly enter: Handler;
}

export interface AccessOptions {
  readonly port: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * A cookie is sent to every port of a host, so to servers of other users of this machine. This one has a path that only
 * its browser knows, so no other server gets it.
 */
export function createAccess({ port, now }: AccessOptions): Access {
  let address: { readonly token: string; readonly issuedAt: number; readonly isUsed: boolean } | null = null;
  const place = `/~${createSecret(PLACE_BYTES)}/`;
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`];
  let session: { readonly secret: string; readonly endsAt: number } | null = null;
  const judgeToken = (given: string | null): Refusal | null => {
    if (given === null) return 'address_needed';
    if (address === null || !isSame(given, address.token)) return 'address_wrong';
    if (address.isUsed) return 'address_used';
    return now() < address.issuedAt + ADDRESS_LASTS_MS ? null : 'address_expired';
  };
  return {
    issueToken: () => {
      const token = createSecret(SECRET_BYTES);
      address = { token, issuedAt: now(), isUsed: false };
      return token;
    },
    place,
    guard: async (context, next) => {
      if (!hosts.includes(context.req.header('host') ?? ''))
        return context.text('This server answers only on this machine.', 421);
      if (context.req.method !== 'GET' && !isOwnOrigin(context, hosts))
        return context.json({ error: 'origin_wrong' }, 403);
      return await next();
    },
    isOpen: (context) =>
      session !== null && now() < session.endsAt && isSame(getCookie(context, COOKIE) ?? '', session.secret),
    enter: (context) => {
      const refusal = judgeToken(BEARER.exec(context.req.header('authorization') ?? '')?.[1] ?? null);
      if (refusal !== null || address === null) return context.json({ error: refusal }, 401);
      address = { ...address, isUsed: true };
      session = { secret: createSecret(SECRET_BYTES), endsAt: now() + SESSION_LASTS_MS };
      const maxAge = SESSION_LASTS_MS / 1_000;
      setCookie(context, COOKIE, session.secret, { path: place, httpOnly: true, sameSite: 'Strict', maxAge });
      return context.json({ place });
    },
  };
}

function createSecret(bytes: number): string {
  return randomBytes(bytes).toString('base64url');
}

function isOwnOrigin(context: Context, hosts: readonly string[]): boolean {
  const origin = context.req.header('origin') ?? '';
  return hosts.some((host) => origin === `http://${host}`);
}

function isSame(given: string, expected: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(expected)];
  return left.length === right.length && timingSafeEqual(left, right);
}
