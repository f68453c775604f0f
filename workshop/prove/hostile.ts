import { isDeepStrictEqual } from 'node:util';
import { gzipSync } from 'node:zlib';
import { timesheetPageSchema } from '#local/source/schemas.ts';
import { createSourceClient } from '#shared/adapters/workforce-api/client.ts';
import { SOURCE_BOUNDS } from '#shared/adapters/workforce-api/http/exchange.ts';
import { createRequestQueue } from '#shared/adapters/workforce-api/request-queue.ts';
import { createSourceApi } from '#shared/adapters/workforce-api/source-api.ts';
import type { SourceApi } from '#shared/flow/poll/ports.ts';
import { Random } from '#test/simulation/random.ts';
import { clocking, type SampleRecord, TIMESHEETS, timesheet } from '#test/support/builders.ts';
import { Failures, type Plant, type Proof } from './proof.ts';
import { SmallWorld } from './small-world.ts';

/**
 * Pages and headers that went wrong on their way, or that somebody made on purpose: nothing is told of a record, what is
 * stored stays, no other host is asked, and each poll ends within its time and memory.
 */

const ORIGIN = 'https://workforce.example.com';
const PAGE_RECORDS = 3;
const RECORDS = 6;
/** A world serves so many cases: what its polls remember of failures must not decide the later ones. */
const CASES_OF_WORLD = 50;
/** Of processor time, for a poll with all of its retries. */
const MAX_CASE_MS = 2_000;
/** More than before the first case: the process may hold what others made. */
const MAX_HEAP_BYTES = 500_000_000;
const MAX_RESPONSE_BYTES = 1_000_000;

export const hostile: Proof = {
  cases: 'hostile answers',
  async run({ runs, seed, plant }) {
    const failures = new Failures();
    const counts = { 'other pages, left out': 0, polls: 0, 'ms at most': 0, 'MB of heap at most': 0 };
    const names = Object.keys(MUTATIONS);
    const heapBefore = process.memoryUsage().heapUsed;
    let stage = await createStage(plant);
    for (let ran = 0; ran < runs; ran += 1) {
      if (ran % CASES_OF_WORLD === CASES_OF_WORLD - 1) stage = await createStage(plant);
      const name = names[ran % names.length] ?? '';
      const random = new Random(seed * 1_000_003 + ran);
      const hurt = mutate(name, stage.world, random);
      if (hurt === null) {
        counts['other pages, left out'] += 1;
        continue;
      }
      const { faults, milliseconds, heapBytes } = await playOn(stage, hurt, heapBefore);
      counts.polls += 1;
      counts['ms at most'] = Math.max(counts['ms at most'], Math.round(milliseconds));
      counts['MB of heap at most'] = Math.max(counts['MB of heap at most'], Math.round(heapBytes / 1e6));
      for (const fault of faults) failures.add(`seed ${seed}, case ${ran}, ${name}: ${fault}`);
      if (faults.length > 0) stage = await createStage(plant);
    }
    return { ran: runs, of: null, failures: failures.described, counts };
  },
};

/** A page of the list, from 1, and what comes in its place. */
interface HurtPage {
  readonly page: number;
  readonly answer: Answer;
}

/** A world whose records are known, and its source as an address that answers. */
interface Stage {
  readonly world: SmallWorld;
  readonly wire: Wire;
  /** Rows as they were before anything hostile came. */
  readonly rows: string;
}

interface Wire {
  hurt: HurtPage | null;
  /** Addresses that are none of the source's. */
  readonly foreign: string[];
}

async function createStage(plant: Plant | undefined): Promise<Stage> {
  const wire: Wire = { hurt: null, foreign: [] };
  const world = new SmallWorld({ plant, source: (its) => createSource(its, wire) });
  for (let number = 1; number <= RECORDS; number += 1) {
    const record = sampleOf(number);
    world.apply({ kind: 'put', id: record.id, values: record });
  }
  await world.settle();
  return { world, wire, rows: await readRows(world) };
}

/** Every other one has all that can happen to a timesheet. */
function sampleOf(number: number): SampleRecord {
  const own = { id: `${number}_7`, employeeId: `${2_000 + number}_7` };
  if (number % 2 === 0) return timesheet(own);
  const at = '2026-03-05T06:00:00.000Z';
  const facts = { approvedHours: at, approvedPayroll: at, processed: at };
  return timesheet({ ...own, ...facts, clockIn: clocking(), clockOut: clocking({ id: '7002_7' }) });
}

/** The product's own client, on a wire that the proof holds. */
function createSource(world: SmallWorld, wire: Wire): SourceApi {
  const now = () => world.now;
  const sleep = async (milliseconds: number) => {
    world.now += milliseconds;
  };
  const client = createSourceClient({
    baseUrl: ORIGIN,
    credential: { secretName: 'main', token: async () => 'token', renew: async () => 'token' },
    bounds: { ...SOURCE_BOUNDS, maxResponseBytes: MAX_RESPONSE_BYTES },
    queue: createRequestQueue({ maxPerSecond: 1_000, now, sleep, random: () => 0.5 }),
    now,
    deadline: Number.POSITIVE_INFINITY,
    fetch: async (input) => toResponse(respond(new URL(new Request(input).url), world, wire)),
  });
  return createSourceApi(client, now);
}

function respond(url: URL, world: SmallWorld, wire: Wire): Answer {
  world.now += 5;
  if (url.origin !== ORIGIN || !url.pathname.startsWith('/api/v1/')) wire.foreign.push(url.href);
  const id = /\/timesheets\/(.+)$/.exec(url.pathname)?.[1];
  if (id !== undefined) {
    const found = world.timesheets.find((record) => record.id === decodeURIComponent(id));
    return found === undefined ? answer(encode({}), { status: 404 }) : answer(encode({ data: [found] }));
  }
  const number = Number(url.searchParams.get('page') ?? 1);
  const { hurt } = wire;
  return hurt?.page === number ? hurt.answer : answer(encode(pageOf(world.timesheets, number)));
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
function mutate(name: string, world: SmallWorld, random: Random): HurtPage | null {
  const page = random.between(1, RECORDS / PAGE_RECORDS);
  const good = pageOf(world.timesheets, page);
  const made = MUTATIONS[name]?.(structuredClone(good), random) ?? null;
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

async function playOn({ world, wire, rows }: Stage, hurt: HurtPage, heapBefore: number) {
  const told = world.texts.length;
  wire.hurt = hurt;
  wire.foreign.length = 0;
  world.now += 60_000;
  const startedAt = process.cpuUsage();
  const faults: string[] = [];
  try {
    await world.pollAll();
  } catch (error) {
    faults.push(`the poll crashed: ${String(error)}`);
  }
  wire.hurt = null;
  const { user, system } = process.cpuUsage(startedAt);
  const milliseconds = (user + system) / 1_000;
  const heapBytes = process.memoryUsage().heapUsed - heapBefore;
  if (milliseconds > MAX_CASE_MS)
    faults.push(`the poll took ${Math.round(milliseconds)} ms of the processor`);
  if (heapBytes > MAX_HEAP_BYTES) faults.push(`the heap has ${heapBytes} bytes more`);
  for (const address of wire.foreign) faults.push(`${address.slice(0, 200)} was asked`);
  for (const { type, subject } of world.told().slice(told))
    if (/\.timesheet\./.test(type)) faults.push(`${type} was told of ${subject}`);
  if ((await readRows(world)) !== rows) faults.push('rows changed');
  return { faults, milliseconds, heapBytes };
}

/** What is stored of every record, as a text; not when it was asked for in vain. */
async function readRows({ store }: SmallWorld): Promise<string> {
  const heads = await store.loadHeads(TIMESHEETS, '');
  const refs = heads.flatMap(({ slice, generation, leafCount }) =>
    Array.from({ length: leafCount }, (_, index) => ({ slice, generation, index })),
  );
  const leaves = await store.readLeaves(TIMESHEETS, refs);
  const rows = leaves.flatMap((leaf) => leaf.rows.map(({ id, state, sequence }) => [id, state, sequence]));
  return JSON.stringify([...rows.sort(), ...leaves.flatMap(({ tombstones }) => tombstones)]);
}

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
const WRONG_VALUES: readonly unknown[] = [
  {},
  [],
  [[]],
  { id: {} },
  -1,
  1.5e-7,
  true,
  'null',
  '\u0000',
  '\ud800',
];
const HUGE_NUMBERS = [
  '1e400',
  '-1e400',
  '1e308',
  '9007199254740993',
  `1${'0'.repeat(5_000)}`,
  `0.${'1'.repeat(5_000)}`,
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
const STATUSES = [
  201, 203, 206, 207, 226, 300, 301, 302, 303, 307, 308, 400, 401, 403, 404, 405, 408, 410, 418, 422, 425,
  429, 451, 500, 501, 502, 503, 504, 599,
];

type Mutation = (page: Page, random: Random) => Uint8Array | Answer | null;

/** What makes a good page hostile. Null: nothing was found to change. */
const MUTATIONS: Readonly<Record<string, Mutation>> = {
  'bytes flipped, put in and left out': (page, random) => {
    const bytes = [...encode(page)];
    for (let count = random.between(1, 12); count > 0; count -= 1) {
      const at = random.between(0, bytes.length - 1);
      bytes.splice(
        at,
        random.between(0, 3),
        ...Array.from({ length: random.between(0, 3) }, () => random.between(0, 255)),
      );
    }
    return Uint8Array.from(bytes);
  },
  'cut off': (page, random) => {
    const bytes = encode(page);
    return bytes.subarray(0, random.between(0, bytes.length - 1));
  },
  'nested deeply': (page, random) => {
    const depth = random.between(100, MAX_DEPTH);
    const [open, close] = random.chance(0.5) ? ['[', ']'] : ['{"a":', '}'];
    return withRaw(page, random, `${open.repeat(depth)}0${close.repeat(depth)}`);
  },
  'huge numbers': (page, random) => withRaw(page, random, random.pick(HUGE_NUMBERS)),
  'wrong values': (page, random) => withRaw(page, random, JSON.stringify(random.pick(WRONG_VALUES))),
  'keys of prototypes': (page, random) => {
    const value = JSON.stringify(random.pick<unknown>([{ hoursToPay: 99, id: '1_7' }, null, 'x', []]));
    const key = JSON.stringify(random.pick(PROTO_KEYS));
    return Buffer.from(
      decode(page).replaceAll('{"', () => (random.chance(0.4) ? `{${key}:${value},"` : '{"')),
    );
  },
  'keys twice': (page, random) => {
    const key = random.pick(['id', 'date', 'hoursToPay', 'data', 'pagination', 'totalRecords', 'employeeId']);
    const value = JSON.stringify(random.pick(WRONG_VALUES));
    return Buffer.from(decode(page).replaceAll(`"${key}":`, `"${key}":${value},"${key}":`));
  },
  'ids twice': (page, random) => {
    page.data.push(...random.shuffled(page.data).slice(0, random.between(1, page.data.length)));
    if (random.chance(0.5)) page.pagination.totalRecords = page.data.length;
    return encode(page);
  },
  'pages in a loop': (page, random) => {
    const to = random.pick([1, 1, 2, Number(page.pagination.page)]);
    page.pagination.nextPage = `/api/v1/timesheets?page=${to}`;
    if (random.chance(0.5)) page.pagination.totalPages = random.between(2, 1_000_000);
    return encode(page);
  },
  'foreign hosts': (page, random) => {
    page.pagination.nextPage = random.pick(FOREIGN);
    page.pagination.totalPages = random.between(2, 9);
    return encode(page);
  },
  'untrue numbers of pages': (page, random) => {
    const names = ['page', 'pageSize', 'totalPages', 'totalRecords', 'nextPage'];
    for (const name of random.shuffled(names).slice(0, random.between(1, 3)))
      page.pagination[name] = random.pick<unknown>([-1, 1.5, 99, 1e15, '1', null, [], '9'.repeat(2_000)]);
    return encode(page);
  },
  'records left out': (page, random) => {
    page.data = random.chance(0.5) ? [] : page.data.slice(0, -1);
    return encode(page);
  },
  'other shapes': (_, random) =>
    Buffer.from(
      random.pick(['null', '[]', '0', '""', '{}', '{"data":null}', '{"data":{}}', '<html></html>', '']),
    ),
  headers: (page, random) => {
    const headers = random.shuffled(HEADERS).slice(0, random.between(1, 4));
    return answer(encode(page), { headers: Object.fromEntries(headers) });
  },
  statuses: (page, random) =>
    answer(encode(page), {
      status: random.pick(STATUSES),
      headers: Object.fromEntries(random.shuffled(HEADERS).slice(0, random.between(0, 2))),
    }),
  'unpacked into much': (_, random) =>
    answer(gzipSync(Buffer.alloc(BOMB_BYTES, random.pick(['[', ' ', '0']))), {
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
function withRaw(page: Page, random: Random, raw: string): Uint8Array {
  const values = [...decode(page).matchAll(/(?<=:)(?:"(?:[^"\\]|\\.)*"|-?\d[\d.e+-]*|null|true|false)/g)];
  const value = random.pick(values);
  const text = decode(page);
  return Buffer.from(text.slice(0, value.index) + raw + text.slice(value.index + value[0].length));
}
