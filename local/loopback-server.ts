import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The names of this machine under which a server of it is asked. */
const HOST_NAMES = ['127.0.0.1', 'localhost'];

/** An HTTP server on loopback. */
export interface LoopbackServer {
  readonly port: number;
  /** `http://127.0.0.1:<port>`. */
  readonly endpoint: string;
  /** Also closes open connections. */
  stop(): Promise<void>;
}

/** Starts a server on 127.0.0.1 that answers no web page. Settles once it listens. Throws when the port is in use. */
export async function serveOnLoopback(listener: RequestListener, port = 0): Promise<LoopbackServer> {
  const server = createServer(refuseWebPages(listener));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve);
  });
  const { port: taken } = server.address() as AddressInfo;
  return {
    port: taken,
    endpoint: `http://127.0.0.1:${taken}`,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/**
 * Answers 403 to requests that a web page may have sent: those with an `Origin`, and those for another host, whose name
 * may have been pointed at this machine (DNS rebinding).
 */
export function refuseWebPages(listener: RequestListener): RequestListener {
  return (request, response) => {
    if (isFromWebPage(request)) response.writeHead(403).end();
    else listener(request, response);
  };
}

function isFromWebPage({ headers, socket }: IncomingMessage): boolean {
  if (headers.origin !== undefined) return true;
  return !HOST_NAMES.some((name) => headers.host === `${name}:${socket.localPort}`);
}

/** The body of a request; `null` when it is longer than the limit, if there is one. */
export async function readBody(
  request: IncomingMessage,
  maxBytes = Number.POSITIVE_INFINITY,
): Promise<string | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += (chunk as Buffer).length;
    if (bytes > maxBytes) return null;
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString('utf8');
}
