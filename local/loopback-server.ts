import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The names of this machine under which a server of it is asked. */
const HOST_NAMES = ['127.0.0.1', 'localhost'];

/** An HTTP server on a free loopback port. */
export interface LoopbackServer {
  readonly port: number;
  /** Also closes open connections. */
  stop(): Promise<void>;
}

/** Starts a server on 127.0.0.1 that answers no web page. Settles once it listens. */
export async function serveOnLoopback(listener: RequestListener): Promise<LoopbackServer> {
  const server = createServer(refuseWebPages(listener));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
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
