import { createWorkforceApi, type WorkforceApi } from '#shared/adapters/workforce-api/api.ts';
import {
  createSourceClient,
  type SourceClient,
  type TokenSource,
} from '#shared/adapters/workforce-api/client.ts';
import { createRequestQueue, type RequestQueue } from '#shared/adapters/workforce-api/request-queue.ts';
import { createSourceApi } from '#shared/adapters/workforce-api/source-api.ts';
import type { SourceApi } from '#shared/flow/poll/ports.ts';
import { createSeededRandom, createVirtualTime, type VirtualTime } from './virtual-time.ts';

/** What a source answers to one request. */
export type Respond = (request: Request, nth: number) => Response | Promise<Response>;

export interface FakeOptions {
  readonly baseUrl?: string;
  readonly credential?: TokenSource | ((parts: CredentialParts) => TokenSource);
  readonly maxResponseBytes?: number;
  readonly timeoutMs?: number;
  /** Milliseconds from the start to the deadline. */
  readonly timeMs?: number;
  /** For sources that listen on a port: null for the client that is used outside of tests. */
  readonly fetch?: null;
}

/** What a credential shares with the client that uses it. */
interface CredentialParts {
  readonly queue: RequestQueue;
  readonly now: () => number;
  readonly fetch: typeof globalThis.fetch;
}

/** A client whose source is a function and whose time is virtual. */
export interface Fake {
  /** Another one, as of the next poll: it shares token, pace and known lists. */
  readonly open: () => SourceClient;
  readonly client: SourceClient;
  readonly api: WorkforceApi;
  readonly source: SourceApi;
  readonly time: VirtualTime;
  readonly requests: Request[];
  /** Instants of the requests, ms after the start. */
  readonly times: number[];
}

export const TOKEN = 'canary-token-5f1d0b';

export function createFakeSource(respond: Respond, options: FakeOptions = {}): Fake {
  const time = createVirtualTime();
  const { now, sleep } = time;
  const start = now();
  const requests: Request[] = [];
  const times: number[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    times.push(now() - start);
    return respond(request, requests.push(request));
  };
  const { baseUrl = 'https://acme.example', timeMs = 3_600_000, credential = staticCredential() } = options;
  const { timeoutMs = 5_000, maxResponseBytes = 1_000_000 } = options;
  const queue = createRequestQueue({ maxPerSecond: 20, now, sleep, random: createSeededRandom(7) });
  const shared = {
    baseUrl,
    credential: typeof credential === 'function' ? credential({ queue, now, fetch }) : credential,
    bounds: { timeoutMs, maxResponseBytes },
    queue,
    knownLists: new Map(),
    now,
    deadline: start + timeMs,
    ...(options.fetch === null ? {} : { fetch }),
  };
  const open = () => createSourceClient(shared);
  const client = open();
  const source = createSourceApi(client, now);
  return { open, client, api: createWorkforceApi(client), source, time, requests, times };
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
