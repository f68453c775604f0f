import * as http from 'node:http';
import * as https from 'node:https';
import { readProxies } from '#shared/config/proxies.ts';
import { readStart, readWhole } from './body.ts';

/** An answer whose body is read, as far as it is used here: a `Response` is one. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Pick<Headers, 'get'>;
  /** The body as it came, compressed or not. Throws `TooLarge`, or what broke the connection. */
  bytes(): Promise<Uint8Array>;
}

/** Sends a request and follows no redirect. Throws what broke the connection. */
export type Transport = (request: Request) => Promise<HttpAnswer>;

type FindAgent = (isSecure: boolean, isKept: boolean) => http.Agent;

/** Agents that keep connections, one for each protocol, and such as keep none; they use the proxies of an environment. */
export function createAgents(variables: NodeJS.ProcessEnv): FindAgent {
  const proxyEnv = readProxies(variables);
  const open = (isSecure: boolean, keepAlive: boolean) =>
    new (isSecure ? https : http).Agent({ keepAlive, proxyEnv });
  const [plain, secure] = [open(false, true), open(true, true)];
  return (isSecure, isKept) => {
    if (!isKept) return open(isSecure, false);
    return isSecure ? secure : plain;
  };
}

/** Of this process: made at its first request, and kept with their connections. */
let ownAgents: FindAgent | undefined;

function findOwnAgent(isSecure: boolean, isKept: boolean): http.Agent {
  ownAgents ??= createAgents(process.env);
  return ownAgents(isSecure, isKept);
}

/**
 * Node's own client, called like `fetch`: a page costs a tenth of what it does through that, whose body comes as a web
 * stream (ADR 16). A 2xx answer is read whole, up to `maxBytes`; of any other one the start.
 */
export function createNodeTransport(maxBytes: number, findAgent: FindAgent = findOwnAgent): Transport {
  return async (request) => {
    const incoming = await send(await toOutgoing(request), findAgent);
    const { statusCode: status = 0 } = incoming;
    const isGood = status >= 200 && status < 300;
    return {
      status,
      headers: { get: (name) => findHeader(incoming, name) },
      bytes: () => (isGood ? readWhole(incoming, maxBytes) : readStart(incoming)),
    };
  };
}

function findHeader({ headers }: http.IncomingMessage, name: string): string | null {
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : (value ?? null);
}

/** A request with its body at hand, so that it can be sent twice. */
interface Outgoing extends Pick<Request, 'url' | 'method' | 'signal'> {
  readonly headers: Record<string, string>;
  readonly body: string | null;
}

async function toOutgoing(request: Request): Promise<Outgoing> {
  const { url, method, signal } = request;
  const body = request.body === null ? null : await request.text();
  return { url, method, signal, headers: Object.fromEntries(request.headers), body };
}

/** A connection that the source closed while it lay idle, as after a pause of the function, is replaced once. */
async function send(outgoing: Outgoing, findAgent: FindAgent): Promise<http.IncomingMessage> {
  try {
    return await sendOnce(outgoing, (isSecure) => findAgent(isSecure, true));
  } catch (error) {
    if (!(error instanceof StaleConnection) || outgoing.signal.aborted) throw error;
    return await sendOnce(outgoing, (isSecure) => findAgent(isSecure, false));
  }
}

/** A kept connection broke before anything came: the request cannot have been answered. */
class StaleConnection extends Error {}

function sendOnce(
  { url, method, headers, body, signal }: Outgoing,
  findAgent: (isSecure: boolean) => http.Agent,
): Promise<http.IncomingMessage> {
  const isSecure = url.startsWith('https:');
  const agent = findAgent(isSecure);
  return new Promise((resolve, reject) => {
    const request = (isSecure ? https : http).request(url, { agent, method, headers, signal });
    request.once('response', resolve);
    request.once('error', (cause) => {
      const isStale = request.reusedSocket && method === 'GET' && !signal.aborted;
      reject(isStale ? new StaleConnection('the kept connection was closed', { cause }) : cause);
    });
    request.end(body);
  });
}
