/**
 * What a poll talks to besides its table, in a process of its own, so that its CPU is in no figure: a source of samples
 * with gzip, a secret, and an SNS that takes everything.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { listDates } from '#shared/core/dates.ts';
import { buildPage, type SampleState, sampleTimesheet } from './company.ts';

let state: SampleState = { dates: [], perDate: 0, every: 1, version: 0 };

function answerPage({ url = '' }: IncomingMessage, response: ServerResponse): void {
  const { pathname, searchParams: query } = new URL(url, 'http://source.example');
  if (!pathname.endsWith('/timesheets')) {
    response.writeHead(404).end();
    return;
  }
  const asked = listDates({ from: query.get('dateFrom') ?? '', to: query.get('dateTo') ?? '' });
  const dates = asked.filter((date) => state.dates.includes(date));
  const { perDate } = state;
  const make = (place: number) =>
    sampleTimesheet(dates[Math.floor(place / perDate)] ?? '', place % perDate, state);
  const size = { page: Number(query.get('page')), pageSize: Number(query.get('pageSize')) };
  const page = buildPage({ ...size, total: dates.length * perDate }, make);
  response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
  response.end(gzipSync(JSON.stringify(page), { level: 1 }));
}

async function answerService(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const entries = (await text(request)).match(/\.Id=\d+/g);
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

const server = createServer((request, response) => {
  if (request.method === 'GET') answerPage(request, response);
  else void answerService(request, response);
});
// A busy machine lets a connection wait for long.
server.keepAliveTimeout = 0;
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.on('message', (next: SampleState) => {
  state = next;
  process.send?.('shown');
});
process.on('disconnect', () => process.exit());
