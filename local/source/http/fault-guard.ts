import type { Context, MiddlewareHandler } from 'hono';
import { applyManualChange, type Service } from '../service.ts';
import type { FaultAction } from './faults.ts';
import type { SourceEnvironment } from './guards.ts';
import { findOperation } from './operations.ts';

type SourceContext = Context<SourceEnvironment>;
type JsonObject = Record<string, unknown>;

const JSON_TYPE = { 'content-type': 'application/json' };
const MEGABYTE_BYTES = 1_048_576;

/** Applies the faults that match a request to its answer. */
export function injectFaults(service: Service): MiddlewareHandler<SourceEnvironment> {
  return async (context, next) => {
    const { path } = context.req;
    const page = Number(context.req.query('page') ?? 1);
    const dates = readDates(context);
    const actions = service.faults.take({ operation: findOperation(path), page, dates });
    const answer = await answerInstead(service, actions, context);
    if (answer !== null) return answer;
    await next();
    if (actions.length > 0 && context.res.status === 200) {
      context.res = await changeAnswer(context, actions);
      for (const action of actions) if (action.kind === 'drift') drift(service, action, context);
    }
    return undefined;
  };
}

function readDates({ req }: SourceContext) {
  const [from, to] = [req.query('dateFrom'), req.query('dateTo')];
  return from === undefined || to === undefined ? null : { from, to };
}

/** Runs the actions in order: waits for those that delay or hold, and returns the answer of the first that has one. */
async function answerInstead(
  service: Service,
  actions: readonly FaultAction[],
  context: SourceContext,
): Promise<Response | null> {
  for (const action of actions) {
    if (action.kind === 'delay') await service.wait(action.milliseconds);
    if (action.kind === 'hold') await service.faults.cleared();
    const answer = await buildAnswer(action, context);
    if (answer !== null) return answer;
  }
  return null;
}

/** The answer that replaces the real one, or `null`. */
function buildAnswer(action: FaultAction, context: SourceContext): Promise<Response> | Response | null {
  switch (action.kind) {
    case 'status':
      return buildStatusAnswer(action);
    case 'html':
      return new Response('<!doctype html><title>Sign in</title>', {
        headers: { 'content-type': 'text/html' },
      });
    case 'empty-body':
      return new Response('', { headers: JSON_TYPE });
    case 'empty-list':
      return new Response('[]', { headers: JSON_TYPE });
    case 'wrong-shape':
      return new Response('{"items":[],"total":0}', { headers: JSON_TYPE });
    case 'huge':
      return new Response(`{"data":["${'x'.repeat(action.megabytes * MEGABYTE_BYTES)}"]}`, {
        headers: JSON_TYPE,
      });
    case 'hang':
      return waitUntilGone(context);
    case 'reset':
      context.env.incoming?.socket.resetAndDestroy();
      return new Response(null);
    case 'delay':
    case 'hold':
    case 'truncated':
    case 'page-loop':
    case 'foreign-next-page':
    case 'duplicate-ids':
    case 'poison-record':
    case 'drift':
      return null;
  }
}

function buildStatusAnswer({ status, headers, body }: Extract<FaultAction, { kind: 'status' }>): Response {
  // 204 and 304 may not have a body.
  const bare = status === 204 || status === 304;
  const text =
    typeof body === 'string' ? body : JSON.stringify(body ?? { status, message: 'set by control' });
  return new Response(bare ? null : text, { status, headers: { ...JSON_TYPE, ...headers } });
}

/** Never answers while the client is connected. */
function waitUntilGone(context: SourceContext): Promise<Response> {
  return new Promise((resolve) => {
    context.req.raw.signal.addEventListener('abort', () => resolve(new Response(null)), { once: true });
  });
}

/** The real answer, changed by the actions. */
async function changeAnswer(context: SourceContext, actions: readonly FaultAction[]): Promise<Response> {
  const { status, headers } = context.res;
  let value: unknown = await context.res.clone().json();
  for (const action of actions) if (isPage(value)) value = changePage(value, action, context.req.url);
  const text = JSON.stringify(value);
  const cut = actions.some(({ kind }) => kind === 'truncated');
  const sameHeaders = new Headers(headers);
  sameHeaders.delete('content-length');
  return new Response(cut ? text.slice(0, text.length / 2) : text, { status, headers: sameHeaders });
}

interface PageLike extends JsonObject {
  readonly data: readonly JsonObject[];
  readonly pagination: JsonObject;
}

function isPage(value: unknown): value is PageLike {
  return typeof value === 'object' && value !== null && 'data' in value && 'pagination' in value;
}

function changePage(page: PageLike, action: FaultAction, url: string): PageLike {
  const { data, pagination } = page;
  const [first, ...others] = data;
  switch (action.kind) {
    case 'page-loop': {
      const { pathname, search } = new URL(url);
      return { ...page, pagination: { ...pagination, nextPage: pathname + search } };
    }
    case 'foreign-next-page':
      return { ...page, pagination: { ...pagination, nextPage: action.url } };
    case 'duplicate-ids':
      return first === undefined ? page : { ...page, data: [...data, first] };
    case 'poison-record':
      return first === undefined ? page : { ...page, data: [{ ...first, ...action.members }, ...others] };
    default:
      return page;
  }
}

/** Shifts the following pages by manual changes of the company. */
function drift(
  service: Service,
  action: Extract<FaultAction, { kind: 'drift' }>,
  context: SourceContext,
): void {
  const from = context.req.query('dateFrom') ?? service.company.today();
  const to = context.req.query('dateTo');
  const victims = service.company.timesheets({ from, to }).slice(0, action.count);
  for (let index = 0; index < action.count; index += 1) {
    const victim = victims[index];
    if (action.change === 'insert') applyManualChange(service, { change: 'create', date: from });
    else if (victim !== undefined) applyManualChange(service, { change: 'remove', id: victim.id });
  }
}
