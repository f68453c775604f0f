import type { TimesheetPage } from '#local/source/schemas.ts';
import type { SourceOptions } from '#local/source/server.ts';

/** What is done to an answer. */
export type FaultAction =
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

/** A fault of the sample source: the requests it applies to, and what is done to their answers. */
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

/** The faults of a sample source. */
export class SourceFaults {
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

  /** Applies the first fault that matches a request to its answer. */
  readonly intercept: NonNullable<SourceOptions['intercept']> = async (request, answer) => {
    const action = this.#take(new URL(request.url));
    switch (action?.kind) {
      case 'html':
        return new Response('<!doctype html><title>Sign in</title>', {
          headers: { 'content-type': 'text/html' },
        });
      case 'empty-list':
        return Response.json([]);
      case 'status': {
        const { status, body = { status } } = action;
        return typeof body === 'string' ? new Response(body, { status }) : Response.json(body, { status });
      }
      case 'poison-record':
        return poison(await answer(), action.members);
      case 'hold':
        await this.#clearing.promise;
        return answer();
      case undefined:
        return answer();
    }
  };

  /** Counts a request, and returns what is done to its answer. */
  #take(url: URL): FaultAction | undefined {
    const fault = this.#pending.find((each) => matches(each, url));
    if (fault === undefined || fault.times === 'always') return fault?.action;
    const { times = 1 } = fault;
    const rest = times > 1 ? [{ ...fault, times: times - 1 }] : [];
    this.#pending = this.#pending.flatMap((each) => (each === fault ? rest : [each]));
    return fault.action;
  }
}

function matches({ operation, page, date }: Fault, { pathname, searchParams }: URL): boolean {
  const [from, to] = [searchParams.get('dateFrom'), searchParams.get('dateTo')];
  return (
    (operation === undefined || PATHS[operation] === pathname) &&
    (page === undefined || page === Number(searchParams.get('page') ?? 1)) &&
    (date === undefined || (from !== null && to !== null && from <= date && date <= to))
  );
}

/** A page with other members in its first record. */
async function poison(answer: Response, members: object): Promise<Response> {
  const page = (await answer.json()) as TimesheetPage;
  const data = page.data.map((record, place) => (place === 0 ? { ...record, ...members } : record));
  return Response.json({ ...page, data });
}
