import type { IncomingMessage, RequestListener } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { answerFault, type DoorRules, type EngineFault, keepDoor, passOn } from '#local/aws/engines/door.ts';
import type { Engine } from '#local/aws/engines/dynamodb-engine.ts';
import { serveOnLoopback } from '#local/loopback-server.ts';

/** A request of a function to DynamoDB, SNS or SQS. */
export interface EngineRequest {
  /** Such as `PublishBatch` or `TransactWriteItems`. */
  readonly operation: string;
  readonly body: string;
}

export interface FaultProxyOptions extends DoorRules {
  /** Address of the engine, asked for at each request: the engine may start later. */
  readonly engine: () => string;
  /** Returns a fault for a request, or `null` to pass it on. */
  readonly findFault: (request: EngineRequest) => EngineFault | null;
}

/** Starts a proxy in front of an engine, which answers with faults in the form of AWS. */
export async function startFaultProxy({ engine, findFault, ...rules }: FaultProxyOptions): Promise<Engine> {
  const listener: RequestListener = (incoming, response) => {
    void buffer(incoming).then((body) => {
      const fault = findFault({ operation: findOperation(incoming, body), body: body.toString('utf8') });
      if (fault === null) passOn({ endpoint: engine() }, { incoming, body }, response);
      else answerFault(fault, incoming, response);
    });
  };
  return await serveOnLoopback(keepDoor(listener, rules));
}

/** The JSON protocols name it in a header, the query protocol of SNS in the body. */
function findOperation({ headers }: IncomingMessage, body: Buffer): string {
  const target = String(headers['x-amz-target'] ?? '');
  if (target !== '') return target.slice(target.lastIndexOf('.') + 1);
  return new URLSearchParams(body.toString('utf8')).get('Action') ?? '';
}
