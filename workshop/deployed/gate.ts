import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { request as forward, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { serveOnLoopback } from '#local/loopback-server.ts';
import { type Answer, correctMotoAnswer } from './moto.ts';
import { findGrant, listAccesses, parseRequest, type Statement, type WireRequest } from './permissions.ts';

/**
 * Stands between everyone and the emulator, which refuses nothing: it decides what functions may do, by the policies of
 * the template, and notes what they did.
 */
export interface Gate {
  readonly endpoint: string;
  /** From now on, requests with this access key may do what these statements allow. Those with another may do anything. */
  admit(accessKeyId: string, statements: readonly Statement[]): void;
  /** Actions that were used, by access key: each as `Sid action`. */
  readonly used: ReadonlyMap<string, ReadonlySet<string>>;
  /** What was refused. */
  readonly refused: readonly string[];
  stop(): Promise<void>;
}

/** `endpoint`: of the emulator. */
export async function openGate(endpoint: string): Promise<Gate> {
  const admitted = new Map<string, readonly Statement[]>();
  const used = new Map<string, Set<string>>();
  const refused: string[] = [];
  const judge = ({ accessKeyId, ...wire }: WireRequest): string | null => {
    const statements = admitted.get(accessKeyId);
    if (statements === undefined) return null;
    for (const access of listAccesses(wire)) {
      const { action, resource, partitions } = access;
      const grant = findGrant(access, statements);
      if (grant === undefined) {
        const refusal = `${accessKeyId} may not ${action} on ${resource} ${partitions ?? ''}`;
        refused.push(refusal);
        return refusal;
      }
      used.set(accessKeyId, (used.get(accessKeyId) ?? new Set()).add(`${grant.Sid} ${action}`));
    }
    return null;
  };
  const passage = { endpoint, judge, inTurn: createTurns(), passOnce: createPassOnce() };
  const { endpoint: own, stop } = await serveOnLoopback((incoming, response) => {
    handle(incoming, response, passage).catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  const admit: Gate['admit'] = (key, statements) => void admitted.set(key, statements);
  return { endpoint: own, admit, used, refused, stop };
}

interface Passage {
  readonly endpoint: string;
  /** Returns why a request is refused; null when it is not. */
  readonly judge: (wire: WireRequest) => string | null;
  readonly inTurn: InTurn;
  readonly passOnce: PassOnce;
}

async function handle(incoming: IncomingMessage, response: ServerResponse, passage: Passage): Promise<void> {
  const { judge, inTurn, passOnce, endpoint } = passage;
  const body = await buffer(incoming);
  const wire = parseRequest(incoming.headers, body.toString());
  const refusal = wire === null ? null : judge(wire);
  if (refusal !== null) {
    const type = {
      'content-type': 'application/x-amz-json-1.0',
      'x-amzn-errortype': 'AccessDeniedException',
    };
    response.writeHead(400, type).end(JSON.stringify({ __type: 'AccessDeniedException', message: refusal }));
    return;
  }
  const passed = await inTurn(wire?.service ?? '', async () =>
    // Who gave up waiting for his turn has asked again by now, or will.
    incoming.socket.destroyed ? null : await passOnce(wire, body, () => pass(endpoint, incoming, body)),
  );
  if (passed === null) return;
  const answer = correctMotoAnswer(body.toString(), passed);
  response.writeHead(answer.status, answer.headers).end(answer.body);
}

/** With the host and the signature of the caller. */
async function pass(endpoint: string, from: IncomingMessage, body: Buffer): Promise<Answer> {
  const { url = '/', method, headers } = from;
  const outgoing = forward(new URL(url, endpoint), { method, headers, setHost: false });
  outgoing.end(body);
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
  const { 'transfer-encoding': _, ...answered } = incoming.headers;
  return { status: incoming.statusCode ?? 500, headers: answered, body: await buffer(incoming) };
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

/** Passes a request on, unless it is a transaction that succeeded before: then its answer is that of the first time. */
type PassOnce = (wire: WireRequest | null, body: Buffer, pass: () => Promise<Answer>) => Promise<Answer>;

const OK = 200;

/**
 * In place of an emulator that forgets the token of a transaction. A client that waited in vain for the answer sends the
 * same again: DynamoDB then does nothing, and says that it is done.
 */
function createPassOnce(): PassOnce {
  const done = new Map<string, Answer>();
  return async (wire, body, pass) => {
    if (wire?.operation !== 'TransactWriteItems' || wire.input.ClientRequestToken === undefined)
      return await pass();
    const digest = createHash('sha1').update(body).digest('hex');
    const known = done.get(digest);
    if (known !== undefined) return known;
    const answer = await pass();
    if (answer.status === OK) done.set(digest, answer);
    return answer;
  };
}
