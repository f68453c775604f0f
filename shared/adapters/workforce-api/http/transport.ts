import * as http from 'node:http';
import * as https from 'node:https';
import { readBytes, readPart } from './body.ts';

/** One request as it goes out. */
interface HttpRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** A form to post; without it the request is a GET. */
  readonly form?: URLSearchParams | undefined;
  readonly signal: AbortSignal;
}

/** An answer of which the status and the headers are there; its body is read once, by one of the two. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: HeaderReader;
  /** How the bytes of the body are compressed; null when they are not. */
  readonly encoding: string | null;
  /** The body as it came, compressed or not. Throws `TooManyBytes`, or what broke the connection. */
  read(maxBytes: number): Promise<Uint8Array>;
  /** The beginning of the body; as much as came when the connection breaks. */
  readStart(maxBytes: number): Promise<Uint8Array>;
}

export interface HeaderReader {
  get(name: string): string | null;
}

/** Sends a request, follows no redirect, and throws what broke the connection. */
export type Transport = (request: HttpRequest) => Promise<HttpAnswer>;

const agents = { http: new http.Agent({ keepAlive: true }), https: new https.Agent({ keepAlive: true }) };

/**
 * Node's own client: a page costs a tenth of what it does through `fetch`, whose body comes as a web stream. A
 * connection that the source closed while it lay idle, as after a pause of the function, is replaced by a fresh one.
 */
export const nodeTransport: Transport = async (request) => {
  try {
    return await send(request);
  } catch (error) {
    if (!(error instanceof StaleConnection) || request.signal.aborted) throw error;
    return await send(request, false);
  }
};

/** A kept connection broke before anything came: the request cannot have been answered. */
class StaleConnection extends Error {}

function send({ url, headers, form, signal }: HttpRequest, reuse = true): Promise<HttpAnswer> {
  const isSecure = url.protocol === 'https:';
  const body = form?.toString();
  return new Promise((resolve, reject) => {
    const outgoing = (isSecure ? https : http).request(url, {
      agent: reuse ? agents[isSecure ? 'https' : 'http'] : false,
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        accept: 'application/json',
        'accept-encoding': 'gzip, deflate, br',
        ...(body === undefined ? {} : FORM_HEADERS),
        ...headers,
      },
      signal,
    });
    outgoing.once('response', (incoming) => resolve(toHttpAnswer(incoming)));
    outgoing.once('error', (cause) => {
      const isStale = outgoing.reusedSocket && body === undefined && !signal.aborted;
      reject(isStale ? new StaleConnection('the kept connection was closed', { cause }) : cause);
    });
    outgoing.end(body);
  });
}

const FORM_HEADERS = { 'content-type': 'application/x-www-form-urlencoded;charset=UTF-8' };

function toHttpAnswer(incoming: http.IncomingMessage): HttpAnswer {
  const { headers } = incoming;
  const get = (name: string) => {
    const value = headers[name];
    return Array.isArray(value) ? value.join(', ') : (value ?? null);
  };
  return {
    status: incoming.statusCode ?? 0,
    headers: { get },
    encoding: get('content-encoding'),
    read: (maxBytes) => readBytes(incoming, maxBytes),
    readStart: (maxBytes) => readPart(incoming, maxBytes),
  };
}

/** Any function that is called like `fetch`: for tests. It undoes compression itself. */
export function createFetchTransport(fetch: typeof globalThis.fetch): Transport {
  return async ({ url, headers, form, signal }) => {
    const response = await fetch(url, {
      method: form === undefined ? 'GET' : 'POST',
      headers: { accept: 'application/json', ...headers },
      ...(form === undefined ? {} : { body: form }),
      redirect: 'manual',
      signal,
    });
    const body = response.body ?? [];
    return {
      status: response.status,
      headers: response.headers,
      encoding: null,
      read: (maxBytes) => readBytes(body, maxBytes),
      readStart: (maxBytes) => readPart(body, maxBytes),
    };
  };
}
