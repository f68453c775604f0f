import { createAddresses, placeOf } from './addresses.ts';
import { createExchange, type ExchangeBounds, SOURCE_BOUNDS } from './http/exchange.ts';
import type { RateLimiter } from './rate-limiter.ts';

export interface TokenRequestOptions {
  readonly baseUrl: string;
  /** For error messages. */
  readonly secretName: string;
  /** Of all requests to the source. */
  readonly rateLimiter: Pick<RateLimiter, 'ask'>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Milliseconds since 1970; a token is not waited for any longer. */
  readonly deadline: () => number;
  /** In place of those of every request, in tests. */
  readonly bounds?: ExchangeBounds;
  /** Replaces Node's HTTP client in tests. */
  readonly fetch?: typeof globalThis.fetch;
}

/** Posts a form to a path beside the API and returns the JSON value of the answer, unchecked. */
export type TokenRequest = (
  path: string,
  client: {
    readonly form: Readonly<Record<string, string>>;
    readonly headers: Readonly<Record<string, string>>;
    /** Masked in what is said of the answer. */
    readonly secrets: readonly string[];
  },
) => Promise<unknown>;

/** Bytes of an answer with a token. */
const MAX_TOKEN_BYTES = 64 * 1024;

/**
 * Requests tokens from the source (docs/source-api.md, Authentication), at its pace and again if that may help, like any
 * request to it. Throws `SourceError`: `source_unauthorised` if the source refuses, `source_redirected` if the path leads
 * to another host.
 */
export function createTokenRequest(options: TokenRequestOptions): TokenRequest {
  const { secretName, rateLimiter, bounds = SOURCE_BOUNDS } = options;
  const addresses = createAddresses(options.baseUrl);
  const { timeoutMs } = bounds;
  const exchange = createExchange({ ...options, timeoutMs, maxResponseBytes: MAX_TOKEN_BYTES });
  return async (path, { form, headers, secrets }) => {
    const url = addresses.beside(path);
    const asked = { purpose: 'token', place: placeOf(url), secretName, secrets } as const;
    const deadline = options.deadline();
    const { content } = await rateLimiter.ask(
      () => exchange({ url, asked, headers, form: new URLSearchParams(form), deadline }),
      deadline,
    );
    return content.outcome === 'json' ? content.value : null;
  };
}
