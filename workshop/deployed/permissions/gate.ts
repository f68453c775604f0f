import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, request as forward, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { Journal } from '../journal.ts';
import { type Answer, correctMotoAnswer } from '../moto.ts';
import type { Authorizer, Caller, Verdict } from './authorize.ts';
import { createJudge, type Evidence, type Judge } from './judge.ts';
import { parseRequest, type WireRequest } from './request.ts';

/**
 * Stands between everyone and the emulator. It sees what the hosted functions ask for on the wire, whatever client sends
 * it, and decides by the policies of the account in place of the emulator, which refuses nothing.
 */
export interface Gate {
  readonly endpoint: string;
  /** From now on, requests with this key are those of this function. Policies are read anew. */
  admit(accessKeyId: string, caller: Caller): Promise<void>;
  readonly evidence: Evidence;
  stop(): Promise<void>;
}

export interface GateOptions {
  /** Of the emulator. */
  readonly endpoint: string;
  readonly authorizer: Authorizer;
  readonly journal: Journal;
}

export async function openGate({ endpoint, authorizer, journal }: GateOptions): Promise<Gate> {
  const judge = createJudge(authorizer);
  const passage = { endpoint, journal, judge, inTurn: createTurns(), passOnce: createPassOnce() };
  const server = createServer((incoming, response) => {
    handle(incoming, response, passage).catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the gate has no port');
  return {
    endpoint: `http://127.0.0.1:${address.port}`,
    admit: judge.admit,
    evidence: judge,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

interface Passage extends Pick<GateOptions, 'endpoint' | 'journal'> {
  readonly judge: Judge;
  readonly inTurn: InTurn;
  readonly passOnce: PassOnce;
}

/**
 * Does the work, for DynamoDB once nothing else is under way there: in the emulator a transaction copies its tables, and
 * puts the copy back when it fails, so that what others wrote meanwhile is gone.
 */
type InTurn = <T>(service: string, work: () => Promise<T>) => Promise<T>;

function createTurns(): InTurn {
  let last: Promise<unknown> = Promise.resolve();
  return async (service, work) => {
    if (service !== 'dynamodb') return await work();
    const turn = last.then(work);
    last = turn.catch(() => undefined);
    return await turn;
  };
}

async function handle(
  incoming: IncomingMessage,
  response: ServerResponse,
  { judge, inTurn, passOnce, endpoint, journal }: Passage,
): Promise<void> {
  const { method = '', url = '', headers } = incoming;
  const body = await buffer(incoming);
  const wire = parseRequest({ method, path: url, headers, body: body.toString() });
  const refusal = await judge.judge(wire);
  if (refusal !== null) {
    refuse(response, refusal);
    return;
  }
  const service = wire?.service ?? '';
  // Who gave up waiting for his turn has asked again by now, or will.
  const isGone = () => incoming.socket.destroyed;
  const passed = await inTurn(service, async () =>
    isGone() ? null : await passOnce(wire, body, () => pass(endpoint, incoming, body)),
  );
  if (passed === null) return;
  const answer = correctMotoAnswer(body.toString(), passed);
  const name = `${service}:${wire?.operation || `${method} ${url}`}`;
  journal.note({ name, request: body, status: answer.status, answer: answer.body });
  response.writeHead(answer.status, answer.headers).end(answer.body);
}

/** With the host and the signature of the caller. */
async function pass(
  endpoint: string,
  { url, method, headers }: IncomingMessage,
  body: Buffer,
): Promise<Answer> {
  const outgoing = forward(new URL(url ?? '/', endpoint), { method, headers, setHost: false });
  outgoing.end(body);
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
  const { 'transfer-encoding': _, ...answered } = incoming.headers;
  return { status: incoming.statusCode ?? 502, headers: answered, body: await buffer(incoming) };
}

/** As the services answer: in XML where the protocol is that of queries, in JSON elsewhere. */
function refuse(response: ServerResponse, { caller, permission, because }: Verdict): void {
  const message = `User: ${caller.roleArn} is not authorized to perform: ${permission.action} on resource: ${permission.resource} because ${because}`;
  if (/^(?:sns|iam|sts):/.test(permission.action)) {
    const code = permission.action.startsWith('sns:') ? 'AuthorizationError' : 'AccessDenied';
    const xml = `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error></ErrorResponse>`;
    response.writeHead(403, { 'content-type': 'text/xml' }).end(xml);
    return;
  }
  const headers = {
    'content-type': 'application/x-amz-json-1.0',
    'x-amzn-errortype': 'AccessDeniedException',
  };
  response.writeHead(400, headers).end(JSON.stringify({ __type: 'AccessDeniedException', message }));
}

/** Passes a request on, unless it is a transaction that succeeded before: then its answer is that of the first time. */
type PassOnce = (wire: WireRequest | null, body: Buffer, pass: () => Promise<Answer>) => Promise<Answer>;

const TRANSACTION = 'TransactWriteItems';
const OK = 200;

/**
 * In place of an emulator that forgets the token of a transaction. A client that waited in vain for the answer sends the
 * same again: DynamoDB then does nothing, and says that it is done.
 */
function createPassOnce(): PassOnce {
  const done = new Map<string, Answer>();
  return async (wire, body, pass) => {
    const { operation, parameters } = wire ?? {};
    if (operation !== TRANSACTION || parameters?.ClientRequestToken === undefined) return await pass();
    const digest = createHash('sha1').update(body).digest('hex');
    const known = done.get(digest);
    if (known !== undefined) return known;
    const answer = await pass();
    if (answer.status === OK) done.set(digest, answer);
    return answer;
  };
}
