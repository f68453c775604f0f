import { serveOnLoopback } from '#local/loopback-server.ts';
import type { Invoke } from './notifiers/notifier.ts';

const PATH = /^\/2015-03-31\/functions\/([^/]+)\/invocations/;

/** The one operation of Lambda that the emulators do not have without Docker: `Invoke`, by the hosted functions. */
export interface InvokeEndpoint {
  readonly url: string;
  stop(): Promise<void>;
}

export async function serveInvocations(invoke: Invoke): Promise<InvokeEndpoint> {
  const { port, stop } = await serveOnLoopback((request, response) => {
    const [, name = ''] = PATH.exec(request.url ?? '') ?? [];
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const event: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'));
      invoke(decodeURIComponent(name), event).then(
        (result) => response.end(JSON.stringify(result)),
        (error: Error) => {
          const failure = { errorType: error.name, errorMessage: error.message };
          response.writeHead(200, { 'x-amz-function-error': 'Unhandled' }).end(JSON.stringify(failure));
        },
      );
    });
  });
  return { url: `http://127.0.0.1:${port}`, stop };
}
