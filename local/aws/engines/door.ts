import { randomBytes, timingSafeEqual } from 'node:crypto';
import { type IncomingMessage, type RequestListener, request, type ServerResponse } from 'node:http';
import { request as secureRequest } from 'node:https';
import { serveOnLoopback } from '../../loopback-server.ts';
import type { Engine } from './dynamodb-engine.ts';

/** Too many to be guessed by another process of the machine. */
const ACCESS_KEY_BYTES = 24;
/** `Credential=KEY/20260101/us-east-1/dynamodb/aws4_request` of Signature Version 4. */
const CREDENTIAL = /Credential=([\w-]+)\/\d+\/[\w-]+\/(\w+)\/aws4_request/;
const CORS_HEADER = /^access-control-/;

/** Always the same: DynamoDB Local keeps a database for each key. */
const ANY_KEY = 'local';

/** The access key of a run, which its requests are signed with. No engine answers a request without it. */
export function createAccessKey(): string {
  return randomBytes(ACCESS_KEY_BYTES).toString('base64url');
}

/** The services behind an endpoint, as a signature names them. */
export const SERVICES = {
  dynamoDb: ['dynamodb'],
  messaging: ['sns', 'sqs'],
  secretsManager: ['secretsmanager', 'ssm'],
} as const;

/** Who may pass. */
export interface DoorRules {
  /** The access key of the run. */
  readonly accessKeyId: () => string;
  readonly services: readonly string[];
}

const NO_KEY = {
  status: 403,
  code: 'UnrecognizedClientException',
  message: 'the request lacks the access key of this run',
};

/**
 * Lets requests of this run through to an engine: any process of any user, and any web page, can connect to its port.
 * What the engines are asked is always a POST to `/`.
 */
export function keepDoor(engine: RequestListener, rules: DoorRules): RequestListener {
  return (incoming, response) => {
    const isCall = incoming.method === 'POST' && incoming.url === '/';
    if (isCall && hasKey(incoming, rules)) engine(incoming, response);
    else refuse(incoming, response);
  };
}

/** Serves an engine that has an address of its own behind a door. The engine never sees the key. */
export async function openDoor({ endpoint }: Pick<Engine, 'endpoint'>, rules: DoorRules): Promise<Engine> {
  const listener: RequestListener = (incoming, response) => {
    incoming.headers.authorization = incoming.headers.authorization?.replace(rules.accessKeyId(), ANY_KEY);
    passOn(endpoint, incoming, response);
  };
  return await serveOnLoopback(keepDoor(listener, rules));
}

/** Compares in constant time. */
function hasKey({ headers }: IncomingMessage, { accessKeyId, services }: DoorRules): boolean {
  const [, key = '', service = ''] = CREDENTIAL.exec(headers.authorization ?? '') ?? [];
  const [given, right] = [Buffer.from(key), Buffer.from(accessKeyId())];
  const isKey = given.length > 0 && given.length === right.length && timingSafeEqual(given, right);
  return isKey && services.includes(service);
}

/** Passes a request on to an engine, and its answer back. */
function passOn(endpoint: string, incoming: IncomingMessage, response: ServerResponse): void {
  const {
    method,
    headers: { host: _, ...headers },
  } = incoming;
  const send = endpoint.startsWith('https:') ? secureRequest : request;
  const forwarded = send(endpoint, { method, headers }, (answer) => {
    const kept = Object.entries(answer.headers).filter(([name]) => !CORS_HEADER.test(name));
    response.writeHead(answer.statusCode ?? 502, Object.fromEntries(kept));
    answer.pipe(response);
  });
  // The engine is being stopped, and so is the function that asks.
  forwarded.on('error', () => response.destroy());
  incoming.pipe(forwarded);
}

/** Answers that the key is missing, in the form of AWS. */
function refuse({ headers }: IncomingMessage, response: ServerResponse): void {
  const { status, code, message } = NO_KEY;
  if (headers['x-amz-target'] === undefined) {
    const text = `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error></ErrorResponse>`;
    response.writeHead(status, { 'content-type': 'text/xml' }).end(text);
    return;
  }
  response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0', 'x-amzn-errortype': code });
  response.end(JSON.stringify({ __type: code, message }));
}
