import * as http from 'node:http';
import * as https from 'node:https';
import { readStart, readWhole } from './body.ts';

/** A request as `fetch` takes it, as far as it is used here. */
interface HttpRequest {
  readonly method: 'GET' | 'POST';
  readonly headers: Record<string, string>;
  readonly body?: string;
  readonly redirect: 'manual';
  readonly signal: AbortSignal;
}

/** An answer whose body is read, as far as it is used here: a `Response` is one. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Pick<Headers, 'get'>;
  /** The body as it came, compressed or not. */
  bytes(): Promise<Uint8Array>;
}

/** Sends a request and follows no redirect. Throws `TooManyBytes`, or what broke the connection. */
export type Transport = (url: URL, request: HttpRequest) => Promise<HttpAnswer>;

const agents = { http: new http.Agent({ keepAlive: true }), https: new https.Agent({ keepAlive: true }) };

/**
 * Node's own client, called like `fetch`: a page costs a tenth of what it does through that, whose body comes as a web
 * stream (ADR 16). A 2xx answer is read whole, up to `maxBytes`; of any other one the start.
 */
export function createNodeTransport(maxBytes: number): Transport {
  return async (url, request) => {
    const incoming = await send(url, request);
    const { statusCode: status = 0 } = incoming;
    const isGood = status >= 200 && status < 300;
    const body = await (isGood ? readWhole(incoming, maxBytes) : readStart(incoming));
    return { status, headers: { get: (name) => findHeader(incoming, name) }, bytes: async () => body };
  };
}

function findHeader({ headers }: http.IncomingMessage, name: string): string | null {
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : (value ?? null);
}

/** A connection that the source closed while it lay idle, as after a pause of the function, is replaced once. */
async function send(url: URL, request: HttpRequest): Promise<http.IncomingMessage> {
  try {
    return await sendOnce(url, request, { isKept: true });
  } catch (error) {
    if (!(error instanceof StaleConnection) || request.signal.aborted) throw error;
    return await sendOnce(url, request, { isKept: false });
  }
}

/** A kept connection broke before anything came: the request cannot have been answered. */
class StaleConnection extends Error {}

function sendOnce(
  url: URL,
  { method, headers, body, signal }: HttpRequest,
  { isKept }: { isKept: boolean },
): Promise<http.IncomingMessage> {
  const isSecure = url.protocol === 'https:';
  const agent = isKept && agents[isSecure ? 'https' : 'http'];
  return new Promise((resolve, reject) => {
    const outgoing = (isSecure ? https : http).request(url, { agent, method, headers, signal });
    outgoing.once('response', resolve);
    outgoing.once('error', (cause) => {
      const isStale = outgoing.reusedSocket && method === 'GET' && !signal.aborted;
      reject(isStale ? new StaleConnection('the kept connection was closed', { cause }) : cause);
    });
    outgoing.end(body);
  });
}
