/**
 * What a poll function talks to, but for its table, in a process of its own: a source over HTTPS and gzip and, over HTTP, a secret and an SNS that takes everything.
 */
import { createServer as createPlainServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { gzipSync } from 'node:zlib';
import { listDates } from '#shared/core/dates.ts';
import { createSeededRandom } from '#test/shared/adapters/workforce-api/virtual-time.ts';
import { TEST_CERTIFICATE, TEST_KEY } from '#test/support/webhook-certificate.ts';
import type { SourceState } from './planning-machine.ts';
import { buildListPage, listOf } from './ports.ts';
import { samplePageText, sampleTimesheet } from './sample-records.ts';

const APPROVED = 'T20:00:00.000Z';

let state: SourceState = { perDate: 0, filled: [], approved: [] };
/** Compressed pages by address and what was approved on their dates: making one takes longer than reading it. */
const pages = new Map<string, Buffer>();

function answerPage(request: IncomingMessage, response: ServerResponse): void {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'https://source.example');
  if (!pathname.endsWith('/timesheets')) {
    response.writeHead(404).end();
    return;
  }
  const text = (name: string) => searchParams.get(name) ?? '';
  const [page, pageSize] = [Number(text('page') || 1), Number(text('pageSize'))];
  const dates = listDates({ from: text('dateFrom'), to: text('dateTo') });
  const key = `${dates} ${page} ${dates.map((date) => `${state.filled.includes(date)} ${state.approved.includes(date)}`)}`;
  const body = pages.get(key) ?? gzipSync(renderPage(dates, page, pageSize), { level: 1 });
  pages.set(key, body);
  const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
  response.writeHead(200, { ...headers, 'content-length': body.byteLength }).end(body);
}

function renderPage(dates: readonly string[], page: number, pageSize: number): string {
  const lists = dates.map((date) =>
    listOf(state.filled.includes(date) ? state.perDate : 0, (index) => buildTimesheet(date, index)),
  );
  const { records, pagination } = buildListPage(lists, { page, pageSize });
  const { totalPages, totalRecords } = pagination;
  return samplePageText(records, totalRecords, { page, pages: totalPages });
}

function buildTimesheet(date: string, index: number): Record<string, unknown> {
  const place = (Date.parse(date) / 86_400_000) * 100_000 + index;
  const approvedHours = state.approved.includes(date) ? `${date}${APPROVED}` : null;
  const record = sampleTimesheet(index, date, createSeededRandom(place));
  return { ...record, id: `${place}_4711`, approvedHours };
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
