import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { verifyWebhook } from 'workforce-change-notifier';
import type { Arrival, Inbox } from './inbox.ts';

/** An event of SNS has at most 256 KB. */
const MAX_BODY_BYTES = 256 * 1_024;

export interface ReceiverOptions {
  /** The signing secret, and while it is replaced also the one before it. */
  readonly secrets: readonly string[];
  readonly inbox: Inbox;
  /** Told of an event that was not there before. The sender does not wait for it; the inbox has it in any case. */
  readonly work: (arrival: Arrival) => void;
  /** Answers `GET /states`, for tests with `npm run notifier -- conform`. */
  readonly tellStates: boolean;
}

/** Receives webhooks at `/hook`. */
export function createReceiver(options: ReceiverOptions): Server {
  return createServer((request, response) => {
    const { method, url } = request;
    if (url === '/states' && options.tellStates) response.end(JSON.stringify(options.inbox.reached()));
    else if (url !== '/hook') answer(response, 404);
    else if (method !== 'POST') answer(response, 405);
    else
      receive(request, options).then(
        (status) => answer(response, status),
        // Not stored, so not taken: the sender comes again.
        () => answer(response, 500),
      );
  });
}

/** The status that the sender gets: 2xx and it is ours, anything else and it comes again. */
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

/** The bytes as they came: these are signed, and not what a JSON parser makes of them. */
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
