import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import * as z from 'zod';
import { readBody, serveOnLoopback } from '../../loopback-server.ts';
import { localArn } from '../template/local-account.ts';
import { keepDoor, SERVICES } from './door.ts';
import type { Engine } from './dynamodb-engine.ts';

const GET_SECRET_VALUE = 'secretsmanager.GetSecretValue';
const requestSchema = z.looseObject({ SecretId: z.string() });

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

/**
 * The `GetSecretValue` of Secrets Manager over its JSON 1.1 protocol, by name or ARN. The secrets are kept in memory,
 * never in the data folder.
 */
export async function startSecrets(
  secrets: ReadonlyMap<string, string>,
  accessKeyId: string,
): Promise<Engine> {
  const listener: RequestListener = (request, response) => {
    void answer(request, secrets).then((result) => write(response, result));
  };
  const rules = { accessKeyId: () => accessKeyId, services: SERVICES.secretsManager };
  return await serveOnLoopback(keepDoor(listener, rules));
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
  try {
    return JSON.parse((await readBody(request)) ?? '');
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
