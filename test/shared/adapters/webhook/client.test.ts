import type { LookupAddress } from 'node:dns';
import type { RequestListener } from 'node:http';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  classifyFailure,
  createWebhookClient,
  type WebhookClientOptions,
} from '#shared/adapters/webhook/client.ts';
import { USER_AGENT } from '#shared/core/user-agent.ts';
import type { OutgoingWebhookRequest } from '#shared/systems/flow/webhook-run.ts';
import { startForwardProxy } from '#test/support/forward-proxy.ts';
import { runOutWhen, TIME_MS } from '#test/support/time-runs-out.ts';
import { startRawServer, startReceiver, type TestReceiver } from '#test/support/webhook-receiver.ts';

/** A client and servers on loopback, behind a name that only the client's resolver knows. */

const NAME = 'hook.example';
const LOOPBACK: LookupAddress = { address: '127.0.0.1', family: 4 };
const OPEN = { http: true, privateAddresses: true };
const PUBLIC = { http: true, privateAddresses: false };
const FORBIDDEN = { outcome: 'unanswered', reason: 'target_forbidden' };
const MEGABYTE = 1_048_576;

const servers: TestReceiver[] = [];

afterEach(async () => {
  vi.unstubAllEnvs();
  await Promise.all(servers.splice(0).map((server) => server.stop()));
});

describe('a request', () => {
  test('reaches the receiver with its headers, byte for byte', async () => {
    const server = await receiver((_, response) => response.writeHead(204).end());
    const body = '{"name":"Zoë \\u00e9 \u{1f600}"}';
    const headers = { 'content-type': 'application/cloudevents+json', 'webhook-id': 'a1' };

    const answer = await post(`http://${NAME}:${server.port}/hooks/a?tenant=1`, {}, { headers, body });

    expect(answer).toEqual({ outcome: 'answered', status: 204, retryAfterMs: null, durationMs: 14 });
    const sent = {
      host: `${NAME}:${server.port}`,
      connection: 'close',
      'content-length': String(Buffer.byteLength(body)),
      'user-agent': USER_AGENT,
    };
    expect(server.received).toEqual([
      { method: 'POST', path: '/hooks/a?tenant=1', headers: { ...sent, ...headers }, body },
    ]);
  });

  test('asks a resolver once, and connects to what it said then', async () => {
    const server = await receiver(OK);
    const given = [[LOOPBACK], [{ address: '10.0.0.1', family: 4 }]];
    expect(await ask(server, { resolve: async () => given.shift() ?? [] })).toMatchObject({ status: 200 });
    expect(given).toHaveLength(1);
  });

  test('asks again for the next one, whose answer may have become another', async () => {
    const server = await receiver(OK);
    // First a public address among private ones, then a private one, as in an attack by DNS rebinding.
    const given = [[{ address: '203.0.113.9', family: 4 }], [LOOPBACK]];
    const client = open({ allow: PUBLIC, resolve: async () => given.shift() ?? [] });
    const request = { url: toUrl(server), headers: {}, body: '' };
    for (let times = 0; times < 2; times += 1) expect(await client.post(request)).toMatchObject(FORBIDDEN);
    expect([given, server.received]).toEqual([[], []]);
  });

  test.each([{ http: false, privateAddresses: true }, PUBLIC])(
    'is made only where it is allowed: %j',
    async (allow) => {
      const server = await receiver(OK);
      expect(await ask(server, { allow })).toMatchObject(FORBIDDEN);
      expect(server.received).toEqual([]);
    },
  );
});

describe('with a proxy in the environment', () => {
  let proxy: Awaited<ReturnType<typeof startForwardProxy>>;
  let resolved: string[];
  const resolve = async (name: string) => {
    resolved.push(name);
    return [{ address: '10.0.0.7', family: 4 }];
  };
  const askFor = (url: string, allow = PUBLIC) => post(url, { allow, resolve });

  beforeEach(async () => {
    proxy = await startForwardProxy();
    resolved = [];
    for (const [name, value] of Object.entries(proxy.environment)) vi.stubEnv(name, value);
  });

  afterEach(() => proxy.stop());

  test('a request goes through it, which finds the address', async () => {
    expect(await askFor(`http://${NAME}/hook`)).toMatchObject({ outcome: 'answered', status: 200 });
    expect(await askFor(`https://${NAME}/hook`)).toMatchObject({ reason: 'connection_failed' });
    expect(proxy.asked).toEqual([`POST http://${NAME}/hook`, `CONNECT ${NAME}:443`]);
    expect(resolved).toEqual([]);
  });

  test.each(['http://10.0.0.7/', 'https://169.254.169.254/latest', 'https://db.internal/'])(
    'what is private by its address or name is not asked for: %s',
    async (url) => {
      expect(await askFor(url)).toMatchObject(FORBIDDEN);
      expect(proxy.asked).toEqual([]);
    },
  );

  test('a host of NO_PROXY is connected directly, to an address that is checked', async () => {
    vi.stubEnv('NO_PROXY', `other.example,${NAME}`);
    expect(await askFor(`https://${NAME}/hook`)).toMatchObject(FORBIDDEN);
    expect([resolved, proxy.asked]).toEqual([[NAME], []]);
  });

  test('a receiver on this machine is connected directly', async () => {
    const server = await receiver(OK);
    expect(await askFor(`http://127.0.0.1:${server.port}/hook`, OPEN)).toMatchObject({ status: 200 });
    expect([server.received.length, proxy.asked]).toEqual([1, []]);
  });
});

describe('an answer', () => {
  test.each([200, 301, 307, 404, 410, 503])('%i is returned as it is, and not followed', async (status) => {
    const server = await receiver((_, response) => response.writeHead(status, { location: '/a' }).end('so'));
    expect(await ask(server)).toMatchObject({ outcome: 'answered', status, retryAfterMs: null });
    expect(server.received).toHaveLength(1);
  });

  test('may ask for patience', async () => {
    const server = await receiver((_, response) => response.writeHead(429, { 'retry-after': '120' }).end());
    expect(await ask(server)).toMatchObject({ status: 429, retryAfterMs: 120_000 });
  });

  test('that has no end is not read to it', async () => {
    let written = 0;
    const server = await receiver((_, response) => {
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(16_384))) written += 16_384;
      };
      response.on('drain', more);
      more();
    });
    expect(await ask(server)).toMatchObject({ outcome: 'answered', status: 200 });
    expect(written).toBeLessThan(16 * MEGABYTE);
  });

  test('is kept where its text is wanted, up to a bound', async () => {
    const text = 'ab'.repeat(50_000);
    const server = await receiver((_, response) => response.end(text));
    const read = (maxAnswerBytes: number) =>
      post(toUrl(server), { maxAnswerBytes }, { readsAnswer: true }) as Promise<{ readonly text: string }>;
    expect(await read(200_000)).toMatchObject({ status: 200, text });
    expect((await read(1_000)).text.length).toBeLessThan(100_000);
  });

  test('that stops after its status is one', async () => {
    const server = await receiver((_, response) => response.writeHead(202).write('par'));
    const asked = () => ask(server, { timeoutMs: TIME_MS });
    const answer = await runOutWhen('a client has the head of the answer', asked);
    expect(answer).toMatchObject({ outcome: 'answered', status: 202 });
  });

  test.each<[string, RequestListener, Partial<WebhookClientOptions>]>([
    ['goes on and on', (_, response) => response.writeHead(200).write('par'), { restMs: 20 }],
    [
      'is cut',
      (request, response) => {
        response.writeHead(200, { 'content-length': '100' }).write('par');
        setImmediate(() => request.socket.destroy());
      },
      {},
    ],
  ])('that %s after its status is one, before time is over', async (_, listener, options) => {
    const server = await receiver(listener);
    expect(await ask(server, options)).toMatchObject({ outcome: 'answered', status: 200 });
  });
});

describe('no answer', () => {
  test('in time is a timeout', async () => {
    const server = await receiver(() => {});
    const asked = () => ask(server, { timeoutMs: TIME_MS });
    const answer = await runOutWhen('a server has the request', asked);
    expect(answer).toMatchObject({ outcome: 'unanswered', reason: 'timeout' });
  });

  const unknown = Object.assign(new Error('no'), { code: 'ENOTFOUND' });
  test.each<[string, Partial<WebhookClientOptions>]>([
    ['timeout', { resolve: () => new Promise<never>(() => {}), timeoutMs: 50 }],
    ['name_unknown', { resolve: () => Promise.reject(unknown) }],
    ['name_unknown', { resolve: async () => [] }],
  ])('of a resolver is one: %s', async (reason, options) => {
    expect(await ask(await receiver(OK), options)).toMatchObject({ reason });
  });

  test.each<[string, Parameters<typeof startRawServer>[0], string]>([
    ['a connection that is reset', (socket) => socket.resetAndDestroy(), 'connection_failed'],
    ['a connection that is closed', (socket) => socket.end(), 'connection_failed'],
    ['something that is no HTTP', (socket) => socket.end('220 mail.example ESMTP\r\n'), 'answer_invalid'],
    [
      'a header without end',
      (socket) => socket.end(`HTTP/1.1 200 OK\r\na: ${'a'.repeat(100_000)}\r\n\r\n`),
      'answer_too_long',
    ],
    [
      'another protocol',
      (socket) => socket.end('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
      'connection_failed',
    ],
  ])('but %s', async (_, talk, reason) => {
    const server = await startRawServer(talk);
    servers.push(server);
    expect(await ask(server)).toMatchObject({ outcome: 'unanswered', reason });
  });

  test.each([
    ['a certificate that nobody vouches for', { tls: true }],
    ['no TLS at all', { tls: false }],
  ])('since there is %s, whatever the environment says', async (_, { tls }) => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    const server = await startReceiver(OK, { tls });
    servers.push(server);
    expect(await post(toUrl(server).replace('http', 'https'))).toMatchObject({ reason: 'tls_failed' });
    expect(server.received).toEqual([]);
  });

  test.each([
    ['ENOTFOUND', 'name_unknown'],
    ['EAI_AGAIN', 'name_unknown'],
    ['CERT_HAS_EXPIRED', 'tls_failed'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'tls_failed'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'tls_failed'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'tls_failed'],
    ['ECONNREFUSED', 'connection_failed'],
    ['ERR_INVALID_CHAR', 'connection_failed'],
  ])('with the code %s is %s', (code, reason) => {
    expect(classifyFailure(Object.assign(new Error('no'), { code }))).toBe(reason);
  });
});

const OK: RequestListener = (_, response) => response.end();

async function receiver(answer: RequestListener): Promise<TestReceiver> {
  const server = await startReceiver(answer);
  servers.push(server);
  return server;
}

function toUrl({ port }: TestReceiver): string {
  return `http://${NAME}:${port}/`;
}

function ask(server: TestReceiver, options: Partial<WebhookClientOptions> = {}) {
  return post(toUrl(server), options);
}

function post(
  url: string,
  options: Partial<WebhookClientOptions> = {},
  request: Partial<OutgoingWebhookRequest> = {},
) {
  return open(options).post({ url, headers: {}, body: '{}', ...request });
}

/** A client with a clock that advances 7 ms at each reading. */
function open(options: Partial<WebhookClientOptions>) {
  let now = 0;
  const tick = () => {
    now += 7;
    return now;
  };
  return createWebhookClient({
    ...{ timeoutMs: 15_000, allow: OPEN, now: tick, resolve: async () => [LOOPBACK] },
    ...options,
  });
}
