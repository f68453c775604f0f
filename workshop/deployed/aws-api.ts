import { OPERATOR, REGION } from './account.ts';

/** The APIs for which this project has no client. No emulator checks the operator's signature; it reads the service from it. */
export interface AwsApi {
  /** The query protocol of CloudFormation and STS. Returns the XML of the answer. */
  query(service: string, parameters: Readonly<Record<string, string>>): Promise<string>;
  /** The JSON protocol, such as that of CloudWatch Logs: `Logs_20140328.CreateLogGroup`. */
  json(service: string, target: string, body: object): Promise<unknown>;
  /** An object of S3. */
  download(bucket: string, key: string): Promise<Buffer>;
  /** The REST protocol of EventBridge Scheduler. Returns the JSON of the answer. */
  rest(method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown): Promise<unknown>;
}

export function createAwsApi(endpoint: string): AwsApi {
  const send = async (service: string, path: string, init: RequestInit) => {
    const scope = `${OPERATOR}/20260101/${REGION}/${service}/aws4_request`;
    const authorization = `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host, Signature=none`;
    const headers = { ...init.headers, authorization, host: `${service}.${REGION}.amazonaws.com` };
    const response = await fetch(`${endpoint}${path}`, { ...init, headers });
    const bytes = Buffer.from(await response.arrayBuffer());
    if (response.ok) return bytes;
    throw new Error(`${service} ${path} answered ${response.status}: ${bytes.toString().slice(0, 500)}`);
  };
  return {
    query: async (service, parameters) =>
      (await send(service, '/', { method: 'POST', body: new URLSearchParams(parameters) })).toString(),
    json: async (service, target, body) => {
      const headers = { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': target };
      return parseAnswer(await send(service, '/', { method: 'POST', headers, body: JSON.stringify(body) }));
    },
    download: (bucket, key) => send('s3', `/${bucket}/${key}`, {}),
    rest: async (method, path, body) => {
      const init = body === undefined ? { method } : { method, body: JSON.stringify(body) };
      const headers = { 'content-type': 'application/json' };
      return parseAnswer(await send('scheduler', path, { ...init, headers }));
    },
  };
}

function parseAnswer(bytes: Buffer): unknown {
  return bytes.length === 0 ? null : JSON.parse(bytes.toString());
}

/** The text of the first element of a name. Throws when there is none. */
export function readElement(xml: string, name: string): string {
  const [, text] = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml) ?? [];
  if (text === undefined) throw new Error(`no ${name} in ${xml.slice(0, 300)}`);
  return unescapeXml(text);
}

function unescapeXml(text: string): string {
  return text
    .replaceAll(/&(?:quot|#34);/g, '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}
