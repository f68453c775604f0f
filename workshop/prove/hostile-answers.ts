import { gzipSync } from 'node:zlib';
import type { Random } from '#test/simulation/random.ts';

/** An answer of the source, as it is on the wire. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

type Json = { [key: string]: unknown };
export interface Page extends Json {
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
export const MUTATIONS: Readonly<Record<string, Mutation>> = {
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

export function answer(body: Uint8Array, values: Partial<Answer> = {}): Answer {
  return { status: 200, ...values, headers: { 'content-type': 'application/json', ...values.headers }, body };
}

export function encode(page: unknown): Uint8Array {
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
