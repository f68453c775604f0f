import { request } from 'node:http';
import type { Line } from '#console/routes/lines.ts';

/** A browser that opened the console. */
export interface Visitor {
  get(path: string, init?: RequestInit): Promise<Response>;
  post(path: string, body: string, origin: string): Promise<Response>;
}

/** Asks for a session with the token of an address, as the page does. */
export async function askSession(address: string, token = new URL(address).hash.slice('#token='.length)) {
  const { origin } = new URL(address);
  const headers = { Authorization: `Bearer ${token}`, Origin: origin };
  const answer = await fetch(`${origin}/api/session`, { method: 'POST', headers });
  return (await answer.json()) as { readonly session?: string; readonly error?: string };
}

/** Opens the address with the token, and keeps the secret of the session. */
export async function enter(address: string): Promise<Visitor> {
  const { origin } = new URL(address);
  const { session } = await askSession(address);
  const headers = { Authorization: `Bearer ${session}` };
  return {
    get: (path, init = {}) => fetch(origin + path, { ...init, headers }),
    post: (path, body, from) =>
      fetch(origin + path, {
        method: 'POST',
        body,
        headers: { ...headers, 'Content-Type': 'application/json', Origin: from },
      }),
  };
}

/** A request with headers that `fetch` does not let one set. */
export function requestRaw(
  address: string,
  headers: Record<string, string>,
): Promise<{ readonly status: number }> {
  return new Promise((resolve, reject) => {
    request(address, { headers }, (response) => {
      response.resume();
      resolve({ status: response.statusCode ?? 0 });
    })
      .on('error', reject)
      .end();
  });
}

/** One message of a stream of server-sent events. */
export interface StreamMessage {
  readonly event: string;
  readonly data: string;
}

/** Reads a stream until `isEnough`, then leaves it. */
export async function readStream(
  visitor: Visitor,
  path: string,
  { isEnough }: { readonly isEnough: (all: readonly StreamMessage[]) => boolean },
): Promise<StreamMessage[]> {
  const aborter = new AbortController();
  const response = await visitor.get(path, { signal: aborter.signal });
  const messages: StreamMessage[] = [];
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of response.body ?? []) {
    const parts = (rest + decoder.decode(chunk as Uint8Array, { stream: true })).split('\n\n');
    rest = parts.pop() ?? '';
    messages.push(...parts.map(parseMessage));
    if (isEnough(messages)) break;
  }
  aborter.abort();
  return messages;
}

function parseMessage(text: string): StreamMessage {
  const fields = text.split('\n').map((line) => line.split(': '));
  const read = (name: string) =>
    fields
      .filter(([each]) => each === name)
      .map(([, ...rest]) => rest.join(': '))
      .join('\n');
  return { event: read('event'), data: read('data') };
}

export function linesOf(messages: readonly StreamMessage[]): Line[] {
  return messages.filter(({ event }) => event === 'lines').flatMap(({ data }) => JSON.parse(data) as Line[]);
}
