import { randomBytes } from 'node:crypto';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { SourceError } from '#shared/core/errors.ts';
import { catchError, collectWalk, createFakeSource, type FakeOptions, page } from './fake-source.ts';
import { timesheetPage } from './records.ts';

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
    ['data that is no array', JSON.stringify({ ...timesheetPage, data: { length: 0, canary: 1 } })],
    ['no pagination', JSON.stringify({ data: [] })],
    ['a huge total', JSON.stringify(page([], { totalRecords: 1e300 })).replace('1e+300', '1e999')],
    ['a broken page number', JSON.stringify(page([], { page: 1.5 }))],
    ['a text for a number', JSON.stringify(page([], { totalPages: 'canary' }))],
    ['a negative count', JSON.stringify(page([], { totalRecords: -1 }))],
    ['a number for the next page', JSON.stringify(page([], { nextPage: 2 }))],
  ])('%s makes the walk incomplete and says so without contents', async (_what, body) => {
    const { source, time } = createFakeSource(() => new Response(body));

    const { pages, end } = await time.run(collectWalk(source.pages('timesheets', RANGE)));

    expect(pages).toEqual([]);
    expect(end).toMatchObject({ complete: false, problem: 'source_error' });
    expect(end.error).toBeInstanceOf(SourceError);
    expect(end.error).toMatchObject({ code: 'source_bad_response', status: 200 });
    expect(end.error?.message).not.toContain('canary');
  });

  test('a message names the form of what came', async () => {
    const { source, time } = createFakeSource(
      () => new Response('<html>', { headers: { 'content-type': 'text/html; charset=utf-8' } }),
    );

    const { end } = await time.run(collectWalk(source.pages('timesheets', RANGE)));

    expect(end.error?.message).toBe(
      'the source answered no whole JSON with status 200 (6 bytes, content type text/html; charset=utf-8) at https://acme.example/api/v1/timesheets; check that baseUrl leads to the API itself',
    );
  });

  test('that is good at the second try is accepted', async () => {
    const { source, time } = createFakeSource((_request, nth) => new Response(nth === 1 ? '<html>' : '[]'));

    const { end } = await time.run(collectWalk(source.pages('pay-periods', null)));

    expect(end.complete).toBe(true);
  });

  test('__proto__ in it changes no prototype', async () => {
    const poison = '"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}';
    const body = `{${poison},"data":[{"id":"1",${poison}}],"pagination":{${poison},"page":1,"pageSize":1,"totalPages":1,"totalRecords":1,"nextPage":"","previousPage":""}}`;
    const { source, time } = createFakeSource(() => new Response(body));

    const { pages, end } = await time.run(collectWalk(source.pages('timesheets', RANGE)));

    expect(end.complete).toBe(true);
    expect(Object.hasOwn(pages[0]?.pagination ?? {}, '__proto__')).toBe(false);
    for (const value of [{}, pages[0], pages[0]?.pagination, pages[0]?.records[0]])
      expect((value as { polluted?: unknown }).polluted).toBe(undefined);
  });

  test('no mutation of a good page throws anything but a SourceError', async () => {
    const good = JSON.stringify(timesheetPage);
    await fc.assert(
      fc.asyncProperty(mutationOf(good), async (body) => {
        const { api, source, time } = createFakeSource(() => new Response(Buffer.from(body, 'latin1')));
        const typed = await time.run(api.listTimesheets().catch((error: unknown) => error));
        if (typed instanceof Error) expect(typed).toBeInstanceOf(SourceError);
        const { end } = await time.run(collectWalk(source.pages('timesheets', RANGE)));
        if (end.problem === 'source_error') expect(end.error).toBeInstanceOf(SourceError);
        const found = await time.run(source.lookUp('timesheets', '1_10').catch((error: unknown) => error));
        if (found instanceof Error) expect(found).toBeInstanceOf(SourceError);
      }),
      { numRuns: 400 },
    );
  });
});

describe('bodies over a real connection', () => {
  test('a page that is too large is not read to its end', async () => {
    let written = 0;
    const chunk = Buffer.alloc(64 * 1024, 'x');
    const { error } = await askServer((_request, response) => {
      const write = () => {
        while (written < 50 * 1024 * 1024 && !response.destroyed) {
          written += chunk.length;
          if (!response.write(chunk)) return void response.once('drain', write);
        }
      };
      write();
    });

    expect(error).toMatchObject({ code: 'source_too_large', retryable: false });
    expect(String(error)).toContain('more bytes than are read of a response');
    expect(written).toBeLessThan(20 * 1024 * 1024);
  });

  test('a page that announces too much is not read at all', async () => {
    const { error, asked } = await askServer((_request, response) => {
      response.writeHead(200, { 'content-length': '50000000' });
      response.write('[');
    });

    expect(error).toMatchObject({ code: 'source_too_large' });
    expect(asked()).toBe(1);
  });

  test.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    // As IIS sends it.
    ['deflate', deflateRawSync],
    ['br', brotliCompressSync],
  ])('an answer in %s is read, one that is cut is a bad answer', async (encoding, compress) => {
    // Small ones are unpacked at once, large ones in another thread.
    for (const text of ['hello', incompressible(600_000)]) {
      const body = compress(JSON.stringify(text));
      const { answer } = await askServer((request, response) => {
        expect(request.headers['accept-encoding']).toContain(encoding);
        sendEncoded(response, encoding, body);
      });
      const { error } = await askServer((_request, response) =>
        sendEncoded(response, encoding, body.subarray(0, body.length - 3)),
      );

      expect(answer).toBe(text);
      expect(error).toMatchObject({ code: 'source_bad_response', status: 200 });
      expect(String(error)).toContain(`no whole ${encoding} with status 200`);
    }
  });

  test.each([
    ['gzip', Buffer.from('"hello"')],
    ['deflate', Buffer.from('"hello"')],
    ['br', Buffer.from('"hello"')],
    ['deflate', gzipSync('"hello"')],
    ['gzip', gzipSync('"hello"').fill(0, 10, 14)],
    ['zstd', zstdCompressSync('"hello"')],
    ['gzip, gzip', gzipSync(gzipSync('"hello"'))],
  ])('an answer that says %s and is not is a bad answer, tried once more', async (encoding, body) => {
    const { error, asked } = await askServer((_request, response) => sendEncoded(response, encoding, body));

    expect(error).toMatchObject({ code: 'source_bad_response', status: 200 });
    expect(String(error)).toContain(encoding);
    expect(String(error)).not.toContain('network');
    expect(asked()).toBe(2);
  });

  test.each(['identity', 'UTF-8'])(
    'JSON is read as it stands, though its encoding is called %s',
    async (encoding) => {
      const { answer } = await askServer((_request, response) =>
        sendEncoded(response, encoding, Buffer.from('"hello"')),
      );

      expect(answer).toBe('hello');
    },
  );

  test.each([
    ['as it is', null, (text: string) => Buffer.from(text)],
    ['packed', 'gzip', gzipSync],
  ])('an answer that begins with a byte order mark is read, %s', async (_how, encoding, pack) => {
    const { answer } = await askServer((_request, response) =>
      sendEncoded(response, encoding, pack('\ufeff"hello"')),
    );

    expect(answer).toBe('hello');
  });

  test('an answer in gzip of several members is read whole, though its end announces the last one alone', async () => {
    const start = `"${'hello '.repeat(100_000)}`;
    const { answer } = await askServer((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' });
      response.end(Buffer.concat([gzipSync(start), gzipSync('world"')]));
    });

    expect(answer).toBe(`${start.slice(1)}world`);
  });

  test('an answer in gzip that announces another length than it has is not read', async () => {
    const body = gzipSync('"hello"');
    body.writeUInt32LE(0xffff_fff0, body.length - 4);
    const { error } = await askServer((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' });
      response.end(body);
    });

    expect(error).toMatchObject({ code: 'source_bad_response' });
  });

  test('a connection that was closed while it lay idle is replaced without a word', async () => {
    const { answers, asked } = await askServerTwice((request, response, nth) => {
      if (nth === 2) request.socket.destroy();
      else response.end('"hello"');
    });

    expect(answers).toEqual(['hello', 'hello']);
    expect(asked).toBe(3);
  });

  test('an error page in gzip is read as far as it came', async () => {
    const { error } = await askServer((_request, response) => {
      response.writeHead(409, { 'content-encoding': 'gzip' });
      response.end(gzipSync('a lock of Bob'));
    });

    expect(error).toMatchObject({ code: 'source_conflict', status: 409 });
  });

  test('a connection that breaks in the middle is unreachable, after five tries', async () => {
    const { error, asked } = await askServer((_request, response) => {
      response.writeHead(200, { 'content-length': '1000' });
      response.write('"hel', () => response.destroy());
    });

    expect(error).toMatchObject({ code: 'source_unreachable' });
    expect(asked()).toBe(5);
  });

  test('a body that drips is given up when its time is over', async () => {
    const { error } = await askServer(
      (_request, response) => {
        const drip = setInterval(() => response.write(' '), 5);
        response.once('close', () => clearInterval(drip));
      },
      { timeoutMs: 40 },
    );

    expect(error).toMatchObject({ code: 'source_unreachable' });
    expect(String(error)).toContain('none within 40 ms');
  });

  test('a source that says nothing at all is given up too', async () => {
    const { error } = await askServer(() => {}, { timeoutMs: 20 });

    expect(error).toMatchObject({ code: 'source_unreachable' });
  });

  test('an endless error page costs nothing', async () => {
    const { error } = await askServer((_request, response) => {
      response.writeHead(403);
      const chunk = Buffer.alloc(64 * 1024, 'x');
      const write = () => {
        while (!response.destroyed && response.write(chunk));
        if (!response.destroyed) response.once('drain', write);
      };
      write();
    });

    expect(error).toMatchObject({ code: 'source_bad_response', status: 403 });
  });

  test('a port where nothing listens is unreachable', async () => {
    const { api, time } = createFakeSource(() => new Response(), {
      baseUrl: 'http://127.0.0.1:1',
      fetch: null,
    });

    const error = await time.run(catchError(api.helloWorld()));

    expect(error).toMatchObject({ code: 'source_unreachable' });
    expect(String(error)).toContain('http://127.0.0.1:1/api/v1/helloworld');
  });
});

const RANGE = { from: '2026-03-01', to: '2026-03-02' };

/** Bytes changed, left out, repeated or put in. */
function mutationOf(good: string): fc.Arbitrary<string> {
  const place = fc.nat({ max: good.length });
  const piece = fc.oneof(
    fc.string({ maxLength: 5 }),
    fc.constantFrom(
      '{',
      '[',
      ']',
      '}',
      ',',
      '"',
      'null',
      '1e999',
      '-',
      '"__proto__":',
      '\u0000',
      '\u00ff',
      '[[',
    ),
  );
  const cut = fc.record({ place, length: fc.nat({ max: 40 }), piece });
  return fc.array(cut, { minLength: 1, maxLength: 4 }).map((cuts) => {
    let text = good;
    for (const { place: at, length, piece: insert } of cuts)
      text = text.slice(0, at) + insert + text.slice(at + length);
    return text;
  });
}

/** Text that takes no fewer bytes once it is packed. */
function incompressible(bytes: number): string {
  return randomBytes(bytes).toString('base64url');
}

function sendEncoded(response: ServerResponse, encoding: string | null, body: Uint8Array): void {
  response.writeHead(200, encoding === null ? {} : { 'content-encoding': encoding });
  response.end(body);
}

/** Asks a server on a loopback port twice for its greeting. */
async function askServerTwice(
  listener: (request: IncomingMessage, response: ServerResponse, nth: number) => void,
) {
  let asked = 0;
  const port = await listening((request, response) => {
    asked += 1;
    listener(request, response, asked);
  });
  const { api, time } = createFakeSource(() => new Response(), {
    baseUrl: `http://127.0.0.1:${port}`,
    fetch: null,
  });
  const answers = [await time.run(api.helloWorld()), await time.run(api.helloWorld())];
  return { answers, asked };
}

async function listening(listener: RequestListener): Promise<number> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

/** Asks a server on a loopback port for its greeting. */
async function askServer(listener: RequestListener, options: FakeOptions = {}) {
  let asked = 0;
  const port = await listening((request, response) => {
    asked += 1;
    listener(request, response);
  });
  const { api, time } = createFakeSource(() => new Response(), {
    baseUrl: `http://127.0.0.1:${port}`,
    fetch: null,
    ...options,
  });
  const result = await time.run(
    api.helloWorld().then(
      (answer) => ({ answer, error: null }),
      (error: unknown) => ({ answer: null, error }),
    ),
  );
  return { ...result, asked: () => asked };
}
