import type { IncomingMessage, ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { serveOnLoopback } from '#local/loopback-server.ts';
import type { Aws } from './aws.ts';
import type { Invoke } from './notifiers/notifier.ts';

const PATH = /^\/2015-03-31\/functions\/([^/]+)\/invocations/;

/**
 * Lambda with the one operation that the emulators do not have without Docker: `Invoke`, by the hosted functions. What
 * else commands read there goes to the account.
 */
export interface InvokeEndpoint {
  readonly url: string;
  stop(): Promise<void>;
}

export async function serveInvocations(
  invoke: Invoke,
  { endpoint }: Pick<Aws, 'endpoint'>,
): Promise<InvokeEndpoint> {
  const { port, stop } = await serveOnLoopback((request, response) => {
    const [, name] = PATH.exec(request.url ?? '') ?? [];
    const answered =
      name === undefined
        ? pass(request, response, endpoint)
        : answer(request, response, (event) => invoke(decodeURIComponent(name), event));
    answered.catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  return { url: `http://127.0.0.1:${port}`, stop };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  invoke: (event: unknown) => Promise<unknown>,
): Promise<void> {
  await invoke(await json(request)).then(
    (result) => response.end(JSON.stringify(result)),
    (error: Error) => {
      const failure = { errorType: error.name, errorMessage: error.message };
      response.writeHead(200, { 'x-amz-function-error': 'Unhandled' }).end(JSON.stringify(failure));
    },
  );
}

async function pass(
  { url = '/', headers }: IncomingMessage,
  response: ServerResponse,
  endpoint: string,
): Promise<void> {
  const { authorization = '' } = headers;
  const passed = await fetch(new URL(url, endpoint), { headers: { authorization } });
  response.writeHead(passed.status, { 'content-type': 'application/json' }).end(await passed.text());
}
