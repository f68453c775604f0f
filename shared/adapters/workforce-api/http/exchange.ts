import { isUtf8 } from 'node:buffer';
import ky, { isTimeoutError, type KyInstance, type ResponsePromise } from 'ky';
import { findErrorCode, SourceError } from '#shared/core/errors.ts';
import { USER_AGENT } from '#shared/core/user-agent.ts';
import type { Try } from '../request-queue.ts';
import { parseAskedWait } from './asked-wait.ts';
import { ACCEPTED_ENCODINGS, checkValueCount, readErrorText, TooLarge, unpack, WrongForm } from './body.ts';
import {
  badResponseError,
  type RequestContext,
  redirectError,
  tooLargeError,
  toRefusalError,
  unreachableError,
} from './failures.ts';
import { createNodeTransport, type HttpAnswer, type Transport } from './transport.ts';

/** A good answer. Without a body it is the one whose ETag was sent. */
export interface ExchangeAnswer {
  /** JSON, unchecked, and the bytes that it came in. */
  readonly body: { readonly value: unknown; readonly bytes: number } | null;
  readonly etag: string | null;
  /** Both in milliseconds since 1970. */
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
  /** Milliseconds since 1970; the answer is not waited for any longer. */
  readonly deadline: number;
}

/** What bounds one request. */
export interface ExchangeBounds {
  readonly timeoutMs: number;
  /** Of the body, both as it came and unpacked. */
  readonly maxResponseBytes: number;
}

/**
 * A page of 1,000 records takes a slow source some seconds, and is about a megabyte; 32 of them fit beside a date in the
 * memory of a poll.
 */
export const SOURCE_BOUNDS: ExchangeBounds = { timeoutMs: 20_000, maxResponseBytes: 32 * 1024 * 1024 };

/** What bounds a request, and the clock it is sent by. */
export interface ExchangeOptions extends ExchangeBounds {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Replaces Node's HTTP client in tests. */
  readonly fetch?: typeof globalThis.fetch;
}

/** Sends a request once. Never throws for what the source or the network does. */
export type Exchange = (outgoing: Outgoing) => Promise<Try<ExchangeAnswer>>;

const HEADERS = {
  accept: 'application/json',
  'accept-encoding': ACCEPTED_ENCODINGS,
  'user-agent': USER_AGENT,
};

/** What an exchange does with a status: docs/source-api.md, Status codes. */
export function createExchange(options: ExchangeOptions): Exchange {
  const client = createClient(options);
  return async (outgoing) => {
    const { url, headers, form } = outgoing;
    const requestedAt = options.now();
    const limitMs = Math.max(0, Math.min(options.timeoutMs, outgoing.deadline - requestedAt));
    try {
      const bounded = { headers, totalTimeout: limitMs };
      const pending =
        form === undefined
          ? client.get(url.href, bounded)
          : client.post(url.href, { ...bounded, body: form });
      const answer: HttpAnswer = await pending;
      const body = await readBody(pending, answer.status);
      return readResult(answer, body, { ...options, outgoing, requestedAt });
    } catch (error) {
      return toFailure(error, outgoing, limitMs);
    }
  };
}

/** Sends once, and hands on every status as an answer: what follows from one is decided by our callers (ADR 16). */
function createClient({ fetch, maxResponseBytes }: ExchangeOptions): KyInstance {
  const transport: Transport = fetch ?? createNodeTransport(maxResponseBytes);
  return ky.create({
    // ky calls it with a `Request` always, and hands on what it gives.
    fetch: (request) => transport(request as Request) as Promise<Response>,
    headers: HEADERS,
    redirect: 'manual',
    retry: 0,
    throwHttpErrors: false,
    timeout: false,
  });
}

/** The body. A refusal without one is still a refusal: its status came in time. */
async function readBody(pending: ResponsePromise, status: number): Promise<Uint8Array> {
  try {
    return await pending.bytes();
  } catch (error) {
    if (status < 300) throw error;
    return new Uint8Array();
  }
}

interface Received extends ExchangeOptions {
  readonly outgoing: Outgoing;
  readonly requestedAt: number;
}

function readResult(answer: HttpAnswer, bytes: Uint8Array, received: Received): Try<ExchangeAnswer> {
  const { status, headers } = answer;
  const { requestedAt, now } = received;
  const askedWaitMs = parseAskedWait(headers, now(), { isRefusal: status === 429 });
  const body = readAnswer(answer, bytes, received);
  if (body instanceof SourceError) return { outcome: 'failed', error: body, askedWaitMs };
  const etag = headers.get('etag');
  return { outcome: 'answered', answer: { body, etag, requestedAt, receivedAt: now() }, askedWaitMs };
}

/** What a status means (docs/source-api.md, Status codes); a body that is not JSON is none. */
function readAnswer(
  answer: HttpAnswer,
  bytes: Uint8Array,
  { outgoing: { asked, headers }, maxResponseBytes }: Received,
): ExchangeAnswer['body'] | SourceError {
  const { status } = answer;
  const { place } = asked;
  if (status === 304 && headers['if-none-match'] !== undefined) return null;
  if (status >= 400) return toRefusalError(status, readErrorText(bytes, encodingOf(answer)), asked);
  if (status >= 300 && status !== 304) return redirectError(status, place);
  if (status !== 200) return badResponseError(`status ${status} instead of 200`, place, { status });
  if (bytes.byteLength === 0) return badResponseError('an empty body with status 200', place);
  try {
    const json = unpack(bytes, encodingOf(answer), maxResponseBytes);
    checkValueCount(json, maxResponseBytes);
    return { value: parseUtf8Json(json), bytes: json.byteLength };
  } catch (error) {
    if (!(error instanceof WrongForm)) throw error;
    const form = `${bytes.byteLength} bytes, ${describeForm(answer)}`;
    return badResponseError(`${error.message} with status 200 (${form})`, place);
  }
}

function describeForm(answer: HttpAnswer): string {
  const clean = (text: string) => text.replace(/[^\w/.+;=, -]/g, '').slice(0, 60);
  const type = `content type ${clean(answer.headers.get('content-type') ?? 'none')}`;
  const encoding = encodingOf(answer);
  return encoding === null ? type : `${type}, encoding ${clean(encoding)}`;
}

function encodingOf({ headers }: HttpAnswer): string | null {
  return headers.get('content-encoding');
}

const BYTE_ORDER_MARK = /^\ufeff/;

function parseUtf8Json(bytes: Uint8Array): unknown {
  // A record with replacement characters would look changed.
  if (!isUtf8(bytes)) throw new WrongForm('no whole JSON');
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
  try {
    return JSON.parse(text.replace(BYTE_ORDER_MARK, ''));
  } catch {
    // Without the parser's message, which quotes the body.
    throw new WrongForm('no whole JSON');
  }
}

/** Nothing of the error is kept but a code: it holds the request, and that the token. */
function toFailure(error: unknown, { asked: { place } }: Outgoing, limitMs: number): Try<ExchangeAnswer> {
  const fail = (reason: SourceError, timedOut = false): Try<ExchangeAnswer> => ({
    outcome: 'failed',
    error: reason,
    timedOut,
    askedWaitMs: null,
  });
  if (error instanceof TooLarge) return fail(tooLargeError(error.message, place));
  const code = findErrorCode(error);
  if (code === 'HPE_HEADER_OVERFLOW') return fail(tooLargeError('headers of more than 16 KB', place));
  const timedOut = isTimeoutError(error);
  return fail(unreachableError(place, timedOut ? `none within ${Math.round(limitMs)} ms` : code), timedOut);
}
