/**
 * What a poll talks to besides its table, in a process of its own, so that its CPU is in no figure: a source over HTTPS
 * and gzip and, over HTTP, a secret and an SNS that takes everything.
 */
import { createServer as createPlainServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { gzipSync } from 'node:zlib';
import { listDates } from '#shared/core/dates.ts';
import { createSeededRandom } from '#test/shared/adapters/workforce-api/virtual-time.ts';
import { TEST_CERTIFICATE, TEST_KEY } from '#test/support/webhook-certificate.ts';
import { listDate, type SourceState, samplePageText } from './sample-records.ts';

let state: SourceState = { dates: [], perDate: 0, every: 1, version: 0 };
/** Compressed pages by address and what their dates hold: making one takes longer than reading it. */
const pages = new Map<string, Buffer>();

function answerPage(request: IncomingMessage, response: ServerResponse): void {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'https://source.example');
  if (!pathname.endsWith('/timesheets')) {
    response.writeHead(404).end();
    return;
  }
  const { perDate, every, version, approved } = state;
  const dates = listDates({ from: searchParams.get('dateFrom') ?? '', to: searchParams.get('dateTo') ?? '' });
  const versions = dates.map((date) =>
    state.dates.includes(date) ? (approved?.includes(date) === false ? 0 : version) : 'none',
  );
  const key = `${searchParams} ${perDate} ${every} ${versions}`;
  const body = pages.get(key) ?? gzipSync(renderPage(searchParams), { level: 1 });
  pages.set(key, body);
  const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
  response.writeHead(200, { ...headers, 'content-length': body.byteLength }).end(body);
}

function renderPage(query: URLSearchParams): string {
  const number = (name: string) => Number(query.get(name) ?? 1);
  const [page, pageSize] = [number('page'), number('pageSize')];
  const dates = listDates({ from: query.get('dateFrom') ?? '', to: query.get('dateTo') ?? '' });
  const filled = dates.filter((date) => state.dates.includes(date));
  const total = filled.length * state.perDate;
  const places = Array.from(
    { length: Math.max(0, Math.min(pageSize, total - (page - 1) * pageSize)) },
    (_, index) => (page - 1) * pageSize + index,
  );
  const records = places.map((place) => {
    const date = filled[Math.floor(place / state.perDate)] ?? '';
    return listDate(date, state, createSeededRandom)(place % state.perDate);
  });
  return samplePageText(records, total, { page, pages: Math.max(1, Math.ceil(total / pageSize)) });
}

async function answerService(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) body += chunk;
  const entries = body.match(/\.Id=\d+/g);
  if (entries === null) {
    response.setHeader('content-type', 'application/x-amz-json-1.1');
    response.end(JSON.stringify({ Name: 'source', SecretString: 'token' }));
    return;
  }
  const members = entries.map((each) => `<member><Id>${each.slice(4)}</Id><MessageId>m</MessageId></member>`);
  const result = `<Successful>${members.join('')}</Successful><Failed/>`;
  response.setHeader('content-type', 'text/xml');
  response.end(
    `<PublishBatchResponse><PublishBatchResult>${result}</PublishBatchResult></PublishBatchResponse>`,
  );
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

const [source, services] = await Promise.all([
  listen(createServer({ cert: TEST_CERTIFICATE, key: TEST_KEY }, answerPage)),
  listen(createPlainServer((request, response) => void answerService(request, response))),
]);
process.on('message', (next: SourceState) => {
  state = next;
  process.send?.({});
});
process.on('disconnect', () => process.exit());
process.send?.({ source, services });
