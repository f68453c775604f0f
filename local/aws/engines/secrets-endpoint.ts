import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import * as z from 'zod';
import { serveOnLoopback } from '../../loopback-server.ts';
import { localArn } from '../template/local-account.ts';
import type { Engine } from './dynamodb-engine.ts';

/** Too many to be guessed by another process of the machine. */
const ACCESS_TOKEN_BYTES = 32;
const GET_SECRET_VALUE = 'secretsmanager.GetSecretValue';
const requestSchema = z.looseObject({ SecretId: z.string() });

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

/**
 * The `GetSecretValue` of Secrets Manager over its JSON 1.1 protocol, by name or ARN. The secrets are kept in memory,
 * never in the data folder. The address holds a token of the run, and nothing is answered without it: any process of
 * any user can connect to the port.
 */
export async function startSecrets(secrets: ReadonlyMap<string, string>): Promise<Engine> {
  const path = `/${randomBytes(ACCESS_TOKEN_BYTES).toString('base64url')}`;
  const { port, stop } = await serveOnLoopback((request, response) => {
    const answered = isFrom(path, request)
      ? answer(request, secrets)
      : Promise.resolve(refusal('AccessDeniedException', 'the address lacks the token of this run'));
    void answered.then((result) => write(response, result));
  });
  return { endpoint: `http://127.0.0.1:${port}${path}`, stop };
}

/** Compares in constant time. The SDK adds a slash. */
function isFrom(path: string, { url = '' }: IncomingMessage): boolean {
  const given = Buffer.from(url.replace(/\/$/, ''));
  const right = Buffer.from(path);
  return given.length === right.length && timingSafeEqual(given, right);
}

async function answer(request: IncomingMessage, secrets: ReadonlyMap<string, string>): Promise<Answer> {
  const target = request.headers['x-amz-target'];
  if (target !== GET_SECRET_VALUE) return refusal('UnknownOperationException', `no operation ${target}`);
  const parsed = requestSchema.safeParse(await readJsonBody(request));
  if (!parsed.success) return refusal('InvalidParameterException', 'SecretId is missing');
  const name = toSecretName(parsed.data.SecretId);
  const value = secrets.get(name);
  if (value === undefined) {
    return refusal('ResourceNotFoundException', "Secrets Manager can't find the specified secret.");
  }
  return {
    status: 200,
    body: {
      ARN: localArn('secretsmanager', `secret:${name}`),
      Name: name,
      SecretString: value,
      VersionId: '00000000-0000-4000-8000-000000000000',
      VersionStages: ['AWSCURRENT'],
      CreatedDate: 0,
    },
  };
}

function toSecretName(secretId: string): string {
  return secretId.startsWith('arn:')
    ? secretId.slice(localArn('secretsmanager', 'secret:').length)
    : secretId;
}

function refusal(type: string, message: string): Answer {
  return { status: 400, body: { __type: type, message } };
}

/** The JSON of a request; `null` when it cannot be parsed. */
async function readJsonBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) chunks.push(chunk as Buffer);
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    // A caller that is gone or sends something else is refused as for a missing field.
    return null;
  }
}

function write(response: ServerResponse, { status, body }: Answer): void {
  response.writeHead(status, {
    'content-type': 'application/x-amz-json-1.1',
    ...(status === 200 ? {} : { 'x-amzn-errortype': String(body.__type) }),
  });
  response.end(JSON.stringify(body));
}
