import { SourceError } from '#shared/core/errors.ts';
import { type Addresses, createAddresses, placeOf, type Query } from './addresses.ts';
import { createExchange, type ExchangeAnswer, type ExchangeBounds, SOURCE_BOUNDS } from './http/exchange.ts';
import type { RequestQueue } from './request-queue.ts';

export interface TokenSource {
  /** For error messages. */
  readonly secretName: string;
  /** The token in use. */
  token(): Promise<string>;
  /** Another token, after the source refused this one. */
  renew(refused: string): Promise<string>;
}

/** Whole lists with their ETags, by address. */
export type KnownLists = Map<string, { readonly etag: string; readonly value: unknown }>;

export interface SourceClientOptions {
  /** With or without trailing slash and `/api/v1`; with the path prefix of the instance, if it has one. */
  readonly baseUrl: string;
  readonly credential: TokenSource;
  readonly queue: RequestQueue;
  readonly knownLists?: KnownLists;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Milliseconds since 1970: no request starts or is waited for after it. */
  readonly deadline: number;
  /** In place of those of every request, in tests. */
  readonly bounds?: ExchangeBounds;
  /** Replaces Node's HTTP client in tests. */
  readonly fetch?: typeof globalThis.fetch;
}

interface ReadRequest {
  /** Below `/api/v1`. */
  readonly path: string;
  readonly query?: Query;
  /** Sends the ETag of the list as it is known, and keeps the answer. */
  readonly isWhole?: boolean;
}

export interface Reply {
  /** JSON, unchecked. */
  readonly value: unknown;
  /** Both in milliseconds since 1970. */
  readonly requestedAt: number;
  readonly receivedAt: number;
  /** The address without its query, for messages. */
  readonly place: string;
}

/** Reads the API of one instance with a token, in turn, and again if that may help: the work of one poll or command. */
export interface SourceClient
  extends Pick<RequestQueue, 'learnedPace' | 'resumePace'>,
    Pick<Addresses, 'nextPage'> {
  /** Throws `SourceError` for everything but JSON with status 200 (docs/source-api.md, Status codes). */
  read(request: ReadRequest): Promise<Reply>;
  /** Requests sent and 429s received since this client was made. */
  counts(): { readonly requests: number; readonly throttled: number };
}

/** A known list stays in memory between polls: larger ones are read anew. */
const MAX_KNOWN_BYTES = 2 * 1024 * 1024;

/** Sends nothing until something is read. Throws `NotifierError` `base_url_invalid`. */
export function createSourceClient(options: SourceClientOptions): SourceClient {
  const { queue, knownLists = new Map() } = options;
  const addresses = createAddresses(options.baseUrl);
  const sender = createSender(options);
  return {
    async read({ path, query, isWhole = false }) {
      const url = addresses.operation(path, query);
      const known = knownLists.get(url.href);
      const { body, etag, requestedAt, receivedAt } = await sender.send(url, known?.etag);
      const times = { requestedAt, receivedAt, place: placeOf(url) };
      if (body === null) return { value: known?.value, ...times };
      if (isWhole && etag !== null && body.bytes <= MAX_KNOWN_BYTES)
        knownLists.set(url.href, { etag, value: body.value });
      return { value: body.value, ...times };
    },
    nextPage: addresses.nextPage,
    counts: sender.counts,
    learnedPace: queue.learnedPace,
    resumePace: queue.resumePace,
  };
}

/** Sends in turn and with a token, and counts what it sent. */
function createSender({
  credential,
  queue,
  deadline,
  bounds = SOURCE_BOUNDS,
  ...options
}: SourceClientOptions) {
  const exchange = createExchange({ ...bounds, ...options });
  const { secretName } = credential;
  let requests = 0;
  let throttled = 0;
  /** A token that cannot be had is asked for once: the next poll asks again. */
  let noToken: { readonly error: unknown } | null = null;

  const obtain = async (ask: () => Promise<string>): Promise<string> => {
    if (noToken !== null) throw noToken.error;
    try {
      return await ask();
    } catch (error) {
      noToken = { error };
      throw error;
    }
  };
  const sendOnce = async (url: URL, token: string, etag: string | undefined) => {
    requests += 1;
    const asked = { purpose: 'read', place: placeOf(url), secretName, secrets: [token] } as const;
    const authorization = `Bearer ${token}`;
    const headers = etag === undefined ? { authorization } : { authorization, 'if-none-match': etag };
    const result = await exchange({ url, asked, headers, deadline });
    if (result.outcome === 'failed' && result.error.status === 429) throttled += 1;
    return result;
  };

  const send = async (url: URL, etag: string | undefined): Promise<ExchangeAnswer> => {
    const sendWith = (token: string) => queue.ask(() => sendOnce(url, token, etag), deadline);
    const token = await obtain(credential.token);
    try {
      return await sendWith(token);
    } catch (error) {
      if (!(error instanceof SourceError) || error.status !== 401) throw error;
      // The token may have expired or been rotated: one other is tried, once.
      const other = await obtain(() => credential.renew(token));
      if (other === token) throw error;
      return await sendWith(other);
    }
  };
  return { send, counts: () => ({ requests, throttled }) };
}
