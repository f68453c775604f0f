import { isDeepStrictEqual } from 'node:util';
import { createListReader } from '#shared/adapters/workforce-api/list-reader.ts';
import { createRateLimiter } from '#shared/adapters/workforce-api/rate-limiter.ts';
import { TimesheetPage } from '#shared/adapters/workforce-api/schemas.ts';
import { createSourceApi } from '#shared/adapters/workforce-api/source-api.ts';
import type { SourceApi } from '#shared/flow/poll/ports.ts';
import { Random } from '#test/simulation/random.ts';
import { clocking, type SampleRecord, TIMESHEETS, timesheet } from '#test/support/builders.ts';
import { type Answer, answer, encode, MUTATIONS, type Page } from './hostile-answers.ts';
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
  const reader = createListReader({
    baseUrl: ORIGIN,
    credential: { secretName: 'main', token: async () => 'token', renew: async () => 'token' },
    requests: { ...world.connection.requests, maxResponseBytes: MAX_RESPONSE_BYTES },
    rateLimiter: createRateLimiter({ maxPerSecond: 1_000, now, sleep, random: () => 0.5 }),
    now,
    deadline: () => world.now + 20_000,
    fetch: async (input) => toResponse(respond(new URL(new Request(input).url), world, wire)),
  });
  return createSourceApi(reader, { pageSize: PAGE_RECORDS, now });
}

function respond(url: URL, world: SmallWorld, wire: Wire): Answer {
  world.now += 5;
  if (url.origin !== ORIGIN || !url.pathname.startsWith('/api/v1/')) wire.foreign.push(url.href);
  const id = /\/timesheets\/(.+)$/.exec(url.pathname)?.[1];
  if (id !== undefined) {
    const found = world.records().find((record) => record.id === decodeURIComponent(id));
    return found === undefined ? answer(encode({}), { status: 404 }) : answer(encode({ data: [found] }));
  }
  const number = Number(url.searchParams.get('page') ?? 1);
  const { hurt } = wire;
  return hurt?.page === number ? hurt.answer : answer(encode(pageOf(world.records(), number)));
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
  const good = pageOf(world.records(), page);
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
  const { success } = TimesheetPage.safeParse(value);
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
    await world.poll();
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
