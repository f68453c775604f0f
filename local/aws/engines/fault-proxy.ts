import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import { serveOnLoopback } from '../../loopback-server.ts';
import type { Engine } from './dynamodb-engine.ts';

/** A request of a function to DynamoDB, SNS or SQS. */
export interface EngineRequest {
  /** Such as `PublishBatch` or `TransactWriteItems`. */
  readonly operation: string;
  readonly body: string;
}

/** An answer in place of the engine's. */
export interface EngineFault {
  readonly status: number;
  /** Code of the error, such as `ThrottlingException`. */
  readonly code: string;
  readonly message: string;
}

export interface FaultProxyOptions {
  /** Address of the engine, asked for at each request: the engine may start later. */
  readonly engine: () => string;
  /** Returns a fault for a request, or `null` to pass it on. */
  readonly findFault: (request: EngineRequest) => EngineFault | null;
}

/** Starts a proxy in front of an engine, which answers with faults in the form of AWS. */
export async function startFaultProxy({ engine, findFault }: FaultProxyOptions): Promise<Engine> {
  const { port, stop } = await serveOnLoopback((incoming, response) => {
    void readBody(incoming).then((body) => {
      const fault = findFault({ operation: findOperation(incoming, body), body: body.toString('utf8') });
      if (fault === null) passOn(engine(), { incoming, body }, response);
      else answerFault(fault, incoming, response);
    });
  });
  return { endpoint: `http://127.0.0.1:${port}`, stop };
}

/** The JSON protocols name it in a header, the query protocol of SNS in the body. */
function findOperation({ headers }: IncomingMessage, body: Buffer): string {
  const target = String(headers['x-amz-target'] ?? '');
  if (target !== '') return target.slice(target.lastIndexOf('.') + 1);
  return new URLSearchParams(body.toString('utf8')).get('Action') ?? '';
}

function passOn(
  engine: string,
  { incoming, body }: { readonly incoming: IncomingMessage; readonly body: Buffer },
  response: ServerResponse,
): void {
  const { method, url = '/', headers } = incoming;
  const forwarded = request(new URL(url, engine), { method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  // The engine is being stopped, and so is the function that asks.
  forwarded.on('error', () => response.destroy());
  forwarded.end(body);
}

function answerFault(
  { status, code, message }: EngineFault,
  { headers }: IncomingMessage,
  response: ServerResponse,
): void {
  if (headers['x-amz-target'] === undefined) {
    const text = `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error></ErrorResponse>`;
    response.writeHead(status, { 'content-type': 'text/xml' }).end(text);
    return;
  }
  response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0', 'x-amzn-errortype': code });
  response.end(JSON.stringify({ __type: code, message }));
}

async function readBody(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
