import ky, { isNetworkError } from 'ky';
import { SourceError } from '../../core/errors.ts';
import { readBody, readStart, TooManyBytes } from './body.ts';
import { type Asked, badResponse, redirectOf, refusalOf, unreachable } from './failures.ts';
import type { Try } from './governor.ts';
import { quotaOf } from './quota.ts';

/** Bytes of a refusal that are read for its message: enough to mask a long token before the text is cut. */
const REFUSAL_BYTES = 16 * 1024;

/** A good answer: its JSON value unchecked, or `not_modified` when the source says that we hold it. */
export interface Answer {
  readonly content:
    | { readonly outcome: 'json'; readonly value: unknown }
    | { readonly outcome: 'not_modified' };
  readonly etag: string | null;
  readonly requestedAt: number;
  readonly receivedAt: number;
}

/** One request as it is sent, once. */
interface Outgoing {
  readonly url: URL;
  readonly asked: Asked;
  readonly headers: Readonly<Record<string, string>>;
  /** A form to post; without it the request is a GET. */
  readonly form?: URLSearchParams;
  /** Instant after which nobody waits for the answer any more, ms since 1970. */
  readonly deadline: number;
}

/** What bounds one request, and the world it is sent in. */
export interface ExchangeOptions {
  readonly timeoutMs: number;
  readonly maxResponseBytes: number;
  readonly now: () => number;
  /** Replaces Node's fetch in tests. */
  readonly fetch?: typeof globalThis.fetch;
}

/** Sends one request, once: never throws for what the source or the network does. */
export type Exchange = (outgoing: Outgoing) => Promise<Try<Answer>>;

/**
 * HTTP through ky, of which only the request building is used: retries, timeouts over headers and body together,
 * bounds and statuses are ours. Redirects are not followed.
 */
export function createExchange(options: ExchangeOptions): Exchange {
  const { fetch } = options;
  const client = ky.create({
    retry: { limit: 0 },
    timeout: false,
    throwHttpErrors: false,
    redirect: 'manual',
    ...(fetch === undefined ? {} : { fetch: (input, init) => fetch(input, init) }),
  });

  return async (outgoing) => {
    const requestedAt = options.now();
    const limitMs = Math.max(0, Math.min(options.timeoutMs, outgoing.deadline - requestedAt));
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort(), limitMs);
    let result: Try<Answer> | null = null;
    try {
      const response = await client(outgoing.url, {
        method: outgoing.form === undefined ? 'get' : 'post',
        headers: { accept: 'application/json', ...outgoing.headers },
        ...(outgoing.form === undefined ? {} : { body: outgoing.form }),
        signal: abort.signal,
      });
      result = await resultOf(response, { ...options, outgoing, requestedAt });
      return result;
    } catch (error) {
      return broken(error, { outgoing, timedOutMs: abort.signal.aborted ? limitMs : null });
    } finally {
      clearTimeout(timer);
      // An answer that was not read to its end would hold its connection.
      if (result?.outcome !== 'answered') abort.abort();
    }
  };
}

interface Received extends ExchangeOptions {
  readonly outgoing: Outgoing;
  readonly requestedAt: number;
}

async function resultOf(response: Response, received: Received): Promise<Try<Answer>> {
  const { outgoing, requestedAt, now } = received;
  const { status } = response;
  const quota = quotaOf(response.headers, now());
  const fail = (error: SourceError): Try<Answer> => ({ outcome: 'failed', error, quota });
  const asksForChange = outgoing.headers['if-none-match'] !== undefined;
  if (status === 304 && asksForChange) {
    const content = { outcome: 'not_modified' } as const;
    return { outcome: 'answered', quota, answer: { content, etag: null, requestedAt, receivedAt: now() } };
  }
  if (status === 0 || (status >= 300 && status < 400 && status !== 304))
    return fail(redirectOf(status, outgoing.asked.place));
  if (status >= 400) return fail(refusalOf(status, await readStart(response, REFUSAL_BYTES), outgoing.asked));
  const bytes = await readBody(response, received.maxResponseBytes);
  const content = contentOf(response, bytes, outgoing.asked.place);
  if (content instanceof SourceError) return fail(content);
  const etag = response.headers.get('etag');
  return { outcome: 'answered', quota, answer: { content, etag, requestedAt, receivedAt: now() } };
}

/** Refuses what is not UTF-8 instead of replacing it: a record with replaced letters would look changed. */
const utf8 = new TextDecoder('utf-8', { fatal: true });

function contentOf(response: Response, bytes: Uint8Array, place: string): Answer['content'] | SourceError {
  if (response.status !== 200)
    return badResponse(`status ${response.status} instead of 200`, place, { status: response.status });
  if (bytes.byteLength === 0) return badResponse('an empty body with status 200', place);
  try {
    return { outcome: 'json', value: JSON.parse(utf8.decode(bytes)) };
  } catch {
    // The parser's own message quotes the body, so it is left out.
    const type = (response.headers.get('content-type') ?? 'none').replace(/[^\w/.+;= -]/g, '').slice(0, 60);
    return badResponse(
      `no whole JSON with status 200 (${bytes.byteLength} bytes, content type ${type})`,
      place,
    );
  }
}

function broken(error: unknown, sent: { outgoing: Outgoing; timedOutMs: number | null }): Try<Answer> {
  const { place } = sent.outgoing.asked;
  const quota = { retryAfterMs: null, remaining: null, resetMs: null };
  if (error instanceof TooManyBytes) {
    const tooLong = badResponse('more bytes than requests.maxResponseBytes allows', place, { final: true });
    return { outcome: 'failed', error: tooLong, quota };
  }
  // ky's error holds the request with our token; what lies under it does not.
  const cause = isNetworkError(error) ? error.cause : error;
  const why = sent.timedOutMs === null ? reasonOf(cause) : `none within ${Math.round(sent.timedOutMs)} ms`;
  return {
    outcome: 'failed',
    error: unreachable(place, why, cause),
    quota,
    timedOut: sent.timedOutMs !== null,
  };
}

/** The system's code of a failure, such as `ECONNREFUSED`, from the innermost cause that has one. */
function reasonOf(error: unknown): string {
  let reason = 'connection broken';
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth += 1)
    if ('code' in at && typeof at.code === 'string') reason = at.code;
  return reason;
}
