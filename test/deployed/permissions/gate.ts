import { once } from 'node:events';
import { createServer, request as forward, type IncomingMessage, type ServerResponse } from 'node:http';
import { TABLE } from '#shared/config/table.ts';
import type { Authorizer, Caller, Verdict } from './authorize.ts';
import { listNeeds, parseRequest, type WireRequest } from './request.ts';

/** A request of a function about which the emulator and this test do not agree. */
export interface Disagreement {
  readonly request: string;
  /** Of the test. */
  readonly expected: 'allowed' | 'refused';
  readonly answer: string;
}

/**
 * Stands between the hosted functions and the emulator. It sees what they ask for on the wire, whatever client sends it,
 * and decides by the policies of the account: in place of the emulator where that refuses nothing, beside it where it
 * does.
 */
export interface Gate {
  readonly endpoint: string;
  /** From now on, requests with this key are those of this function. Policies are read anew. */
  admit(accessKeyId: string, caller: Caller): void;
  readonly verdicts: readonly Verdict[];
  readonly disagreements: readonly Disagreement[];
  stop(): Promise<void>;
}

export interface GateOptions {
  /** Of the emulator. */
  readonly endpoint: string;
  readonly authorizer: Authorizer;
  /** Services whose requests the emulator decides itself. */
  readonly decidedByEmulator: ReadonlySet<string>;
}

export async function openGate({ endpoint, authorizer, decidedByEmulator }: GateOptions): Promise<Gate> {
  const callers = new Map<string, Caller>();
  const verdicts: Verdict[] = [];
  const disagreements: Disagreement[] = [];
  const judge = async (wire: WireRequest | null) => {
    const caller = callers.get(wire?.accessKeyId ?? '');
    if (wire === null || caller === undefined) return null;
    const reached = await authorizer.authorize(caller, listNeeds(wire, TABLE.partitionKey));
    verdicts.push(...reached);
    return { wire, refusal: reached.find(({ by }) => by === null) };
  };
  const compare = (verdict: Verdict | undefined, { wire, answer }: { wire: WireRequest; answer: Answer }) => {
    const refused = answer.status >= 400 && REFUSAL.test(answer.body.toString());
    if (refused === (verdict !== undefined)) return;
    disagreements.push({
      request: `${wire.service}:${wire.operation} of ${callers.get(wire.accessKeyId)?.functionName}`,
      expected: verdict === undefined ? 'allowed' : 'refused',
      answer: `${answer.status} ${answer.body.toString().slice(0, 300)}`,
    });
  };
  const handle = async (incoming: IncomingMessage, response: ServerResponse) => {
    const body = await readBody(incoming);
    const judged = await judge(parseRequest({ headers: incoming.headers, body: body.toString() }));
    if (judged?.refusal !== undefined && !decidedByEmulator.has(judged.wire.service)) {
      refuse(response, judged.refusal);
      return;
    }
    const answer = await pass(endpoint, incoming, body);
    if (judged !== null && decidedByEmulator.has(judged.wire.service)) {
      compare(judged.refusal, { wire: judged.wire, answer });
    }
    response.writeHead(answer.status, answer.headers).end(answer.body);
  };
  const server = createServer((incoming, response) => {
    handle(incoming, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the gate has no port');
  return {
    endpoint: `http://127.0.0.1:${address.port}`,
    admit: (accessKeyId, caller) => {
      authorizer.forget();
      callers.set(accessKeyId, caller);
    },
    verdicts,
    disagreements,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const REFUSAL = /AccessDenied|AuthorizationError|not authorized/i;

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

async function readBody(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** With the host and the signature of the caller. */
async function pass(
  endpoint: string,
  { url, method, headers }: IncomingMessage,
  body: Buffer,
): Promise<Answer> {
  // As AWS sees it. The loopback has no TLS, which policies of the stack and of the bootstrap ask for.
  const secured = { ...headers, 'x-forwarded-proto': 'https' };
  const outgoing = forward(new URL(url ?? '/', endpoint), { method, headers: secured, setHost: false });
  outgoing.end(body);
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
  const { 'transfer-encoding': _, ...answered } = incoming.headers;
  return { status: incoming.statusCode ?? 502, headers: answered, body: await readBody(incoming) };
}

/** As the services answer: SNS in XML, the others in JSON. */
function refuse(response: ServerResponse, { caller, permission, because }: Verdict): void {
  const message = `User: ${caller.roleArn} is not authorized to perform: ${permission.action} on resource: ${permission.resource} because ${because}`;
  if (permission.action.startsWith('sns:')) {
    const xml = `<ErrorResponse><Error><Type>Sender</Type><Code>AuthorizationError</Code><Message>${message}</Message></Error></ErrorResponse>`;
    response.writeHead(403, { 'content-type': 'text/xml' }).end(xml);
    return;
  }
  const headers = {
    'content-type': 'application/x-amz-json-1.0',
    'x-amzn-errortype': 'AccessDeniedException',
  };
  response.writeHead(400, headers).end(JSON.stringify({ __type: 'AccessDeniedException', message }));
}
