import { SourceError } from '#shared/core/errors.ts';
import type { Try } from '../rate-limiter.ts';
import { decodePart, TooManyBytes, unpacked } from './body.ts';
import {
  badResponseError,
  type RequestContext,
  redirectError,
  toRefusalError,
  unreachableError,
} from './failures.ts';
import { KnownBodies } from './known-bodies.ts';
import { parseQuota } from './quota.ts';
import { createFetchTransport, type HttpAnswer, nodeTransport } from './transport.ts';

/** Bytes of a refusal that are read for its message: enough to mask a long token before the text is cut. */
const MAX_REFUSAL_BYTES = 16 * 1024;

/** A good answer: its JSON value unchecked, or `not_modified` when the source says that we hold it. */
export interface ExchangeAnswer {
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
  readonly asked: RequestContext;
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
export type Exchange = (outgoing: Outgoing) => Promise<Try<ExchangeAnswer>>;

/** Shared by all exchanges of a process: a value follows from the bytes alone, whoever asked for them. */
const knownBodies = new KnownBodies();

/** Timeouts over headers and body together, bounds and statuses are ours. Redirects are not followed. */
export function createExchange(options: ExchangeOptions): Exchange {
  const transport = options.fetch === undefined ? nodeTransport : createFetchTransport(options.fetch);
  return async (outgoing) => {
    const requestedAt = options.now();
    const limitMs = Math.max(0, Math.min(options.timeoutMs, outgoing.deadline - requestedAt));
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort(), limitMs);
    let result: Try<ExchangeAnswer> | null = null;
    try {
      const { url, headers, form } = outgoing;
      const answer = await transport({ url, headers, form, signal: abort.signal });
      result = await readResult(answer, { ...options, outgoing, requestedAt });
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

async function readResult(response: HttpAnswer, received: Received): Promise<Try<ExchangeAnswer>> {
  const { outgoing, requestedAt, now } = received;
  const { status } = response;
  const quota = parseQuota(response.headers, now());
  const fail = (error: SourceError): Try<ExchangeAnswer> => ({ outcome: 'failed', error, quota });
  const asksForChange = outgoing.headers['if-none-match'] !== undefined;
  if (status === 304 && asksForChange) {
    // There is no body; its end gives the connection back.
    await response.readStart(MAX_REFUSAL_BYTES);
    const content = { outcome: 'not_modified' } as const;
    return { outcome: 'answered', quota, answer: { content, etag: null, requestedAt, receivedAt: now() } };
  }
  if (status === 0 || (status >= 300 && status < 400 && status !== 304))
    return fail(redirectError(status, outgoing.asked.place));
  if (status >= 400) {
    const said = decodePart(await response.readStart(MAX_REFUSAL_BYTES), response.encoding);
    return fail(toRefusalError(status, said, outgoing.asked));
  }
  const announced = Number(response.headers.get('content-length') ?? 0);
  if (announced > received.maxResponseBytes) throw new TooManyBytes();
  const bytes = await response.read(received.maxResponseBytes);
  const content = await readContent(response, bytes, received);
  if (content instanceof SourceError) return fail(content);
  const etag = response.headers.get('etag');
  return { outcome: 'answered', quota, answer: { content, etag, requestedAt, receivedAt: now() } };
}

/** Refuses what is not UTF-8 instead of replacing it: a record with replaced letters would look changed. */
const utf8 = new TextDecoder('utf-8', { fatal: true });

async function readContent(
  response: HttpAnswer,
  body: Uint8Array,
  { outgoing, maxResponseBytes, now }: Received,
): Promise<ExchangeAnswer['content'] | SourceError> {
  const { asked, url } = outgoing;
  if (response.status !== 200)
    return badResponseError(`status ${response.status} instead of 200`, asked.place, {
      status: response.status,
    });
  if (body.byteLength === 0) return badResponseError('an empty body with status 200', asked.place);
  const parse = async () => {
    const bytes = await unpacked(body, response.encoding, maxResponseBytes);
    return { value: parseUtf8Json(bytes), bytes: bytes.byteLength };
  };
  try {
    // A token is not kept.
    const value =
      asked.purpose === 'read'
        ? await knownBodies.readValue(url.href, { body, now: now() }, parse)
        : (await parse()).value;
    return { outcome: 'json', value };
  } catch (error) {
    if (!(error instanceof InvalidJson)) throw error;
    const type = (response.headers.get('content-type') ?? 'none').replace(/[^\w/.+;= -]/g, '').slice(0, 60);
    return badResponseError(
      `no whole JSON with status 200 (${body.byteLength} bytes, content type ${type})`,
      asked.place,
    );
  }
}

/** The parser's own message quotes the body, so it is left out. */
class InvalidJson extends Error {}

function parseUtf8Json(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch {
    throw new InvalidJson();
  }
}

function broken(
  error: unknown,
  sent: { outgoing: Outgoing; timedOutMs: number | null },
): Try<ExchangeAnswer> {
  const { place } = sent.outgoing.asked;
  const quota = { retryAfterMs: null, remaining: null, resetMs: null };
  if (error instanceof TooManyBytes) {
    const tooLong = badResponseError('more bytes than requests.maxResponseBytes allows', place, {
      final: true,
    });
    return { outcome: 'failed', error: tooLong, quota };
  }
  const why =
    sent.timedOutMs === null ? findErrorCode(error) : `none within ${Math.round(sent.timedOutMs)} ms`;
  const timedOut = sent.timedOutMs !== null;
  return { outcome: 'failed', error: unreachableError(place, why), quota, timedOut };
}

/** The system's code of a failure, such as `ECONNREFUSED`, from the innermost cause that has one. */
function findErrorCode(error: unknown): string {
  let reason = 'connection broken';
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth += 1)
    if ('code' in at && typeof at.code === 'string') reason = at.code;
  return reason;
}
