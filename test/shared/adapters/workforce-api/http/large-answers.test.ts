import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { expect, test, vi } from 'vitest';
import { createExchange } from '#shared/adapters/workforce-api/http/exchange.ts';
import { toRefusalError } from '#shared/adapters/workforce-api/http/failures.ts';
import { SourceError } from '#shared/core/errors.ts';

const MEGABYTE = 1024 * 1024;

test.each([
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['deflate', deflateRawSync],
  ['br', brotliCompressSync],
])(
  'an answer in %s of a few bytes that unpacks into many is not unpacked, though they are allowed',
  async (encoding, compress) => {
    const body = compress(JSON.stringify({ data: [], more: 'x'.repeat(8 * MEGABYTE) }));
    const result = await askFor(send(body, { 'content-encoding': encoding }));

    expect(body.byteLength).toBeLessThan(10_000);
    expect(result).toMatchObject({
      outcome: 'failed',
      error: { code: 'source_too_large', retryable: false },
    });
    expect(messageOf(result)).toContain('over 100 bytes for each byte sent, once unpacked');
  },
);

test('a small answer may repeat itself as it likes', async () => {
  const text = 'x'.repeat(MEGABYTE - 10);
  const result = await askFor(send(gzipSync(JSON.stringify(text)), { 'content-encoding': 'gzip' }));

  expect(result).toMatchObject({ answer: { content: { value: text } } });
});

test('an answer that unpacks into more than is allowed names the setting', async () => {
  const body = gzipSync(JSON.stringify('x'.repeat(900_000)));
  const result = await askFor(send(body, { 'content-encoding': 'gzip' }), { maxResponseBytes: 100_000 });

  expect(messageOf(result)).toContain('more bytes than are read of a response');
});

test.each([
  ['objects', '{},', '{}'],
  ['numbers', '0,', '0'],
  ['arrays in arrays', '[', `${']'.repeat(300_000)}0`],
])(
  'an answer of very many %s is not parsed: they would take the memory of the process',
  async (_what, each, end) => {
    const body = `{"data":[],"more":[${each.repeat(300_000)}${end}]}`;
    const parse = vi.spyOn(JSON, 'parse');
    const result = await askFor(send(Buffer.from(body)), { maxResponseBytes: 4 * MEGABYTE });
    const parsed = parse.mock.calls.length;
    parse.mockRestore();

    expect(result).toMatchObject({ error: { code: 'source_too_large' } });
    expect(messageOf(result)).toContain('more than 262144 values');
    expect(parsed).toBe(0);
  },
);

test('values nested deeper than the stack goes are read, however often they come', async () => {
  const body = Buffer.from(`${'['.repeat(50_000)}${']'.repeat(50_000)}`);
  expect(await askFor(send(body), { times: 4 })).toMatchObject({ outcome: 'answered' });
});

test('headers that are too long are told as such, not as a source that cannot be reached', async () => {
  const result = await askFor(send(Buffer.from('[]'), { 'x-long': 'x'.repeat(60_000) }));

  expect(result).toMatchObject({ error: { code: 'source_too_large', retryable: false } });
  expect(messageOf(result)).toContain('headers of more than 16 KB');
});

test('of an error page in gzip, no more than its start is unpacked', async () => {
  const body = gzipSync(`a lock of Bob ${'x '.repeat(8 * MEGABYTE)}`);
  const result = await askFor(send(body, { 'content-encoding': 'gzip' }, 500));

  expect(result).toMatchObject({ error: { code: 'source_failed' } });
  expect((result as { error: SourceError }).error.said).toMatch(/^a lock of Bob (x ){200}/);
});

test.each([
  ['the part of a secret in which an answer breaks off', 'token was canary-to'],
  ['the part of a JWT', `${'x '.repeat(100)}eyJhbGciOi.eyJzdWI`],
  ['a secret after another name', 'error: x-auth-token: canary'],
])('%s is masked', (_what, said) => {
  const asked = { purpose: 'read', place: 'x', secretName: 's', secrets: ['canary-token-5f1d0b'] } as const;

  expect(toRefusalError(500, said, asked).said).not.toMatch(/canary|eyJ/);
});

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

function send(body: Uint8Array, headers: Record<string, string> = {}, status = 200): Listener {
  return (_request, response) => void response.writeHead(status, headers).end(body);
}

/** The failure's message, or null. */
function messageOf(result: unknown): string | null {
  const { error } = result as { error?: unknown };
  return error instanceof SourceError ? error.message : null;
}

/** The last result of requests to a server on a loopback port. */
async function askFor(listener: Listener, { maxResponseBytes = 32 * MEGABYTE, times = 1 } = {}) {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/list`);
  const exchange = createExchange({ timeoutMs: 60_000, maxResponseBytes, now: () => 0 });
  const asked = { purpose: 'read', place: url.href, secretName: 'acme/token', secrets: [] } as const;
  try {
    const outgoing = { url, headers: {}, deadline: 60_000, asked };
    for (let nth = 1; nth < times; nth += 1) await exchange(outgoing);
    return await exchange(outgoing);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}
