import ky, { isTimeoutError, type KyInstance, type ResponsePromise } from 'ky';
import { findErrorCode, SourceError } from '#shared/core/errors.ts';
import { NO_QUOTA, type Quota } from '#shared/core/fetch/pace/throttle-wait.ts';
import { USER_AGENT } from '#shared/core/user-agent.ts';
import type { Try } from '../rate-limiter.ts';
import { ACCEPTED_ENCODINGS, checkValueCount, decodeStart, TooLarge, unpack, WrongForm } from './body.ts';
import {
  badResponseError,
  type RequestContext,
  redirectError,
  tooLargeError,
  toRefusalError,
  unreachableError,
} from './failures.ts';
import { createNodeTransport, type HttpAnswer, type Transport } from './transport.ts';

/** A good answer: its JSON value, unchecked, or `not_modified` if it is the one whose ETag was sent. */
export interface ExchangeAnswer {
  readonly content:
    | { readonly outcome: 'json'; readonly value: unknown }
    | { readonly outcome: 'not_modified' };
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
      return await readResult(answer, body, { ...options, outgoing, requestedAt });
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

async function readResult(
  response: HttpAnswer,
  body: Uint8Array,
  received: Received,
): Promise<Try<ExchangeAnswer>> {
  const { outgoing, requestedAt, now } = received;
  const { status, headers } = response;
  const quota = parseQuota(headers, now());
  const fail = (error: SourceError): Try<ExchangeAnswer> => ({ outcome: 'failed', error, quota });
  const answered = (content: ExchangeAnswer['content'], etag: string | null): Try<ExchangeAnswer> => ({
    outcome: 'answered',
    quota,
    answer: { content, etag, requestedAt, receivedAt: now() },
  });
  if (status === 304 && outgoing.headers['if-none-match'] !== undefined)
    return answered({ outcome: 'not_modified' }, null);
  if (status >= 300 && status < 400 && status !== 304)
    return fail(redirectError(status, outgoing.asked.place));
  if (status >= 400)
    return fail(toRefusalError(status, await decodeStart(body, encodingOf(response)), outgoing.asked));
  const content = await readContent(response, body, received);
  return content instanceof SourceError ? fail(content) : answered(content, headers.get('etag'));
}

/** Fatal, because a record with replacement characters would look changed. */
const utf8 = new TextDecoder('utf-8', { fatal: true });

async function readContent(
  response: HttpAnswer,
  body: Uint8Array,
  { outgoing: { asked }, maxResponseBytes }: Received,
): Promise<ExchangeAnswer['content'] | SourceError> {
  if (response.status !== 200)
    return badResponseError(`status ${response.status} instead of 200`, asked.place, {
      status: response.status,
    });
  if (body.byteLength === 0) return badResponseError('an empty body with status 200', asked.place);
  try {
    const bytes = await unpack(body, encodingOf(response), maxResponseBytes);
    checkValueCount(bytes, maxResponseBytes);
    return { outcome: 'json', value: parseUtf8Json(bytes) };
  } catch (error) {
    if (!(error instanceof WrongForm)) throw error;
    return badResponseError(
      `${error.message} with status 200 (${body.byteLength} bytes, ${describeForm(response)})`,
      asked.place,
    );
  }
}

function describeForm(response: HttpAnswer): string {
  const clean = (text: string) => text.replace(/[^\w/.+;=, -]/g, '').slice(0, 60);
  const type = `content type ${clean(response.headers.get('content-type') ?? 'none')}`;
  const encoding = encodingOf(response);
  return encoding === null ? type : `${type}, encoding ${clean(encoding)}`;
}

function parseUtf8Json(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch {
    // Without the parser's message, which quotes the body.
    throw new WrongForm('no whole JSON');
  }
}

/** Nothing of the error is kept but a code: it holds the request, and that the token. */
function toFailure(error: unknown, { asked }: Outgoing, limitMs: number): Try<ExchangeAnswer> {
  const { place } = asked;
  if (error instanceof TooLarge)
    return { outcome: 'failed', error: tooLargeError(error.message, place), quota: NO_QUOTA };
  const code = findErrorCode(error);
  if (code === 'HPE_HEADER_OVERFLOW')
    return { outcome: 'failed', error: tooLargeError('headers of more than 16 KB', place), quota: NO_QUOTA };
  const timedOut = isTimeoutError(error);
  const why = timedOut ? `none within ${Math.round(limitMs)} ms` : code;
  return { outcome: 'failed', error: unreachableError(place, why), quota: NO_QUOTA, timedOut };
}

function encodingOf({ headers }: HttpAnswer): string | null {
  return headers.get('content-encoding');
}

/** Larger numbers are instants in seconds since 1970 instead of waits: nobody asks for a wait of 30 years. */
const EPOCH_SECONDS = 1_000_000_000;
/** Larger numbers are instants in milliseconds. */
const EPOCH_MS = 1_000_000_000_000;

/**
 * What an answer says about the source's limit: `Retry-After` in seconds or as a date, `RateLimit-*` and
 * `X-RateLimit-*` fields, and the combined `RateLimit` field (`remaining=`/`r=`, `reset=`/`t=`). Fields that cannot be
 * parsed count as absent. `now` (milliseconds since 1970) is used for dates if the answer has no `Date` header.
 */
export function parseQuota(headers: Pick<Headers, 'get'>, now: number): Quota {
  const date = Date.parse(headers.get('date') ?? '');
  const sourceNow = Number.isNaN(date) ? now : date;
  const combined = headers.get('ratelimit') ?? '';
  const field = (name: string) => headers.get(`ratelimit-${name}`) ?? headers.get(`x-ratelimit-${name}`);
  return {
    retryAfterMs: parseWaitMs(headers.get('retry-after'), sourceNow),
    remaining: parseCount(field('remaining') ?? /\b(?:remaining|r)=(\d+)/.exec(combined)?.[1] ?? null),
    resetMs: parseWaitMs(field('reset') ?? /\b(?:reset|t)=(\d+)/.exec(combined)?.[1] ?? null, sourceNow),
  };
}

/** Milliseconds to wait, from a number of seconds, an instant in seconds or milliseconds, or a date. */
function parseWaitMs(text: string | null, now: number): number | null {
  if (text === null) return null;
  const trimmed = text.trim();
  if (/^\d{1,15}(?:\.\d{1,9})?$/.test(trimmed)) {
    const number = Number(trimmed);
    if (number >= EPOCH_MS) return Math.max(0, number - now);
    if (number >= EPOCH_SECONDS) return Math.max(0, number * 1_000 - now);
    return number * 1_000;
  }
  const instant = /[a-z]/i.test(trimmed) ? Date.parse(trimmed) : Number.NaN;
  return Number.isNaN(instant) ? null : Math.max(0, instant - now);
}

function parseCount(text: string | null): number | null {
  return text !== null && /^\s*\d{1,12}\s*$/.test(text) ? Number(text) : null;
}
