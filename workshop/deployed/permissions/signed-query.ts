import { createHash, createHmac } from 'node:crypto';
import { REGION } from '../account.ts';
import type { RoleCredentials } from './assume-role.ts';

export interface SignedRequest {
  readonly endpoint: string;
  readonly service: string;
  readonly credentials: RoleCredentials;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Sends a POST as a role, for services of which this project has no client.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 */
export async function sendSigned(request: SignedRequest): Promise<{ ok: boolean; text: string }> {
  const { endpoint, service, credentials, body } = request;
  const at = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const headers: Readonly<Record<string, string>> = {
    ...request.headers,
    host: new URL(endpoint).host,
    'x-amz-date': at,
    'x-amz-security-token': credentials.AWS_SESSION_TOKEN,
  };
  const names = Object.keys(headers).sort();
  const canonical = [
    'POST',
    '/',
    '',
    ...names.map((name) => `${name}:${headers[name]}`),
    '',
    names.join(';'),
    hash(body),
  ].join('\n');
  const scope = [at.slice(0, 8), REGION, service, 'aws4_request'];
  const key = scope.reduce<Buffer | string>(hmac, `AWS4${credentials.AWS_SECRET_ACCESS_KEY}`);
  const text = ['AWS4-HMAC-SHA256', at, scope.join('/'), hash(canonical)].join('\n');
  const signature = hmac(key, text).toString('hex');
  const credential = `${credentials.AWS_ACCESS_KEY_ID}/${scope.join('/')}`;
  const authorization = `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${names.join(';')}, Signature=${signature}`;
  const response = await fetch(endpoint, { method: 'POST', body, headers: { ...headers, authorization } });
  return { ok: response.ok, text: await response.text() };
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function hmac(key: Buffer | string, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
