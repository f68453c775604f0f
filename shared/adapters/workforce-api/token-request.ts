import type { RequestToken } from '#shared/adapters/credential/credential.ts';
import { createAddresses, placeOf } from './addresses.ts';
import { createExchange, type ExchangeBounds, SOURCE_BOUNDS } from './http/exchange.ts';
import type { RequestQueue } from './request-queue.ts';

export interface TokenRequestOptions {
  readonly baseUrl: string;
  /** For error messages. */
  readonly secretName: string;
  /** Of all requests to the source. */
  readonly queue: Pick<RequestQueue, 'ask'>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Milliseconds since 1970; a token is not waited for any longer. */
  readonly deadline: () => number;
  /** In place of those of every request, in tests. */
  readonly bounds?: ExchangeBounds;
  /** Replaces Node's HTTP client in tests. */
  readonly fetch?: typeof globalThis.fetch;
}

/** Bytes of an answer with a token. */
const MAX_TOKEN_BYTES = 64 * 1024;

/**
 * Requests tokens from the source (docs/source-api.md, Authentication), at its pace and again if that may help, like any
 * request to it. Throws `SourceError`: `source_unauthorised` if the source refuses, `source_redirected` if the path leads
 * to another host.
 */
export function createTokenRequest(options: TokenRequestOptions): RequestToken {
  const { secretName, queue, bounds = SOURCE_BOUNDS } = options;
  const addresses = createAddresses(options.baseUrl);
  const { timeoutMs } = bounds;
  const exchange = createExchange({ ...options, timeoutMs, maxResponseBytes: MAX_TOKEN_BYTES });
  return async (path, { form, headers, secrets }) => {
    const url = addresses.beside(path);
    const asked = { purpose: 'token', place: placeOf(url), secretName, secrets } as const;
    const deadline = options.deadline();
    const { body } = await queue.ask(
      () => exchange({ url, asked, headers, form: new URLSearchParams(form), deadline }),
      deadline,
    );
    return body?.value ?? null;
  };
}
