/**
 * What a poll talks to besides its table, in a process of its own, so that its CPU is in no figure: a source over HTTPS
 * and gzip and, over HTTP, a secret and an SNS that takes everything.
 */
import {
  createServer as createPlainServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { listDates } from '#shared/core/dates.ts';
import { TEST_CERTIFICATE, TEST_KEY } from '#test/support/webhook-certificate.ts';
import { buildPage, type SampleState, sampleTimesheet } from './company.ts';

let state: SampleState = { dates: [], perDate: 0, every: 1, version: 0 };
/** Compressed pages by address and what their dates hold: making one takes longer than reading it. */
const pages = new Map<string, Buffer>();

function answerPage({ url = '' }: IncomingMessage, response: ServerResponse): void {
  const { pathname, searchParams } = new URL(url, 'https://source.example');
  if (!pathname.endsWith('/timesheets')) {
    response.writeHead(404).end();
    return;
  }
  const dates = listDates({ from: searchParams.get('dateFrom') ?? '', to: searchParams.get('dateTo') ?? '' });
  const shown = dates.filter((date) => state.dates.includes(date));
  const approved = shown.filter((date) => state.approved?.includes(date) !== false);
  const key = [searchParams, shown, state.perDate, state.every, approved.length > 0 && state.version].join(
    ' ',
  );
  const body = pages.get(key) ?? gzipSync(renderPage(searchParams, shown), { level: 1 });
  pages.set(key, body);
  const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
  response.writeHead(200, { ...headers, 'content-length': body.byteLength }).end(body);
}

function renderPage(query: URLSearchParams, dates: readonly string[]): string {
  const [page, pageSize] = [Number(query.get('page')), Number(query.get('pageSize'))];
  const { perDate } = state;
  const make = (place: number) =>
    sampleTimesheet(dates[Math.floor(place / perDate)] ?? '', place % perDate, state);
  return JSON.stringify(buildPage({ page, pageSize, total: dates.length * perDate }, make));
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
  // A busy machine lets a connection wait for long.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

const [source, services] = await Promise.all([
  listen(createServer({ cert: TEST_CERTIFICATE, key: TEST_KEY }, answerPage)),
  listen(createPlainServer((request, response) => void answerService(request, response))),
]);
process.on('message', (next: SampleState) => {
  state = next;
  process.send?.({});
});
process.on('disconnect', () => process.exit());
process.send?.({ source, services });
