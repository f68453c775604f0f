import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { Receiving, type ReceivingFlaw } from './receiving.ts';

/** Faults of a receiver. */
export type Flaw =
  | ReceivingFlaw
  | 'redirects'
  | 'stops at an unknown type'
  | 'fails on a GET'
  | 'fails when events come at once';

export interface Receiver {
  readonly url: string;
  /** Address of the probe. */
  readonly probeUrl: string;
  close(): Promise<void>;
}

const MAX_CONCURRENT_MESSAGES = 10;
/** Makes concurrent requests overlap. */
const WORK_MS = 10;

/** A webhook receiver on a free port with some flaws. */
export async function startReceiver(
  secrets: readonly string[],
  ...flaws: readonly Flaw[]
): Promise<Receiver> {
  const has = (flaw: Flaw) => flaws.includes(flaw);
  const receiving = new Receiving(secrets, has);
  const isCrowded = has('fails when events come at once') ? createCrowdCheck() : async () => false;
  const server = createServer((request, response) => {
    if (request.url === '/states') response.end(JSON.stringify(receiving.states));
    else if (has('redirects')) response.writeHead(308, { location: '/elsewhere' }).end();
    else if (request.method !== 'POST') response.writeHead(has('fails on a GET') ? 500 : 405).end();
    else void answer(request, response);
  });
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    if (has('stops at an unknown type') && body.includes('.teleported')) {
      server.close();
      server.closeAllConnections();
      return;
    }
    const crowded = await isCrowded(response);
    const message = { headers: readHeaders(request), body };
    response.writeHead(crowded ? 503 : runToStatus(() => receiving.take(message))).end();
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    probeUrl: `http://127.0.0.1:${port}/states`,
    close: async () => {
      if (!server.listening) return;
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Works briefly on every message, and returns whether too many are in progress. */
function createCrowdCheck(): (response: ServerResponse) => Promise<boolean> {
  let working = 0;
  return async (response) => {
    working += 1;
    response.once('close', () => {
      working -= 1;
    });
    await wait(WORK_MS);
    return working > MAX_CONCURRENT_MESSAGES;
  };
}

function runToStatus(work: () => number): number {
  try {
    return work();
  } catch {
    return 500;
  }
}

function readHeaders({ headers }: IncomingMessage): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}
