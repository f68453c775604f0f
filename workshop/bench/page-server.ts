/** A source over HTTPS and gzip on a free port of loopback; a separate process keeps its CPU out of the measurement. */
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { TEST_CERTIFICATE, TEST_KEY } from '#test/support/webhook-certificate.ts';

/** Pages in one or more versions; each request gets the next version. */
let versions: Buffer[][] = [];
let answered = 0;

const server = createServer({ cert: TEST_CERTIFICATE, key: TEST_KEY }, (request, response) => {
  const { searchParams } = new URL(request.url ?? '/', 'https://source.example');
  const pages = versions[answered % versions.length] ?? [];
  answered += 1;
  const body = pages[Number(searchParams.get('page') ?? 1) - 1] ?? Buffer.alloc(0);
  response.writeHead(200, {
    'content-type': 'application/json',
    'content-encoding': 'gzip',
    'content-length': body.byteLength,
  });
  response.end(body);
});
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));

process.on('message', (texts: readonly (readonly string[])[]) => {
  versions = texts.map((pages) => pages.map((page) => gzipSync(page)));
  process.send?.({ versions: versions.length });
});
process.on('disconnect', () => process.exit());
