import { createWorkforceApi, type WorkforceApi } from '#shared/adapters/workforce-api/api.ts';
import { createRateLimiter, type RateLimiter } from '#shared/adapters/workforce-api/rate-limiter.ts';
import type { TokenSource } from '#shared/adapters/workforce-api/reader.ts';
import { createSourceApi } from '#shared/adapters/workforce-api/source-api.ts';
import type { Page, WalkEnd } from '#shared/core/fetch/pages.ts';
import type { SourceApi } from '#shared/flow/poll/ports.ts';
import { createSeededRandom, createVirtualTime, type VirtualTime } from './virtual-time.ts';

/** What a source answers to one request. */
export type Respond = (request: Request, nth: number) => Response | Promise<Response>;

export interface FakeOptions {
  readonly baseUrl?: string;
  readonly credential?: TokenSource | ((parts: CredentialParts) => TokenSource);
  readonly maxResponseBytes?: number;
  readonly timeoutMs?: number;
  readonly maxPerSecond?: number;
  readonly pageSize?: number;
  /** Milliseconds from the start to the deadline. */
  readonly timeMs?: number;
  /** For sources that listen on a port: null for the client that is used outside of tests. */
  readonly fetch?: typeof globalThis.fetch | null;
}

/** What a credential shares with the client that uses it. */
export interface CredentialParts {
  readonly rateLimiter: RateLimiter;
  readonly now: () => number;
  readonly fetch: typeof globalThis.fetch;
}

/** A client whose source is a function and whose time is virtual. */
export interface Fake {
  readonly api: WorkforceApi;
  readonly source: SourceApi;
  readonly time: VirtualTime;
  readonly requests: Request[];
  /** Instants of the requests, ms after the start. */
  readonly times: number[];
}

const BASE_URL = 'https://acme.example';
export const TOKEN = 'canary-token-5f1d0b';

export function createFakeSource(respond: Respond, options: FakeOptions = {}): Fake {
  const time = createVirtualTime();
  const start = time.now();
  const requests: Request[] = [];
  const times: number[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    times.push(time.now() - start);
    return respond(request, requests.push(request));
  };
  const { maxPerSecond = 20, timeMs = 3_600_000 } = options;
  const bounds = {
    timeoutMs: options.timeoutMs ?? 5_000,
    maxResponseBytes: options.maxResponseBytes ?? 1_000_000,
  };
  const random = createSeededRandom(7);
  const rateLimiter = createRateLimiter({ maxPerSecond, now: time.now, sleep: time.sleep, random });
  const { credential = staticCredential() } = options;
  const api = createWorkforceApi({
    baseUrl: options.baseUrl ?? BASE_URL,
    credential:
      typeof credential === 'function' ? credential({ rateLimiter, now: time.now, fetch }) : credential,
    bounds,
    rateLimiter,
    now: time.now,
    deadline: () => start + timeMs,
    ...(options.fetch === null ? {} : { fetch: options.fetch ?? fetch }),
  });
  const source = createSourceApi(api, { pageSize: options.pageSize ?? 2, now: time.now });
  return { api, source, time, requests, times };
}

function staticCredential(token = TOKEN): TokenSource {
  return { secretName: 'acme/token', token: async () => token, renew: async () => token };
}

export function json(value: unknown, init: ResponseInit = {}): Response {
  return new Response(JSON.stringify(value), { headers: { 'content-type': 'application/json' }, ...init });
}

export function status(code: number, body = '', headers: Record<string, string> = {}): Response {
  return new Response(body === '' ? null : body, { status: code, headers });
}

/** A page of the envelope with records that have only ids. */
export function page(ids: readonly string[], pagination: Record<string, unknown> = {}): unknown {
  const defaults = { page: 1, pageSize: 2, totalPages: 1, totalRecords: ids.length };
  return {
    __type: 'page',
    data: ids.map((id) => ({ id })),
    pagination: { ...defaults, nextPage: '', previousPage: '', ...pagination },
  };
}

/** The error of a rejected promise; throws if it is not rejected. */
export async function catchError(work: Promise<unknown>): Promise<unknown> {
  try {
    await work;
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

/** Every page of a walk, and how it ended. */
export async function collectWalk(
  pages: AsyncGenerator<Page, WalkEnd>,
): Promise<{ pages: Page[]; end: WalkEnd }> {
  const seen: Page[] = [];
  for (;;) {
    const step = await pages.next();
    if (step.done) return { pages: seen, end: step.value };
    seen.push(step.value);
  }
}
