import type { RequestCounts } from '#shared/flow/poll/ports.ts';
import { SourceError } from '../../core/errors.ts';
import { placeOf } from './addresses.ts';
import { createExchange, type ExchangeAnswer, type ExchangeBounds, SOURCE_BOUNDS } from './http/exchange.ts';
import type { RateLimiter } from './rate-limiter.ts';

export interface TokenSource {
  /** For error messages. */
  readonly secretName: string;
  /** The token in use. */
  token(): Promise<string>;
  /** Another token, after the source refused this one. */
  renew(refused: string): Promise<string>;
}

export interface ReaderOptions {
  readonly credential: TokenSource;
  /** In place of those of every request, in tests. */
  readonly bounds?: ExchangeBounds;
  readonly rateLimiter: RateLimiter;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Milliseconds since 1970: no request starts or is waited for after it. */
  readonly deadline: () => number;
  /** Replaces Node's HTTP client in tests. */
  readonly fetch?: typeof globalThis.fetch;
}

export interface Reply {
  /** JSON, unchecked. */
  readonly value: unknown;
  /** Both in milliseconds since 1970. */
  readonly requestedAt: number;
  readonly receivedAt: number;
}

interface ReadOptions {
  /** Keeps the answer with its ETag, and sends that the next time. */
  readonly remember: boolean;
  /** Once it is aborted, no request starts for this address. */
  readonly signal?: AbortSignal | undefined;
}

/** Reads addresses of the source with a token, at the pace of the rate limiter, and again if that may help. */
export interface Reader extends Pick<RateLimiter, 'learnedPace' | 'resumePace'> {
  read(url: URL, options?: ReadOptions): Promise<Reply>;
  /** Requests sent and 429s received since this reader was created. */
  counts(): RequestCounts;
}

/** Lists that are kept with their ETags; each is a whole answer in memory. */
const MAX_REMEMBERED_LISTS = 8;

/** `read` throws `SourceError` for everything but a JSON value with status 200 (docs/source-api.md, Status codes). */
export function createReader(options: ReaderOptions): Reader {
  const { rateLimiter } = options;
  const sender = createSender(options);
  const remembered = new Map<string, { etag: string; value: unknown }>();
  return {
    async read(url, { remember, signal } = { remember: false }) {
      const known = remembered.get(url.href);
      const { content, etag, requestedAt, receivedAt } = await sender.send({
        url,
        etag: known?.etag,
        signal,
      });
      if (content.outcome === 'not_modified') return { value: known?.value, requestedAt, receivedAt };
      remembered.delete(url.href);
      if (remember && etag !== null && remembered.size < MAX_REMEMBERED_LISTS)
        remembered.set(url.href, { etag, value: content.value });
      return { value: content.value, requestedAt, receivedAt };
    },
    counts: sender.counts,
    learnedPace: rateLimiter.learnedPace,
    resumePace: rateLimiter.resumePace,
  };
}

interface ReadRequest {
  readonly url: URL;
  /** Of the answer that is kept. */
  readonly etag: string | undefined;
  readonly signal: AbortSignal | undefined;
}

/** Sends in turn and with a token, and counts what it sent. */
function createSender(options: ReaderOptions) {
  const { credential, rateLimiter, bounds = SOURCE_BOUNDS } = options;
  const exchange = createExchange({ ...bounds, ...options });
  let sent = 0;
  let throttled = 0;

  const sendOnce = async ({ url, etag }: ReadRequest, token: string, deadline: number) => {
    sent += 1;
    const result = await exchange({
      url,
      asked: { purpose: 'read', place: placeOf(url), secretName: credential.secretName, secrets: [token] },
      headers: {
        authorization: `Bearer ${token}`,
        ...(etag === undefined ? {} : { 'if-none-match': etag }),
      },
      deadline,
    });
    if (result.outcome === 'failed' && result.error.status === 429) throttled += 1;
    return result;
  };

  const send = async (request: ReadRequest): Promise<ExchangeAnswer> => {
    const deadline = options.deadline();
    const sendWith = (token: string) =>
      rateLimiter.ask(() => sendOnce(request, token, deadline), deadline, request.signal);
    // Not among the tries of the request: a token that cannot be had was asked for as often as that may help.
    const token = await credential.token();
    try {
      return await sendWith(token);
    } catch (error) {
      // The token may have expired or been rotated: one other is tried, once.
      if (!(error instanceof SourceError) || error.status !== 401) throw error;
      return await sendWith(await credential.renew(token));
    }
  };

  return { send, counts: () => ({ requests: sent, throttled }) };
}
