import type { Connection } from '#shared/config/schema/connection.ts';
import { createAddresses, placeOf } from './addresses.ts';
import { createExchange } from './http/exchange.ts';

export interface TokenRequestOptions {
  readonly baseUrl: string;
  /** For error messages. */
  readonly secretName: string;
  readonly requests: Connection['requests'];
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Milliseconds since 1970; a token is not waited for any longer. */
  readonly deadline: () => number;
  /** Replaces Node's HTTP client in tests. */
  readonly fetch?: typeof globalThis.fetch;
}

/** Posts a form to a path beside the API and returns the JSON value of the answer, unchecked. */
export type TokenRequest = (path: string, form: Readonly<Record<string, string>>) => Promise<unknown>;

/** Bytes of an answer with a token. */
const MAX_TOKEN_BYTES = 64 * 1024;

/**
 * Requests tokens from the source (docs/source-api.md, Authentication). Throws `SourceError`: `source_unauthorised` if
 * the source refuses, `source_redirected` if the path leads to another host.
 */
export function createTokenRequest(options: TokenRequestOptions): TokenRequest {
  const addresses = createAddresses(options.baseUrl);
  const { timeoutMs } = options.requests;
  const exchange = createExchange({ ...options, timeoutMs, maxResponseBytes: MAX_TOKEN_BYTES });
  return async (path, form) => {
    const url = addresses.beside(path);
    const result = await exchange({
      url,
      asked: {
        purpose: 'token',
        place: placeOf(url),
        secretName: options.secretName,
        secrets: Object.values(form).filter((text) => text !== 'client_credentials'),
      },
      headers: {},
      form: new URLSearchParams(form),
      deadline: options.deadline(),
    });
    if (result.outcome === 'failed') throw result.error;
    const { content } = result.answer;
    return content.outcome === 'json' ? content.value : null;
  };
}
