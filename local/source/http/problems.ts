import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { ErrorBody } from '../schemas.ts';

/** Ends a request with a status and a small JSON body. */
export function createProblem(status: ContentfulStatusCode, message: string): HTTPException {
  return new HTTPException(status, { message });
}

/** The JSON answer for any error. */
export function answerProblem(error: Error, context: Context): Response {
  if (error instanceof HTTPException) return sendProblem(context, error.status, error.message);
  console.error(error);
  return sendProblem(context, 500, 'internal error of the emulator; see its log');
}

export function answerNotFound(context: Context): Response {
  return sendProblem(context, 404, `nothing here: ${context.req.path}`);
}

/** 400 with the name of the first invalid parameter. */
export function answerInvalid(
  result: { success: true } | { success: false; error: { issues: readonly Issue[] } },
  context: Context,
): Response | undefined {
  if (result.success) return undefined;
  const [issue] = result.error.issues;
  return sendProblem(context, 400, `${issue?.path.map(String).join('.')}: ${issue?.message}`);
}

interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

function sendProblem(context: Context, status: ContentfulStatusCode, message: string): Response {
  return context.json<ErrorBody, ContentfulStatusCode>({ status, message }, status);
}
