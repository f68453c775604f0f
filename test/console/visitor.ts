import { request } from 'node:http';

/** A browser that opened the console. */
export interface Visitor {
  /** Where its pages are, with the origin. */
  readonly place: string;
  /** `path`: below the place. Redirects are not followed. */
  get(path: string, init?: RequestInit): Promise<Response>;
  /** The HTML of a page that is there. */
  read(path: string): Promise<string>;
  post(path: string, fields: Readonly<Record<string, string>>, origin: string): Promise<Response>;
}

/** Asks for a session with the token of an address, as the script does. */
export function askSession(address: string, token = new URL(address).hash.slice('#token='.length)) {
  const { origin } = new URL(address);
  const headers = { Authorization: `Bearer ${token}`, Origin: origin };
  return fetch(`${origin}/session`, { method: 'POST', headers });
}

/** Opens the address with the token, and keeps the cookie of the session. */
export async function enter(address: string): Promise<Visitor> {
  const answer = await askSession(address);
  const [cookie = ''] = (answer.headers.get('set-cookie') ?? '').split(';');
  const { place: path } = (await answer.json()) as { readonly place: string };
  const place = new URL(address).origin + path;
  const get: Visitor['get'] = (page, init = {}) =>
    fetch(place + page, { redirect: 'manual', ...init, headers: { Cookie: cookie } });
  return {
    place,
    get,
    read: async (page) => {
      const response = await get(page);
      const text = await response.text();
      if (!response.ok) throw new Error(`${page} answered ${response.status}: ${toText(text)}`);
      return text;
    },
    post: (page, fields, from) =>
      fetch(place + page, {
        method: 'POST',
        redirect: 'manual',
        body: new URLSearchParams(fields),
        headers: { Cookie: cookie, Origin: from },
      }),
  };
}

/** What a page says, without its elements. */
export function toText(html: string): string {
  const entities = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'", '&amp;': '&' } as const;
  return html
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/&(?:lt|gt|quot|#39|amp);/g, (entity) => entities[entity as keyof typeof entities])
    .replaceAll(/\s+/g, ' ');
}

/** Ids of the events that a page or a part of one has, in its order. */
export function eventsOf(html: string): string[] {
  return [...html.matchAll(/data-event="([^"]+)"/g)].map(([, id = '']) => id);
}

/** Where what is earlier than a page of Now is; null at the beginning of the log. */
export function earlierOf(page: string): string | null {
  return /<a href="([^"]+)">Earlier<\/a>/.exec(page)?.[1]?.replaceAll('&amp;', '&') ?? null;
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
  isEnough: (all: readonly StreamMessage[]) => boolean,
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

/** Ids of the events whose rows came: of each message from the oldest on. */
export function rowsOf(messages: readonly StreamMessage[]): string[] {
  return messages.filter(({ event }) => event === 'rows').flatMap(({ data }) => eventsOf(data).toReversed());
}
