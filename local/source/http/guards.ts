/** Middleware before the operations: request log, tokens, rate limit. */
import type { HttpBindings } from '@hono/node-server';
import type { MiddlewareHandler } from 'hono';
import type { Service } from '../service.ts';
import { createProblem } from './problems.ts';

/** Bindings exist for a real server, not for in-process requests. */
export type SourceEnvironment = { Bindings: Partial<HttpBindings> };

type Guard = MiddlewareHandler<SourceEnvironment>;

const BEARER_PATTERN = /^Bearer (\S+)$/i;

export function logRequests({ log, clock }: Service): Guard {
  return async (context, next) => {
    const { pathname, search } = new URL(context.req.url);
    const at = new Date(clock.now()).toISOString();
    const logged = log.begin({ at, method: context.req.method, path: pathname + search });
    await next();
    logged.status = context.res.status;
  };
}

/** All operations are reads (docs/source-api.md). */
export const refuseWrites: Guard = async (context, next) => {
  if (context.req.method !== 'GET' && context.req.method !== 'HEAD') {
    context.header('Allow', 'GET, HEAD');
    throw createProblem(405, `${context.req.method} is not allowed: all operations are reads`);
  }
  await next();
};

/** 401 without a valid token (docs/source-api.md, Authentication). */
export function requireToken({ tokens }: Service): Guard {
  return requireBearer(tokens.accepts);
}

/** 401 to whoever did not start the emulator. */
export function requireOwner({ tokens }: Service): Guard {
  return requireBearer((token) => token === tokens.token);
}

function requireBearer(accepts: (token: string) => boolean): Guard {
  return async (context, next) => {
    const [, token] = BEARER_PATTERN.exec(context.req.header('authorization') ?? '') ?? [];
    if (token === undefined || !accepts(token)) {
      context.header('WWW-Authenticate', 'Bearer');
      throw createProblem(
        401,
        token === undefined ? 'the bearer token is missing' : 'the token is not valid',
      );
    }
    await next();
  };
}

/** 429 when the limit is exceeded, with `Retry-After` in seconds unless that is switched off. */
export function limitRate({ limit }: Service): Guard {
  return async (context, next) => {
    const admission = limit.take();
    if (!admission.passes) {
      if (admission.afterSeconds !== null) context.header('Retry-After', String(admission.afterSeconds));
      throw createProblem(429, 'rate limit exceeded');
    }
    await next();
  };
}
