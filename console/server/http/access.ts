import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { Context, Handler, MiddlewareHandler } from 'hono';
import { PATHS, type Refusal } from '#console/routes/paths.ts';

const SECRET_BYTES = 24;
const BEARER = /^Bearer ([\w-]+)$/;
/** An address that nobody opened stays in the scrollback of a terminal. */
const ADDRESS_LASTS_MS = 10 * 60_000;
const SESSION_LASTS_MS = 24 * 3_600_000;

/** Who may read: the page that was opened with the one-time address, for a day. */
export interface Access {
  /** Of the address that is printed; valid once. */
  readonly token: string;
  /** Refuses other hosts, and requests for data without the secret of the session. */
  readonly guard: MiddlewareHandler;
  /** Gives the secret of the session for the token of the address. */
  readonly enter: Handler;
}

export interface AccessOptions {
  readonly port: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

export function createAccess({ port, now }: AccessOptions): Access {
  const token = createSecret();
  const startedAt = now();
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`];
  let session: { readonly secret: string; readonly endsAt: number } | null = null;
  const judgeSession = (given: string | null): Refusal | null => {
    if (given === null) return 'address_needed';
    const isKnown = session !== null && now() < session.endsAt && isSame(given, session.secret);
    return isKnown ? null : 'session_ended';
  };
  const judgeToken = (given: string | null): Refusal | null => {
    if (given === null) return 'address_needed';
    if (!isSame(given, token)) return 'address_wrong';
    if (session !== null) return 'address_used';
    return now() < startedAt + ADDRESS_LASTS_MS ? null : 'address_expired';
  };
  return {
    token,
    guard: async (context, next) => {
      if (!hosts.includes(context.req.header('host') ?? ''))
        return context.text('This server answers only on this machine.', 421);
      if (!context.req.path.startsWith('/api/')) return await next();
      if (context.req.method !== 'GET' && !isOwnOrigin(context, hosts))
        return context.json({ error: 'origin_wrong' }, 403);
      if (context.req.path === PATHS.session) return await next();
      const refusal = judgeSession(readBearer(context));
      return refusal === null ? await next() : context.json({ error: refusal }, 401);
    },
    enter: (context) => {
      const refusal = judgeToken(readBearer(context));
      if (refusal !== null) return context.json({ error: refusal }, 401);
      session = { secret: createSecret(), endsAt: now() + SESSION_LASTS_MS };
      return context.json({ session: session.secret });
    },
  };
}

function createSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}

function readBearer(context: Context): string | null {
  return BEARER.exec(context.req.header('authorization') ?? '')?.[1] ?? null;
}

function isOwnOrigin(context: Context, hosts: readonly string[]): boolean {
  const origin = context.req.header('origin') ?? '';
  return hosts.some((host) => origin === `http://${host}`);
}

function isSame(given: string, expected: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(expected)];
  return left.length === right.length && timingSafeEqual(left, right);
}
