/** Middleware before the operations. */
import type { HttpBindings } from '@hono/node-server';
import type { MiddlewareHandler } from 'hono';
import type { Service } from '../service.ts';
import { createProblem } from './problems.ts';

/** Bindings exist for a real server, not for in-process requests. */
export type SourceEnvironment = { Bindings: Partial<HttpBindings> };

type Guard = MiddlewareHandler<SourceEnvironment>;

const BEARER_PATTERN = /^Bearer (\S+)$/i;

/** All operations are reads (docs/source-api.md). */
export const refuseWrites: Guard = async (context, next) => {
  if (context.req.method !== 'GET' && context.req.method !== 'HEAD') {
    context.header('Allow', 'GET, HEAD');
    throw createProblem(405, `${context.req.method} is not allowed: all operations are reads`);
  }
  await next();
};

/** 401 without the token (docs/source-api.md, Authentication). */
export function requireToken({ token }: Service): Guard {
  return async (context, next) => {
    const [, given] = BEARER_PATTERN.exec(context.req.header('authorization') ?? '') ?? [];
    if (given !== token) {
      context.header('WWW-Authenticate', 'Bearer');
      throw createProblem(
        401,
        given === undefined ? 'the bearer token is missing' : 'the token is not valid',
      );
    }
    await next();
  };
}
