import type { Connection } from '#shared/config/schema/connection.ts';
import { createAddresses, placeOf } from './addresses.ts';
import { createExchange } from './http/exchange.ts';

export interface TokenRequestOptions {
  readonly baseUrl: string;
  /** For messages. */
  readonly secretName: string;
  readonly requests: Connection['requests'];
  readonly now: () => number;
  /** Instant (ms since 1970) after which no token is waited for. */
  readonly deadline: () => number;
  /** Replaces Node's fetch in tests. */
  readonly fetch?: typeof globalThis.fetch;
}

/** Posts a form to a path beside the API and gives the JSON value that came back, unchecked. */
export type TokenRequest = (path: string, form: Readonly<Record<string, string>>) => Promise<unknown>;

/** Bytes of an answer with a token that are read at most. */
const MAX_TOKEN_BYTES = 64 * 1024;

/**
 * Asks the source for a token, section 5 of the specification. Throws `SourceError`: `source_unauthorised` when the
 * source refuses, `source_redirected` when the path leads to another host.
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
