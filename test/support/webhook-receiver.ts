import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import {
  type AddressInfo,
  createServer as createRawServer,
  type Server as RawServer,
  type Socket,
} from 'node:net';
import { TEST_CERTIFICATE, TEST_KEY } from './webhook-certificate.ts';

interface ReceivedRequest {
  readonly method: string | undefined;
  readonly path: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface TestReceiver {
  readonly port: number;
  readonly received: readonly ReceivedRequest[];
  stop(): Promise<void>;
}

/** A receiver on loopback that keeps the requests that it got. */
export async function startReceiver(answer: RequestListener, { tls = false } = {}): Promise<TestReceiver> {
  const received: ReceivedRequest[] = [];
  const listener: RequestListener = (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('error', () => {});
    request.on('end', () => {
      const { method, url: path, headers } = request;
      received.push({ method, path, headers, body: Buffer.concat(chunks).toString() });
      answer(request, response);
    });
  };
  const secure = { key: TEST_KEY, cert: TEST_CERTIFICATE };
  const server = tls ? createTlsServer(secure, listener) : createServer(listener);
  return { ...(await listen(server)), received };
}

/** A server that passes each connection to `talk`, without HTTP. */
export async function startRawServer(talk: (socket: Socket) => void): Promise<TestReceiver> {
  const server = createRawServer((socket) => {
    socket.on('error', () => {});
    talk(socket);
  });
  return { ...(await listen(server)), received: [] };
}

async function listen(server: Server | RawServer): Promise<Omit<TestReceiver, 'received'>> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  });
  server.on('tlsClientError', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
