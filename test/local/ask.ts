import { type IncomingHttpHeaders, request } from 'node:http';
import { text } from 'node:stream/consumers';

export interface Question {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** Whether the body says more than why nothing is answered. */
  readonly isTelling: boolean;
}

/** What a server may say to whoever it refuses. */
const REFUSAL = /^(?:|.*the request lacks the access key of this run.*)$/s;

/** Sends any header, such as a `Host` or `Origin` that `fetch` would not. */
export async function ask(url: string, { path, body = '', ...question }: Question): Promise<Answer> {
  const target = path === undefined ? url : new URL(path, url);
  return await new Promise((resolve, reject) => {
    const asked = request(target, question, (response) => {
      text(response).then((answer) => {
        const { statusCode: status = 0, headers } = response;
        resolve({ status, headers, body: answer, isTelling: !REFUSAL.test(answer) });
      }, reject);
    });
    asked.on('error', reject).end(question.method === 'POST' ? body : undefined);
  });
}
