import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { SourceError } from '#shared/core/errors.ts';
import { runOutWhen, TIME_MS } from '#test/support/time-runs-out.ts';
import { catchError, createFakeSource, type FakeOptions, page } from './fake-source.ts';

const MEGABYTE = 1024 * 1024;
const TIMESHEETS = {
  feed: 'timesheets',
  range: { from: '2026-03-01', to: '2026-03-02' },
  page: 1,
  size: 2,
} as const;
const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

describe('a good status with a bad body', () => {
  test.each([
    ['nothing', ''],
    ['HTML', '<!doctype html><p>canary'],
    ['cut JSON', '{"data":[{"id":"canary'],
    ['two JSON values', '{} {"canary":1}'],
    ['NaN', '{"data":[],"canary":NaN}'],
    ['bytes that are no UTF-8', Buffer.from([0x22, 0xff, 0xfe, 0x22])],
    ['null', 'null'],
    ['a number', '42'],
    ['an array', '[]'],
    ['data that is no array', JSON.stringify(page([])).replace('[]', '{"length":0,"canary":1}')],
    ['no pagination', JSON.stringify({ data: [] })],
    ['a huge total', JSON.stringify(page([], { totalRecords: 1e300 })).replace('1e+300', '1e999')],
    ['a broken page number', JSON.stringify(page([], { page: 1.5 }))],
    ['a text for a number', JSON.stringify(page([], { totalPages: 'canary' }))],
    ['a negative count', JSON.stringify(page([], { totalRecords: -1 }))],
    ['a number for the next page', JSON.stringify(page([], { nextPage: 2 }))],
  ])('%s is no page, and is said without its contents', async (_what, body) => {
    const { source, time } = createFakeSource(() => new Response(body));
    const error = await time.run(catchError(source.page(TIMESHEETS)));

    expect(error).toBeInstanceOf(SourceError);
    expect(error).toMatchObject({ code: 'source_bad_response', status: 200 });
    expect(String(error)).not.toContain('canary');
  });

  test('is named by its form, and accepted when it is good at the second try', async () => {
    const headers = { 'content-type': 'text/html; charset=utf-8' };
    const { api, time } = createFakeSource((_request, nth) =>
      nth === 3 ? new Response('[]') : new Response('<html>', { headers }),
    );

    expect(await time.run(catchError(api.listPayPeriods()))).toMatchObject({
      message:
        'the source answered no whole JSON with status 200 (6 bytes, content type text/html; charset=utf-8) at https://acme.example/api/v1/payperiods; check that baseUrl leads to the API itself',
    });
    expect(await time.run(api.listPayPeriods())).toEqual([]);
  });

  test('__proto__ in it changes no prototype', async () => {
    const poison = '"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}';
    const body = `{${poison},"data":[{"id":"1",${poison}}],"pagination":{${poison},"page":1,"totalPages":1,"totalRecords":1,"nextPage":""}}`;
    const { source, time } = createFakeSource(() => new Response(body));
    const read = await time.run(source.page(TIMESHEETS));

    for (const value of [{}, read, read.records[0]])
      expect((value as { polluted?: unknown }).polluted).toBe(undefined);
  });
});

describe('an encoding', () => {
  test.each([
    ['gzip', gzipSync],
    ['x-gzip', gzipSync],
    ['deflate', deflateSync],
    // As IIS sends it.
    ['deflate', deflateRawSync],
    ['br', brotliCompressSync],
  ])('%s is undone; a body that is cut is a bad answer', async (encoding, compress) => {
    const body = compress(JSON.stringify('hello '.repeat(1_000)));
    const whole = await askServer(send(body, { 'content-encoding': encoding }));
    const cut = await askServer(send(body.subarray(0, -3), { 'content-encoding': encoding }));

    expect(whole.answer).toBe('hello '.repeat(1_000));
    expect(cut.error).toMatchObject({ code: 'source_bad_response', status: 200 });
    expect(String(cut.error)).toContain(`no whole ${encoding} with status 200`);
  });

  test.each([
    ['gzip', Buffer.from('"hello"')],
    ['deflate', Buffer.from('"hello"')],
    ['br', Buffer.from('"hello"')],
    ['deflate', gzipSync('"hello"')],
    ['gzip', gzipSync('"hello"').fill(0, 10, 14)],
    ['zstd', zstdCompressSync('"hello"')],
    ['gzip, gzip', gzipSync(gzipSync('"hello"'))],
  ])('%s that is another one is a bad answer, tried once more', async (encoding, body) => {
    const { error, asked } = await askServer(send(body, { 'content-encoding': encoding }));

    expect(error).toMatchObject({ code: 'source_bad_response', status: 200 });
    expect(String(error)).toContain(encoding);
    expect(asked).toBe(2);
  });

  test.each([
    ['identity', Buffer.from('"hello"')],
    ['UTF-8', Buffer.from('"hello"')],
    ['identity', Buffer.from('\ufeff"hello"')],
    ['gzip', gzipSync('\ufeff"hello"')],
    ['gzip', Buffer.concat([gzipSync('"hel'), gzipSync('lo"')])],
  ])('%s is read as it stands, with a byte order mark or in parts', async (encoding, body) => {
    expect((await askServer(send(body, { 'content-encoding': encoding }))).answer).toBe('hello');
  });
});

describe('what is too large', () => {
  test('is not read to its end', async () => {
    const { error, written } = await askServer(sendWithoutEnd(200));

    expect(error).toMatchObject({ code: 'source_too_large', retryable: false });
    expect(String(error)).toContain('more bytes than are read of a response');
    expect(written).toBeLessThan(20 * MEGABYTE);
  });

  test.each([
    ['gzip', gzipSync],
    ['deflate', deflateRawSync],
    ['br', brotliCompressSync],
  ])('is unpacked from %s no further than what is read', async (encoding, compress) => {
    const body = compress(JSON.stringify('x'.repeat(8 * MEGABYTE)));
    const { error } = await askServer(send(body, { 'content-encoding': encoding }));

    expect(body.byteLength).toBeLessThan(10_000);
    expect(error).toMatchObject({ code: 'source_too_large', retryable: false });
    expect(String(error)).toContain('more bytes than are read of a response');
  });

  test.each([
    ['objects', '{},', '{}'],
    ['numbers', '0,', '0'],
    ['arrays in arrays', '[', `${']'.repeat(300_000)}0`],
  ])('is not parsed when it is very many %s', async (_what, each, end) => {
    const body = Buffer.from(`{"data":[],"more":[${each.repeat(300_000)}${end}]}`);
    const parse = vi.spyOn(JSON, 'parse');
    const { error } = await askServer(send(body), { maxResponseBytes: 4 * MEGABYTE });
    const parsed = parse.mock.calls.length;
    parse.mockRestore();

    expect(error).toMatchObject({ code: 'source_too_large' });
    expect(String(error)).toContain('more than 262144 values');
    expect(parsed).toBe(0);
  });

  test('is a header, too, and not a source that cannot be reached', async () => {
    const { error } = await askServer(send(Buffer.from('[]'), { 'x-long': 'x'.repeat(60_000) }));

    expect(error).toMatchObject({ code: 'source_too_large', retryable: false });
  });

  test('is no error page: its status counts, and its start is shown', async () => {
    const endless = await askServer(sendWithoutEnd(403));
    const packed = await askServer(send(gzipSync('a lock of Bob'), { 'content-encoding': 'gzip' }, 409));
    const bomb = gzipSync('x'.repeat(50 * MEGABYTE));
    const hostile = await askServer(send(bomb, { 'content-encoding': 'gzip' }, 409));

    expect(endless.error).toMatchObject({ code: 'source_bad_response', status: 403 });
    expect(packed.error).toMatchObject({ code: 'source_conflict', said: 'a lock of Bob' });
    expect(hostile.error).toMatchObject({ code: 'source_conflict', said: null });
  });
});

describe('a connection', () => {
  test('that breaks in the middle is unreachable, after three tries', async () => {
    const { error, asked } = await askServer((_request, response) => {
      response.writeHead(200, { 'content-length': '1000' });
      response.write('"hel', () => response.destroy());
    });

    expect(error).toMatchObject({ code: 'source_unreachable' });
    expect(asked).toBe(3);
  });

  const bounds = { timeoutMs: TIME_MS };
  test('that says nothing, or drips, is given up when its time is over, after two tries', async () => {
    const silent = await runOutWhen('a server has the request', () => askServer(() => {}, bounds));
    const drip: RequestListener = (_request, response) => {
      const drops = setInterval(() => response.write(' '), 5);
      response.once('close', () => clearInterval(drops));
    };
    const drips = await runOutWhen('a client has the head of the answer', () => askServer(drip, bounds));
    for (const each of [silent, drips])
      expect(each).toMatchObject({ error: { code: 'source_unreachable' }, asked: 2 });
    expect(String(drips.error)).toContain('none within 10000 ms');
  });

  test('that stops in the middle of a refusal is a refusal', async () => {
    const stop: RequestListener = (_request, response) => response.writeHead(409).write('{"');
    const { error } = await runOutWhen('a client has the head of the answer', () => askServer(stop, bounds));
    expect(error).toMatchObject({ code: 'source_conflict', status: 409 });
  });

  test('that was closed while it lay idle is replaced', async () => {
    let nth = 0;
    const closing: RequestListener = (request, response) => {
      nth += 1;
      if (nth === 2) request.socket.destroy();
      else response.end('"hello"');
    };
    expect(await askServer(closing, { times: 2 })).toMatchObject({ answer: 'hello', asked: 3 });
  });

  test('to a port where nothing listens is unreachable', async () => {
    const { api, time } = createFakeSource(() => new Response(), {
      baseUrl: 'http://127.0.0.1:1',
      fetch: null,
    });
    const error = await time.run(catchError(api.helloWorld()));

    expect(error).toMatchObject({ code: 'source_unreachable' });
    expect(String(error)).toContain('http://127.0.0.1:1/api/v1/helloworld');
  });
});

function send(body: Uint8Array, headers: Record<string, string> = {}, status = 200): RequestListener {
  return (_request, response) => void response.writeHead(status, headers).end(body);
}

function sendWithoutEnd(status: number): RequestListener {
  const chunk = Buffer.alloc(64 * 1024, 'x');
  const write = (response: ServerResponse) => {
    while (!response.destroyed && response.write(chunk));
    if (!response.destroyed) response.once('drain', () => write(response));
  };
  return (_request, response) => write(response.writeHead(status));
}

/** Asks a server on a loopback port for its greeting, and says how that went the last time. */
async function askServer(
  listener: RequestListener,
  { times = 1, ...options }: FakeOptions & { times?: number } = {},
) {
  let asked = 0;
  let written = 0;
  const server = createServer((request, response) => {
    asked += 1;
    response.once('close', () => {
      written += request.socket.bytesWritten;
    });
    listener(request, response);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { api, time } = createFakeSource(() => new Response(), {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    fetch: null,
    ...options,
  });
  for (let nth = 1; nth < times; nth += 1) await time.run(api.helloWorld());
  const settled = await time.run(
    api.helloWorld().then(
      (answer) => ({ answer, error: null }),
      (error: unknown) => ({ answer: null, error }),
    ),
  );
  return { ...settled, asked, written };
}
