/** What stands before the operations: the log of requests, tokens, the rate limit. */
import type { HttpBindings } from '@hono/node-server';
import type { MiddlewareHandler } from 'hono';
import type { Service } from '../service.ts';
import { createProblem } from './problems.ts';

/** Answers from a real server have bindings, those of an in-process request have none. */
export type SourceEnvironment = { Bindings: Partial<HttpBindings> };

type Guard = MiddlewareHandler<SourceEnvironment>;

const BEARER_PATTERN = /^Bearer (\S+)$/i;

/** Logs the request and lets the company live up to its moment. */
export function logRequests({ log, clock }: Service): Guard {
  return async (context, next) => {
    const { pathname, search } = new URL(context.req.url);
    const at = new Date(clock.now()).toISOString();
    const logged = log.begin({ at, method: context.req.method, path: pathname + search });
    await next();
    logged.status = context.res.status;
  };
}

/** All operations are reads (section 1 of the specification). */
export const refuseWrites: Guard = async (context, next) => {
  if (context.req.method !== 'GET' && context.req.method !== 'HEAD') {
    context.header('Allow', 'GET, HEAD');
    throw createProblem(405, `${context.req.method} is not possible: all operations are reads`);
  }
  await next();
};

/** 401 without a good token (section 5 of the specification). */
export function requireToken({ tokens }: Service): Guard {
  return async (context, next) => {
    const [, token] = BEARER_PATTERN.exec(context.req.header('authorization') ?? '') ?? [];
    if (token === undefined || !tokens.accepts(token)) {
      context.header('WWW-Authenticate', 'Bearer');
      throw createProblem(
        401,
        token === undefined ? 'the bearer token is missing' : 'the token is not valid',
      );
    }
    await next();
  };
}

/** 429 when the limit is exceeded, with `Retry-After` in seconds when the limit is told. */
export function limitRate({ limit }: Service): Guard {
  return async (context, next) => {
    const passage = limit.take();
    if (!passage.passes) {
      if (passage.afterSeconds !== null) context.header('Retry-After', String(passage.afterSeconds));
      throw createProblem(429, 'rate limit exceeded');
    }
    await next();
  };
}
