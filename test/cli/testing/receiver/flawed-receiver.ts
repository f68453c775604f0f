import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';

/** A fault of a receiver. */
export type Flaw =
  | 'accepts bad signatures'
  | 'applies in order of arrival'
  | 'breaks after a refusal'
  | 'crashes on empty bodies'
  | 'crashes on unknown types'
  | 'fails on a GET'
  | 'fails on duplicates'
  | 'fails when events come at once'
  | 'ignores timestamps'
  | 'knows no epochs'
  | 'reads the first signature only'
  | 'redirects'
  | 'refuses earlier events'
  | 'refuses unknown fields'
  | 'refuses what is sent again'
  | 'remembers ids before it verifies'
  | 'says gone instead of no'
  | 'stops at an unknown type'
  | 'takes small bodies only'
  | 'verifies parsed bodies';

export interface Receiver {
  readonly url: string;
  /** Address of the probe. */
  readonly probeUrl: string;
  close(): Promise<void>;
}

interface Message {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

interface ReceivedEvent {
  readonly id: string;
  readonly type: string;
  readonly subject?: string;
  readonly epoch?: string;
  readonly sequence: number;
}

const MAX_CONCURRENT_MESSAGES = 10;
const SMALL_BYTES = 100 * 1024;
/** Makes concurrent requests overlap. */
const WORK_MS = 10;

/** A webhook receiver on a free port, as one writes it with the Standard Webhooks library, with a flaw or none. */
export async function startReceiver(secret: string, flaw?: Flaw): Promise<Receiver> {
  const receiving = new Receiving(secret, flaw);
  let working = 0;
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    working += 1;
    response.once('close', () => {
      working -= 1;
    });
    const body = await text(request);
    if (flaw === 'fails when events come at once') await wait(WORK_MS);
    if (flaw === 'stops at an unknown type' && body.includes('.teleported')) {
      server.close();
      server.closeAllConnections();
      return;
    }
    const isCrowded = flaw === 'fails when events come at once' && working > MAX_CONCURRENT_MESSAGES;
    const headers = request.headers as Record<string, string>;
    response.writeHead(isCrowded ? 503 : runToStatus(() => receiving.take({ headers, body }))).end();
  };
  const server = createServer((request, response) => {
    if (request.url === '/states') response.end(JSON.stringify(receiving.states));
    else if (flaw === 'redirects') response.writeHead(308, { location: '/elsewhere' }).end();
    else if (request.method === 'POST') void answer(request, response);
    else response.writeHead(flaw === 'fails on a GET' ? 500 : 405).end();
  });
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

function runToStatus(work: () => number): number {
  try {
    return work();
  } catch {
    return 500;
  }
}

class Receiving {
  /** The last applied sequence by record. */
  readonly states: Record<string, number> = {};
  readonly #flaw: Flaw | undefined;
  readonly #webhook: Webhook;
  readonly #seen = new Set<string>();
  readonly #epochs: Record<string, string> = {};
  #refused = 0;

  constructor(secret: string, flaw: Flaw | undefined) {
    this.#webhook = new Webhook(secret);
    this.#flaw = flaw;
  }

  /** The status for a message. */
  take({ headers, body }: Message): number {
    if (this.#flaw === 'takes small bodies only' && body.length > SMALL_BYTES) return 413;
    if (this.#flaw === 'breaks after a refusal' && this.#refused > 0) return 500;
    const id = headers['webhook-id'];
    if (this.#flaw === 'remembers ids before it verifies' && id !== undefined) {
      if (this.#seen.has(id)) return 204;
      this.#seen.add(id);
    }
    if (this.#isSigned({ headers, body })) return this.#read({ headers, body });
    this.#refused += 1;
    return this.#flaw === 'says gone instead of no' ? 410 : 401;
  }

  #isSigned({ headers, body }: Message): boolean {
    const given = headers['webhook-signature'] ?? '';
    switch (this.#flaw) {
      case 'accepts bad signatures':
        return true;
      case 'ignores timestamps': {
        const at = new Date(Number(headers['webhook-timestamp']) * 1_000);
        return given.split(' ').includes(this.#webhook.sign(headers['webhook-id'] ?? '', at, body));
      }
      case 'verifies parsed bodies':
        return this.#verifies({ headers, body: body === '' ? body : JSON.stringify(JSON.parse(body)) });
      case 'reads the first signature only':
        return this.#verifies({
          headers: { ...headers, 'webhook-signature': given.split(' ')[0] ?? '' },
          body,
        });
      default:
        return this.#verifies({ headers, body });
    }
  }

  #verifies({ headers, body }: Message): boolean {
    try {
      this.#webhook.verify(body, headers, { jsonParse: false });
      return true;
    } catch (error) {
      if (error instanceof WebhookVerificationError) return false;
      throw error;
    }
  }

  #read({ headers, body }: Message): number {
    if (body === '' && this.#flaw !== 'crashes on empty bodies') return 400;
    const event = JSON.parse(body) as ReceivedEvent;
    if (this.#flaw === 'refuses unknown fields' && 'additional' in event) return 422;
    if (this.#flaw === 'crashes on unknown types' && event.type.endsWith('.teleported')) return 500;
    if (this.#flaw === 'refuses what is sent again' && headers['webhook-sent-again'] === 'true') return 400;
    if (this.#flaw === 'remembers ids before it verifies') this.#seen.delete(event.id);
    return this.#apply(event);
  }

  #apply({ id, subject = '', epoch = '', sequence }: ReceivedEvent): number {
    if (this.#seen.has(id)) return this.#flaw === 'fails on duplicates' ? 500 : 204;
    this.#seen.add(id);
    const isLater = epoch > (this.#epochs[subject] ?? '') && this.#flaw !== 'knows no epochs';
    const last = isLater ? 0 : (this.states[subject] ?? 0);
    if (this.#flaw === 'refuses earlier events' && sequence < last) return 409;
    if (sequence > last || this.#flaw === 'applies in order of arrival') {
      this.states[subject] = sequence;
      this.#epochs[subject] = epoch;
    }
    return 204;
  }
}
