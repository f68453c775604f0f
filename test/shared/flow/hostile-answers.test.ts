import { isDeepStrictEqual } from 'node:util';
import { gzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { timesheetPageSchema } from '#local/source/schemas.ts';
import { createSourceClient } from '#shared/adapters/workforce-api/client.ts';
import { SOURCE_BOUNDS } from '#shared/adapters/workforce-api/http/exchange.ts';
import { createRequestQueue } from '#shared/adapters/workforce-api/request-queue.ts';
import { createSourceApi } from '#shared/adapters/workforce-api/source-api.ts';
import { clocking, DATE, type SampleRecord, timesheet } from '#test/support/builders.ts';
import { PollHarness } from '#test/support/poll-harness.ts';

const ORIGIN = 'https://workforce.example.com';
const PAGE_RECORDS = 3;
const RECORDS = 6;
/** Of processor time, for a poll with all of its retries. */
const MAX_CASE_MS = 2_000;
const MAX_RESPONSE_BYTES = 1_000_000;

/**
 * Pages and headers that went wrong on their way, or that somebody made on purpose. Of the bytes of a bad page its own
 * bounds are tests of the client.
 */
test('a hostile answer: nothing is told of a record, what is stored stays, no other host is asked, in bounded time', async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...Object.keys(MUTATIONS)), fc.gen(), async (name, draw) => {
      const stage = await createStage();
      const hurt = mutate(name, [...stage.harness.timesheets.values()], draw);
      if (hurt !== null) await playOn(stage, hurt);
    }),
    { numRuns: 250 },
  );
});

/** A page of the list, from 1, and what comes in its place. */
interface HurtPage {
  readonly page: number;
  readonly answer: Answer;
}

/** A source whose records are known, as an address that answers. */
interface Stage {
  readonly harness: PollHarness;
  hurt: HurtPage | null;
  /** Addresses that are none of the source's. */
  readonly foreign: string[];
}

async function createStage(): Promise<Stage> {
  const harness = new PollHarness({ connection: { window: { backDays: 0, forwardDays: 0 } } });
  harness.put(...Array.from({ length: RECORDS }, (_, number) => sampleOf(number + 1)));
  const stage: Stage = { harness, hurt: null, foreign: [] };
  await pollOn(stage);
  await pollOn(stage);
  harness.news();
  return stage;
}

/** Every other one has all that can happen to a timesheet. */
function sampleOf(number: number): SampleRecord {
  const own = { id: `${number}_7`, employeeId: `${2_000 + number}_7`, date: DATE };
  if (number % 2 === 0) return timesheet(own);
  const at = '2026-03-05T00:30:00.000Z';
  const facts = { approvedHours: at, approvedPayroll: at, processed: at };
  return timesheet({ ...own, ...facts, clockIn: clocking(), clockOut: clocking({ id: '7002_7' }) });
}

/** A poll by the product's own client. */
async function pollOn(stage: Stage): Promise<void> {
  const { harness } = stage;
  const now = () => harness.now;
  const sleep = async (milliseconds: number) => {
    harness.now += milliseconds;
  };
  const client = createSourceClient({
    baseUrl: ORIGIN,
    credential: { secretName: 'main', token: async () => 'token', renew: async () => 'token' },
    bounds: { ...SOURCE_BOUNDS, maxResponseBytes: MAX_RESPONSE_BYTES },
    queue: createRequestQueue({ maxPerSecond: 1_000, now, sleep, random: () => 0.5 }),
    now,
    deadline: harness.now + 60_000,
    fetch: async (input) => toResponse(respond(new URL(new Request(input).url), stage)),
  });
  harness.now += 60_000;
  await harness.pollNow({ all: true }, (ports) => ({ ...ports, source: createSourceApi(client, now) }));
}

function respond(url: URL, { harness, hurt, foreign }: Stage): Answer {
  harness.now += 5;
  if (url.origin !== ORIGIN || !url.pathname.startsWith('/api/v1/')) foreign.push(url.href);
  const id = /\/timesheets\/(.+)$/.exec(url.pathname)?.[1];
  if (id !== undefined) {
    const found = harness.timesheets.get(decodeURIComponent(id));
    return found === undefined ? answer(encode({}), { status: 404 }) : answer(encode({ data: [found] }));
  }
  const number = Number(url.searchParams.get('page') ?? 1);
  return hurt?.page === number
    ? hurt.answer
    : answer(encode(pageOf([...harness.timesheets.values()], number)));
}

function toResponse({ status, headers, body }: Answer): Response {
  const hasBody = ![204, 205, 304].includes(status);
  return new Response(hasBody ? Buffer.from(body) : null, { status, headers });
}

function pageOf(records: readonly SampleRecord[], page: number): Page {
  const totalPages = Math.ceil(records.length / PAGE_RECORDS);
  const nextPage = page < totalPages ? `/api/v1/timesheets?page=${page + 1}` : '';
  return {
    __type: 'page',
    data: records.slice((page - 1) * PAGE_RECORDS, page * PAGE_RECORDS).map((record) => ({ ...record })),
    pagination: {
      ...{ page, pageSize: PAGE_RECORDS, totalPages, totalRecords: records.length },
      ...{ nextPage, previousPage: '' },
    },
  };
}

/** Null for a page as the source may well send it: what it says then is believed. */
function mutate(name: string, records: readonly SampleRecord[], draw: Draw): HurtPage | null {
  const page = draw(fc.integer, { min: 1, max: RECORDS / PAGE_RECORDS });
  const good = pageOf(records, page);
  const made = MUTATIONS[name]?.(structuredClone(good), draw) ?? null;
  if (made === null) return null;
  if (!(made instanceof Uint8Array)) return { page, answer: made };
  return isOtherPage(made, good) ? null : { page, answer: answer(made) };
}

/** Whether these bytes are a page in the shape of docs/source-api.md that says something else of its records. */
function isOtherPage(bytes: Uint8Array, good: Page): boolean {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return false;
  }
  const { success } = timesheetPageSchema.safeParse(value);
  return success && !isDeepStrictEqual((value as Page).data, good.data);
}

async function playOn(stage: Stage, hurt: HurtPage): Promise<void> {
  const { harness, foreign } = stage;
  const before = await readRows(harness);
  stage.hurt = hurt;
  const startedAt = process.cpuUsage();
  await pollOn(stage);
  const { user, system } = process.cpuUsage(startedAt);
  expect((user + system) / 1_000).toBeLessThan(MAX_CASE_MS);
  expect(foreign).toEqual([]);
  expect(harness.headings.filter((heading) => heading.startsWith('timesheet.'))).toEqual([]);
  expect(await readRows(harness)).toEqual(before);
}

/** Of every row what subscribers were told. */
async function readRows({ store }: PollHarness) {
  const heads = await store.loadHeads('main');
  const keys = heads.flatMap(({ feed, slice, buckets }) =>
    buckets.map(({ from }) => ({ feed, slice, from })),
  );
  const rows = (await store.readBuckets('main', keys)).flat();
  return rows
    .filter(({ text }) => text !== null)
    .map(({ id, text, sequence }) => `${id} ${text} ${sequence}`)
    .sort();
}

type Draw = fc.GeneratorValue;

/** An answer of the source, as it is on the wire. */
interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

type Json = { [key: string]: unknown };
interface Page extends Json {
  data: Json[];
  pagination: Json;
}

/** Longer than what an answer may have. */
const BOMB_BYTES = 4_000_000;
const MAX_DEPTH = 50_000;
const FOREIGN = [
  'https://evil.example/api/v1/timesheets?page=2',
  '//evil.example/api/v1/timesheets?page=2',
  '\\\\evil.example\\api\\v1\\timesheets?page=2',
  'https://workforce.example.com@evil.example/api/v1/timesheets?page=2',
  'https://workforce.example.com.evil.example/api/v1/timesheets?page=2',
  'http://169.254.169.254/latest/meta-data/',
  'file:///etc/passwd',
  'javascript:alert(1)',
  '/api/v1/../../admin?page=2',
  '/api/v1/timesheets/%2e%2e/%2e%2e/admin?page=2',
  'https://workforce.example.com:8443/api/v1/timesheets?page=2',
];
/** As JSON, or nearly: what another program may take for a value. */
const RAW_VALUES = [
  ...['{}', '[]', '[[]]', '{"id":{}}', '-1', '1.5e-7', 'true', '"null"', '"\\u0000"', '"\\ud800"'],
  ...['1e400', '-1e400', '1e308', '9007199254740993', `1${'0'.repeat(5_000)}`, `0.${'1'.repeat(5_000)}`],
];
const PROTO_KEYS = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'then', 'toJSON'];
const HEADERS: readonly (readonly [string, string])[] = [
  ['retry-after', '999999999999'],
  ['retry-after', '-1'],
  ['retry-after', 'Fri, 31 Dec 9999 23:59:59 GMT'],
  ['retry-after', '1e400'],
  ['retry-after', ' '.repeat(4_000)],
  ['x-ratelimit-remaining', '-5'],
  ['x-ratelimit-remaining', 'NaN'],
  ['x-ratelimit-reset', '99999999999999999999'],
  ['ratelimit', '"a";r=0;t=99999999999'],
  ['content-encoding', 'gzip'],
  ['content-encoding', 'br'],
  ['content-encoding', 'zstd, gzip, gzip'],
  ['content-type', 'text/html'],
  ['content-type', 'application/json; charset=utf-16'],
  ['content-length', '0'],
  ['etag', '"'.repeat(4_000)],
  ['location', 'https://evil.example/'],
  ['link', '<https://evil.example/>; rel="next"'],
  ['date', 'Thu, 01 Jan 1970 00:00:00 GMT'],
];
const STATUSES = [201, 206, 301, 307, 400, 401, 404, 418, 429, 500, 503, 599];

type Mutation = (page: Page, draw: Draw) => Uint8Array | Answer | null;

/** What makes a good page hostile. Null: nothing was found to change. */
const MUTATIONS: Readonly<Record<string, Mutation>> = {
  'bytes flipped, put in and left out': (page, draw) => {
    const bytes = [...encode(page)];
    for (let count = draw(fc.integer, { min: 1, max: 12 }); count > 0; count -= 1)
      bytes.splice(
        draw(fc.nat, { max: bytes.length - 1 }),
        draw(fc.nat, { max: 3 }),
        ...draw(fc.uint8Array, { maxLength: 3 }),
      );
    return Uint8Array.from(bytes);
  },
  'cut off': (page, draw) => {
    const bytes = encode(page);
    return bytes.subarray(0, draw(fc.nat, { max: bytes.length - 1 }));
  },
  'nested deeply': (page, draw) => {
    const depth = draw(fc.integer, { min: 100, max: MAX_DEPTH });
    const [open, close] = draw(fc.boolean) ? ['[', ']'] : ['{"a":', '}'];
    return withRaw(page, draw, `${open.repeat(depth)}0${close.repeat(depth)}`);
  },
  'wrong values and huge numbers': (page, draw) => withRaw(page, draw, draw(fc.constantFrom, ...RAW_VALUES)),
  'keys of prototypes': (page, draw) => {
    const value = draw(fc.constantFrom, '{"hoursToPay":99,"id":"1_7"}', 'null', '"x"', '[]');
    const key = draw(fc.constantFrom, ...PROTO_KEYS);
    return Buffer.from(
      decode(page).replaceAll('{"', () => (draw(fc.boolean) ? `{"${key}":${value},"` : '{"')),
    );
  },
  'keys twice': (page, draw) => {
    const key = draw(fc.constantFrom, 'id', 'date', 'hoursToPay', 'data', 'pagination', 'totalRecords');
    const value = draw(fc.constantFrom, ...RAW_VALUES);
    return Buffer.from(decode(page).replaceAll(`"${key}":`, `"${key}":${value},"${key}":`));
  },
  'ids twice': (page, draw) => {
    page.data.push(...draw(fc.shuffledSubarray<Json>, page.data, { minLength: 1 }));
    if (draw(fc.boolean)) page.pagination.totalRecords = page.data.length;
    return encode(page);
  },
  'pages in a loop': (page, draw) => {
    const to = draw(fc.constantFrom, 1, 2, Number(page.pagination.page));
    page.pagination.nextPage = `/api/v1/timesheets?page=${to}`;
    if (draw(fc.boolean)) page.pagination.totalPages = draw(fc.integer, { min: 2, max: 1_000_000 });
    return encode(page);
  },
  'foreign hosts': (page, draw) => {
    page.pagination.nextPage = draw(fc.constantFrom, ...FOREIGN);
    page.pagination.totalPages = draw(fc.integer, { min: 2, max: 9 });
    return encode(page);
  },
  'untrue numbers of pages': (page, draw) => {
    const names = ['page', 'pageSize', 'totalPages', 'totalRecords', 'nextPage'];
    for (const name of draw(fc.shuffledSubarray<string>, names, { minLength: 1, maxLength: 3 }))
      page.pagination[name] = draw(fc.constantFrom<unknown[]>, -1, 1.5, 99, 1e15, '1', null, []);
    return encode(page);
  },
  'records left out': (page, draw) => {
    page.data = draw(fc.boolean) ? [] : page.data.slice(0, -1);
    return encode(page);
  },
  'headers and statuses': (page, draw) =>
    answer(encode(page), {
      status: draw(fc.constantFrom, 200, 200, ...STATUSES),
      headers: Object.fromEntries(
        draw(fc.shuffledSubarray<(typeof HEADERS)[number]>, [...HEADERS], { maxLength: 4 }),
      ),
    }),
  'unpacked into much': (_, draw) =>
    answer(gzipSync(Buffer.alloc(BOMB_BYTES, draw(fc.constantFrom, '[', ' ', '0'))), {
      headers: { 'content-encoding': 'gzip' },
    }),
};

function answer(body: Uint8Array, values: Partial<Answer> = {}): Answer {
  return { status: 200, ...values, headers: { 'content-type': 'application/json', ...values.headers }, body };
}

function encode(page: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(page));
}

function decode(page: unknown): string {
  return JSON.stringify(page);
}

/** A page with one of its values, somewhere, replaced by a text that need not be JSON's own. */
function withRaw(page: Page, draw: Draw, raw: string): Uint8Array {
  const values = [...decode(page).matchAll(/(?<=:)(?:"(?:[^"\\]|\\.)*"|-?\d[\d.e+-]*|null|true|false)/g)];
  const value = draw(fc.constantFrom<RegExpExecArray[]>, ...values);
  const text = decode(page);
  return Buffer.from(text.slice(0, value.index) + raw + text.slice(value.index + value[0].length));
}
