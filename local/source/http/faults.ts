import type { MiddlewareHandler } from 'hono';
import type { DateRange } from '#shared/core/dates.ts';
import type { TimesheetPage } from '../schemas.ts';

/** What is done to an answer. */
type FaultAction =
  /** A status with any JSON or text as body, in place of it. */
  | { readonly kind: 'status'; readonly status: number; readonly body?: unknown }
  /** An HTML page in place of it. */
  | { readonly kind: 'html' }
  /** `[]` in place of it. */
  | { readonly kind: 'empty-list' }
  /** It waits until the faults are cleared. */
  | { readonly kind: 'hold' }
  /** Members of its first record are replaced. */
  | { readonly kind: 'poison-record'; readonly members: Readonly<Record<string, unknown>> };

const PATHS = { listTimesheets: '/api/v1/timesheets', listPayPeriods: '/api/v1/payperiods' } as const;

/** A fault of the source, which tests set: the requests it applies to, and what is done to their answers. */
interface Fault {
  /** Only this operation. */
  readonly operation?: keyof typeof PATHS;
  /** Only this page of a list. */
  readonly page?: number;
  /** Only lists of dates that include this one. */
  readonly date?: string;
  /** Requests that it applies to; default 1. */
  readonly times?: number | 'always';
  readonly action: FaultAction;
}

/** A request for an operation. */
interface Asked {
  readonly path: string;
  readonly page: number;
  /** The dates that are listed, if the list has dates. */
  readonly dates: DateRange | null;
}

/** The faults of a source. */
export class Faults {
  #pending: Fault[] = [];
  #clearing = Promise.withResolvers<void>();

  add(fault: Fault): void {
    this.#pending.push(fault);
  }

  clear(): void {
    this.#pending = [];
    this.#clearing.resolve();
    this.#clearing = Promise.withResolvers();
  }

  /** Those that still apply to some request. */
  list(): readonly Fault[] {
    return this.#pending;
  }

  /** Settles when the faults are next cleared. */
  cleared(): Promise<void> {
    return this.#clearing.promise;
  }

  /** Counts a request, and returns what is done to its answer. */
  take(asked: Asked): FaultAction[] {
    const struck = this.#pending.filter((fault) => matches(fault, asked));
    this.#pending = this.#pending.flatMap((fault) => {
      if (!struck.includes(fault) || fault.times === 'always') return [fault];
      const { times = 1 } = fault;
      return times > 1 ? [{ ...fault, times: times - 1 }] : [];
    });
    return struck.map(({ action }) => action);
  }
}

function matches({ operation, page, date }: Fault, asked: Asked): boolean {
  return (
    (operation === undefined || PATHS[operation] === asked.path) &&
    (page === undefined || page === asked.page) &&
    (date === undefined || (asked.dates !== null && asked.dates.from <= date && date <= asked.dates.to))
  );
}

/** Applies the faults that match a request to its answer. */
export function injectFaults(faults: Faults): MiddlewareHandler {
  return async (context, next) => {
    const { dateFrom: from, dateTo: to, page = 1 } = context.req.query();
    const dates = from === undefined || to === undefined ? null : { from, to };
    for (const action of faults.take({ path: context.req.path, page: Number(page), dates })) {
      if (action.kind === 'hold') await faults.cleared();
      else if (action.kind !== 'poison-record') return replace(action);
      else {
        await next();
        return poison(context.res, action.members);
      }
    }
    await next();
    return undefined;
  };
}

type Replacement = Extract<FaultAction, { readonly kind: 'status' | 'html' | 'empty-list' }>;

function replace(action: Replacement): Response {
  if (action.kind === 'empty-list') return Response.json([]);
  if (action.kind === 'html') {
    const headers = { 'content-type': 'text/html' };
    return new Response('<!doctype html><title>Sign in</title>', { headers });
  }
  const { status, body = { status } } = action;
  return typeof body === 'string' ? new Response(body, { status }) : Response.json(body, { status });
}

/** A page with other members in its first record. */
async function poison(answer: Response, members: object): Promise<Response> {
  const page = (await answer.json()) as TimesheetPage;
  const data = page.data.map((record, place) => (place === 0 ? { ...record, ...members } : record));
  return Response.json({ ...page, data });
}
