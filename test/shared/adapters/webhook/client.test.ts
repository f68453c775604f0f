import type { LookupAddress } from 'node:dns';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  classifyFailure,
  createWebhookClient,
  type WebhookClientOptions,
} from '#shared/adapters/webhook/client.ts';
import { USER_AGENT } from '#shared/core/user-agent.ts';
import { startForwardProxy } from '#test/support/forward-proxy.ts';
import { runOutWhen, TIME_MS } from '#test/support/time-runs-out.ts';
import { startRawServer, startReceiver, type TestReceiver } from '#test/support/webhook-receiver.ts';

/** A client and servers on loopback, behind a name that only the client's resolver knows. */

const NAME = 'hook.example';
const LOOPBACK: readonly LookupAddress[] = [{ address: '127.0.0.1', family: 4 }];
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

    const answer = await post(server, {
      path: '/hooks/a?tenant=1',
      headers: { 'content-type': 'application/cloudevents+json', 'webhook-id': 'a1' },
      body,
    });

    expect(answer).toEqual({ outcome: 'answered', status: 204, retryAfterMs: null, durationMs: 14 });
    expect(server.received).toEqual([
      {
        method: 'POST',
        path: '/hooks/a?tenant=1',
        headers: {
          host: `${NAME}:${server.port}`,
          connection: 'close',
          'content-length': String(Buffer.byteLength(body)),
          'content-type': 'application/cloudevents+json',
          'user-agent': USER_AGENT,
          'webhook-id': 'a1',
        },
        body,
      },
    ]);
  });

  test('asks a resolver once, and connects to what it said then', async () => {
    const server = await receiver((_, response) => response.end());
    const given: LookupAddress[][] = [[...LOOPBACK], [{ address: '10.0.0.1', family: 4 }]];
    const resolve = vi.fn(async () => given.shift() ?? []);

    expect(await post(server, {}, { resolve })).toMatchObject({ status: 200 });
    expect(resolve).toHaveBeenCalledTimes(1);
  });

  test('asks again for the next one, whose answer may have become another', async () => {
    const server = await receiver((_, response) => response.end());
    // First a public address, then a private one, as in an attack by DNS rebinding.
    const given: LookupAddress[][] = [[{ address: '203.0.113.9', family: 4 }], [...LOOPBACK]];
    const client = createWebhookClient({
      timeoutMs: 15_000,
      allow: { http: true, privateAddresses: false },
      now: () => 0,
      resolve: async () => given.shift() ?? [],
    });
    const url = `http://${NAME}:${server.port}/`;

    for (let times = 0; times < 2; times += 1)
      expect(await client.post({ url, headers: {}, body: '' })).toMatchObject({ reason: 'target_forbidden' });
    expect(given).toEqual([]);
    expect(server.received).toEqual([]);
  });

  test.each([
    ['http', { http: false }],
    ['a private address', { privateAddresses: false }],
  ])('to %s is made only where it is allowed', async (_, change) => {
    const server = await receiver((_, response) => response.end());
    const allow = { http: true, privateAddresses: true, ...change };

    expect(await post(server, {}, { allow })).toMatchObject({ reason: 'target_forbidden' });
    expect(server.received).toEqual([]);
  });
});

describe('with a proxy in the environment', () => {
  const PUBLIC = { http: true, privateAddresses: false };
  let proxy: Awaited<ReturnType<typeof startForwardProxy>>;
  let resolved: string[];

  beforeEach(async () => {
    proxy = await startForwardProxy();
    resolved = [];
    for (const [name, value] of Object.entries(proxy.environment)) vi.stubEnv(name, value);
  });

  afterEach(() => proxy.stop());

  const ask = async (url: string, allow = PUBLIC) => {
    const resolve = async (name: string) => {
      resolved.push(name);
      return [{ address: '10.0.0.7', family: 4 }];
    };
    return await createWebhookClient({ timeoutMs: 15_000, allow, now: () => 0, resolve }).post({
      url,
      headers: {},
      body: '',
    });
  };

  test('a request goes through it, which finds the address', async () => {
    expect(await ask(`http://${NAME}/hook`)).toMatchObject({ outcome: 'answered', status: 200 });
    expect(await ask(`https://${NAME}/hook`)).toMatchObject({ reason: 'connection_failed' });
    expect(proxy.asked).toEqual([`POST http://${NAME}/hook`, `CONNECT ${NAME}:443`]);
    expect(resolved).toEqual([]);
  });

  test.each([
    'http://10.0.0.7/',
    'https://169.254.169.254/latest',
    'http://0x7f000001/',
    'https://db.internal/',
  ])('what is private by its address or name is not asked for: %s', async (url) => {
    expect(await ask(url)).toMatchObject({ reason: 'target_forbidden' });
    expect(proxy.asked).toEqual([]);
  });

  test('a host of NO_PROXY is connected directly, to an address that is checked', async () => {
    vi.stubEnv('NO_PROXY', `other.example,${NAME}`);
    expect(await ask(`https://${NAME}/hook`)).toMatchObject({ reason: 'target_forbidden' });
    expect([resolved, proxy.asked]).toEqual([[NAME], []]);
  });

  test('a receiver on this machine is connected directly', async () => {
    const server = await receiver((_, response) => response.end());
    const allow = { http: true, privateAddresses: true };
    expect(await ask(`http://127.0.0.1:${server.port}/hook`, allow)).toMatchObject({ status: 200 });
    expect([server.received.length, proxy.asked]).toEqual([1, []]);
  });
});

describe('an answer', () => {
  test.each([200, 299, 400, 401, 404, 410, 413, 429, 500, 503])('%i is returned as it is', async (status) => {
    const server = await receiver((_, response) => response.writeHead(status).end('so'));

    expect(await post(server)).toMatchObject({ outcome: 'answered', status, retryAfterMs: null });
  });

  test.each([301, 302, 303, 307, 308])('%i is not followed', async (status) => {
    const server = await receiver((_, response) => response.writeHead(status, { location: '/inside' }).end());

    expect(await post(server)).toMatchObject({ outcome: 'answered', status });
    expect(server.received).toHaveLength(1);
  });

  test('may ask for patience', async () => {
    const server = await receiver((_, response) => response.writeHead(429, { 'retry-after': '120' }).end());

    expect(await post(server)).toMatchObject({ status: 429, retryAfterMs: 120_000 });
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

    expect(await post(server)).toMatchObject({ outcome: 'answered', status: 200 });
    expect(written).toBeLessThan(16 * MEGABYTE);
  });

  test('is kept where its text is wanted, up to a bound', async () => {
    const server = await receiver((_, response) => response.end('ab'.repeat(50_000)));
    const asked = { url: `http://${NAME}:${server.port}/`, headers: {}, body: '', readsAnswer: true };
    const open = (maxAnswerBytes: number) =>
      createWebhookClient({
        timeoutMs: 15_000,
        allow: { http: true, privateAddresses: true },
        now: () => 0,
        resolve: async () => LOOPBACK,
        maxAnswerBytes,
      });

    expect(await open(200_000).post(asked)).toMatchObject({ status: 200, text: 'ab'.repeat(50_000) });
    const cut = await open(1_000).post(asked);
    expect(cut.outcome === 'answered' && cut.text?.length).toBeLessThan(100_000);
  });

  test('that stops after its status is one', async () => {
    const server = await receiver((_, response) => response.writeHead(202).write('par'));

    const asked = () => post(server, {}, { timeoutMs: TIME_MS });
    expect(await runOutWhen('a client has the head of the answer', asked)).toMatchObject({
      outcome: 'answered',
      status: 202,
    });
  });

  test('that goes on and on after its status is one, long before time is over', async () => {
    const server = await receiver((_, response) => response.writeHead(202).write('par'));

    const answer = await post(server, {}, { timeoutMs: 60_000, restMs: 20 });

    expect(answer).toMatchObject({ outcome: 'answered', status: 202 });
    expect(answer.durationMs).toBeLessThan(30_000);
  });

  test('that is cut after its status is one', async () => {
    const server = await receiver((request, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('par');
      setImmediate(() => request.socket.destroy());
    });

    expect(await post(server)).toMatchObject({ outcome: 'answered', status: 200 });
  });
});

describe('no answer', () => {
  test('in time is a timeout', async () => {
    const server = await receiver(() => {});

    const asked = () => post(server, {}, { timeoutMs: TIME_MS });
    expect(await runOutWhen('a server has the request', asked)).toMatchObject({
      outcome: 'unanswered',
      reason: 'timeout',
    });
  });

  test('in time from a resolver is a timeout', async () => {
    const server = await receiver((_, response) => response.end());
    const resolve = () => new Promise<never>(() => {});

    expect(await post(server, {}, { resolve, timeoutMs: 50 })).toMatchObject({ reason: 'timeout' });
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

    expect(await post(server)).toMatchObject({ outcome: 'unanswered', reason });
  });

  test('because nothing listens there', async () => {
    const server = await receiver(() => {});
    await server.stop();
    servers.pop();

    expect(await post(server)).toMatchObject({ reason: 'connection_failed' });
  });

  test('because the name is unknown', async () => {
    const server = await receiver(() => {});
    const failure = Object.assign(new Error('no'), { code: 'ENOTFOUND' });

    expect(await post(server, {}, { resolve: () => Promise.reject(failure) })).toMatchObject({
      reason: 'name_unknown',
    });
    expect(await post(server, {}, { resolve: async () => [] })).toMatchObject({ reason: 'name_unknown' });
  });

  test.each([
    ['a certificate that nobody vouches for', { tls: true }],
    ['no TLS at all', { tls: false }],
  ])('since there is %s, whatever the environment says', async (_, { tls }) => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    const server = await startReceiver((_, response) => response.end(), { tls });
    servers.push(server);

    expect(await post(server, { protocol: 'https' })).toMatchObject({ reason: 'tls_failed' });
    expect(server.received).toEqual([]);
  });
});

test.each([
  ['ENOTFOUND', 'name_unknown'],
  ['EAI_AGAIN', 'name_unknown'],
  ['CERT_HAS_EXPIRED', 'tls_failed'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'tls_failed'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'tls_failed'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'tls_failed'],
  ['ECONNREFUSED', 'connection_failed'],
  ['EHOSTUNREACH', 'connection_failed'],
  ['ERR_INVALID_CHAR', 'connection_failed'],
])('%s is %s', (code, reason) => {
  expect(classifyFailure(Object.assign(new Error('no'), { code }))).toBe(reason);
});

async function receiver(answer: Parameters<typeof startReceiver>[0]): Promise<TestReceiver> {
  const server = await startReceiver(answer);
  servers.push(server);
  return server;
}

interface Posted {
  readonly protocol?: 'http' | 'https';
  readonly path?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

/** Posts to a server with a clock that advances 7 ms at each reading. */
function post({ port }: TestReceiver, posted: Posted = {}, options: Partial<WebhookClientOptions> = {}) {
  const { protocol = 'http', path = '/', headers = {}, body = '{}' } = posted;
  let now = 0;
  const client = createWebhookClient({
    timeoutMs: 15_000,
    allow: { http: true, privateAddresses: true },
    now: () => {
      now += 7;
      return now;
    },
    resolve: async () => LOOPBACK,
    ...options,
  });
  return client.post({ url: `${protocol}://${NAME}:${port}${path}`, headers, body });
}
