import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { verifyWebhook } from 'workforce-change-notifier';
import type { Arrival, Inbox } from './inbox.ts';

/** Limit of an SNS message. */
const MAX_BODY_BYTES = 256 * 1_024;

export interface ReceiverOptions {
  /** The signing secret, and during a rotation the previous one too. */
  readonly secrets: readonly string[];
  readonly inbox: Inbox;
  /** Called with each new event, after the sender was answered; the inbox already holds it. */
  readonly work: (arrival: Arrival) => void;
  /** Answers `GET /states`, for tests with `npm run notifier -- test --probe`. */
  readonly tellStates: boolean;
}

/** An HTTP server that receives webhooks at `/hook`. */
export function createReceiver(options: ReceiverOptions): Server {
  return createServer((request, response) => {
    const { method, url } = request;
    if (url === '/states' && options.tellStates) response.end(JSON.stringify(options.inbox.reached()));
    else if (url !== '/hook') answer(response, 404);
    else if (method !== 'POST') answer(response, 405);
    else
      receive(request, options).then(
        (status) => answer(response, status),
        // Not stored: the sender must retry.
        () => answer(response, 500),
      );
  });
}

/** The status for the sender: 2xx when the event is stored, anything else makes it retry. */
async function receive(request: IncomingMessage, { secrets, inbox, work }: ReceiverOptions): Promise<number> {
  const body = await readBody(request);
  if (body === null) return 413;
  const webhook = verifyWebhook({ headers: request.headers, body }, secrets);
  switch (webhook.outcome) {
    case 'refused':
      return 401;
    case 'invalid':
      return 400;
    case 'example':
      return 204;
    case 'unknown_type':
    case 'event':
      if (inbox.take(webhook)) setImmediate(work, webhook);
      return 204;
  }
}

/** The raw bytes, which are what is signed. Null when there are too many. */
async function readBody(request: IncomingMessage): Promise<Uint8Array | null> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function answer(response: ServerResponse, status: number): void {
  response.writeHead(status).end();
}
