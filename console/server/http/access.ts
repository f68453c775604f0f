import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { Context, MiddlewareHandler } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';

const TOKEN_BYTES = 24;

/** Who may read: whoever came by the one-time address, with the browser that used it. */
export interface Access {
  /** Of the address that is printed; valid once. */
  readonly token: string;
  /** Refuses other hosts, and requests for data without the cookie. */
  readonly guard: MiddlewareHandler;
  /** Turns the token of the address into the cookie, and sends the browser on without it. */
  readonly enter: MiddlewareHandler;
}

export interface AccessOptions {
  readonly port: number;
  /** What the cookie holds. Kept by the caller, so that an open page survives a restart. */
  readonly session: string;
}

export function createSecret(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

export function createAccess({ port, session }: AccessOptions): Access {
  const token = createSecret();
  // Cookies do not tell ports of a host apart.
  const cookie = `notifier-console-${port}`;
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`];
  let isUsed = false;
  const isKnown = (context: Context) => isSame(getCookie(context, cookie) ?? '', session);
  return {
    token,
    guard: async (context, next) => {
      if (!hosts.includes(context.req.header('host') ?? ''))
        return context.text('This server answers only on this machine.', 421);
      if (!context.req.path.startsWith('/api/')) return await next();
      if (!isKnown(context)) return context.json({ error: 'address_needed' }, 401);
      if (context.req.method !== 'GET' && !isOwnOrigin(context, hosts))
        return context.json({ error: 'origin_wrong' }, 403);
      return await next();
    },
    enter: async (context, next) => {
      const given = context.req.query('token');
      if (given === undefined) return await next();
      if (!isUsed && isSame(given, token)) {
        isUsed = true;
        setCookie(context, cookie, session, { httpOnly: true, sameSite: 'Strict', path: '/' });
      } else if (!isKnown(context)) {
        return context.redirect('/?address=used');
      }
      // Not into the history of the browser.
      const { pathname, searchParams } = new URL(context.req.url);
      searchParams.delete('token');
      const rest = searchParams.size === 0 ? '' : `?${searchParams}`;
      return context.redirect(`${pathname}${rest}`);
    },
  };
}

function isOwnOrigin(context: Context, hosts: readonly string[]): boolean {
  const origin = context.req.header('origin') ?? '';
  return hosts.some((host) => origin === `http://${host}`);
}

function isSame(given: string, expected: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(expected)];
  return left.length === right.length && timingSafeEqual(left, right);
}
