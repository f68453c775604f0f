import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import type { ConsoleContext } from '#console/server/context.ts';
import { startConsole } from '#console/server/open-console.ts';
import { launchBrowser } from '#test/console/browser.ts';
import { createFakeContext, createFakeLog, type FakeLog, NOW } from '#test/console/fake-log.ts';
import { startSeededCompany } from '#test/console/seeded-company.ts';
import { COUNT_LONG_TASKS, measurePageHeap, readShownIds, waitForRows } from '#test/console/shown-lines.ts';
import { median } from '../cpu.ts';
import { type Row, ratio } from '../row.ts';

const RUNS = 7;
const KILOBYTE = 1_024;
/** ADR 38. */
const MAX_KILOBYTES = 64;
const EVENTS = 2_000;
const READ_EVERY_MS = 500;
const TIME_LIMIT_MS = 600_000;

/** What the console's page weighs, and how soon it is drawn, beside an empty page in the same browser. */
export async function measureConsolePage(): Promise<Row[]> {
  const log = createFakeLog();
  for (let batch = 0; batch < EVENTS / 20; batch += 1) log.commit(NOW - batch * 600_000, 20);
  const empty = await serveEmptyPage();
  try {
    return await visitConsole(openLog(log), async (page, origin) => {
      await page.waitForSelector('.row');
      const ours = await measureFirstPaint(page, origin);
      const bare = await measureFirstPaint(page, empty.origin);
      return [buildSizeRow(await measureKilobytes(origin)), buildPaintRow(ours, bare)];
    });
  } finally {
    empty.stop();
  }
}

function buildSizeRow(size: number): Row {
  return {
    topic: 'console',
    metric: 'script and styles of the page, gzipped, KB',
    baseline: 'budget',
    baselineValue: String(MAX_KILOBYTES),
    ours: size.toFixed(1),
    ratio: ratio(size, MAX_KILOBYTES),
    seed: null,
    goal: { value: size, atMost: MAX_KILOBYTES },
  };
}

function buildPaintRow(ours: number, bare: number): Row {
  return {
    topic: 'console',
    metric: 'from opening to the first paint, 2,000 events',
    baseline: 'an empty page',
    baselineValue: `${bare.toFixed(0)} ms`,
    ours: `${ours.toFixed(0)} ms`,
    ratio: ratio(ours, bare),
    seed: null,
  };
}

async function measureKilobytes(origin: string): Promise<number> {
  const texts = await Promise.all(
    ['/page.js', '/page.css'].map(async (path) => (await fetch(origin + path)).text()),
  );
  return texts.reduce((sum, text) => sum + gzipSync(text).length, 0) / KILOBYTE;
}

/** Milliseconds, the median of some runs. */
async function measureFirstPaint(page: Page, address: string): Promise<number> {
  const times: number[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    await page.goto(address);
    await page.waitForTimeout(300);
    const paint = await page.evaluate<number>(
      "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN",
    );
    times.push(paint);
  }
  return median(times.filter((time) => !Number.isNaN(time)));
}

async function serveEmptyPage(): Promise<{ readonly origin: string; stop(): void }> {
  const server = createServer((_, response) => {
    response.setHeader('Content-Type', 'text/html; charset=utf-8');
    response.end('<!doctype html><html lang="en"><title>empty</title><p>.');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { origin: `http://127.0.0.1:${port}`, stop: () => void server.close() };
}

const LOAD_EVENTS = 10_000;
const SECONDS = 10;
const BATCHES_PER_SECOND = 10;

/** A thousand events a second for ten seconds, from the log to what the page shows. */
export async function measureConsoleLoad(): Promise<Row[]> {
  const log = createFakeLog();
  return await visitConsole(openLog(log), async (page) => {
    await page.evaluate(COUNT_LONG_TASKS);
    const perBatch = LOAD_EVENTS / SECONDS / BATCHES_PER_SECOND;
    const startedAt = performance.now();
    for (let batch = 1; log.size < LOAD_EVENTS; batch += 1) {
      // A type of its own for each, so that no line is inside of a group.
      log.commit(NOW - LOAD_EVENTS + log.size, perBatch, { typeOf: (number) => `timesheet.kind_${number}` });
      await sleep(Math.max(0, startedAt + (batch * 1_000) / BATCHES_PER_SECOND - performance.now()));
    }
    const writtenAt = performance.now();
    // With the heading of the day.
    await waitForRows(page, LOAD_EVENTS + 1, TIME_LIMIT_MS);
    const behindMs = performance.now() - writtenAt;
    const longTasks = await page.evaluate<number[]>('window.longTasks');
    return [...buildShownRows(await readShownIds(page)), ...buildPaceRows(behindMs, longTasks)];
  });
}

function buildShownRows(ids: readonly string[]): Row[] {
  const numbers = ids.map((id) => Number(id.slice('event-'.length)));
  const lost = LOAD_EVENTS - new Set(numbers).size;
  const repeated = numbers.length - new Set(numbers).size;
  const moved = numbers.filter((number, place) => place > 0 && number >= (numbers[place - 1] ?? 0)).length;
  return (
    [
      ['lost', lost],
      ['shown twice', repeated],
      ['out of order', moved],
    ] as const
  ).map(([what, count]) => ({
    topic: 'console',
    metric: `lines ${what}, of 1,000 events a second for ten seconds`,
    baseline: 'events in the log',
    baselineValue: LOAD_EVENTS.toLocaleString('en'),
    ours: String(count),
    ratio: '',
    seed: null,
    goal: { value: count, atMost: 0 },
  }));
}

function buildPaceRows(behindMs: number, longTasks: readonly number[]): Row[] {
  const common = { topic: 'console', seed: null, ratio: '' } as const;
  return [
    {
      ...common,
      metric: 'from the last of these events being written to all being shown',
      baseline: 'two reads of the log a second',
      baselineValue: '500 ms',
      ours: `${behindMs.toFixed(0)} ms`,
    },
    {
      ...common,
      metric: 'tasks of the page over 50 ms in these ten seconds, and the longest',
      baseline: '',
      baselineValue: '',
      ours: `${longTasks.length}, ${Math.max(0, ...longTasks).toFixed(0)} ms`,
    },
  ];
}

/** More than the page and the server keep: what is beyond must be let go. */
const FULL = 80_000;
const LASTING_EVENTS = 160_000;
const PER_BATCH = 2_000;
/** Not longer ago than the server looks for new events; the clock stands still. */
const RECENT_MS = 80_000;
const MEGABYTE = 1_048_576;
const MAX_GROWTH = 1.15;

interface Heaps {
  readonly server: number;
  readonly page: number;
}

/** Heap of the server and of the page once both hold all that they keep, and after as many events again. */
export async function measureConsoleMemory(): Promise<Row[]> {
  // A log in memory of this process may not grow itself.
  const log = createFakeLog({ maxBatches: 4 });
  return await visitConsole(openLog(log, 100), async (page) => {
    await write(log, page, FULL);
    const full = await measure(page);
    await write(log, page, LASTING_EVENTS);
    const later = await measure(page);
    return (['server', 'page'] as const).map((part) => buildRow(part, full[part], later[part]));
  });
}

/** As fast as the page shows them. */
async function write(log: FakeLog, page: Page, events: number): Promise<void> {
  // A type of its own for each, so that the newest is not inside of a group.
  const typeOf = (number: number) => `timesheet.kind_${number}`;
  while (log.size < events) {
    log.commit(NOW - RECENT_MS + (log.size * RECENT_MS) / LASTING_EVENTS, PER_BATCH, { typeOf });
    await page.waitForSelector(`.row [href$="#event-${log.size}"]`, { timeout: TIME_LIMIT_MS });
  }
}

async function measure(page: Page): Promise<Heaps> {
  const inPage = await measurePageHeap(page);
  globalThis.gc?.();
  return { page: inPage, server: process.memoryUsage().heapUsed };
}

function buildRow(part: keyof Heaps, full: number, later: number): Row {
  const inMegabytes = (bytes: number) => `${(bytes / MEGABYTE).toFixed(1)} MB`;
  const growth = later / full;
  return {
    topic: 'console',
    metric: `heap of the ${part} after ${LASTING_EVENTS.toLocaleString('en')} events`,
    baseline: `after ${FULL.toLocaleString('en')}, when it is full`,
    baselineValue: inMegabytes(full),
    ours: inMegabytes(later),
    ratio: ratio(later, full),
    seed: null,
    goal: { value: Number(growth.toFixed(2)), atMost: MAX_GROWTH },
  };
}

const PEOPLE = 2_000;

/** How soon the board of pay periods says something of a large company, and how soon all of it is counted. */
export async function measureConsoleBoard(): Promise<Row[]> {
  const seeded = await startSeededCompany(PEOPLE);
  try {
    await seeded.live(20, 20);
    return await visitConsole(
      () => seeded.context,
      async (page, origin) => {
        const startedAt = performance.now();
        await page.goto(`${origin}/periods`);
        await page.waitForSelector('.period .figure .number');
        const first = performance.now() - startedAt;
        await page.locator('.period .bones').first().waitFor({ state: 'detached', timeout: TIME_LIMIT_MS });
        return [buildBoardRow(first, performance.now() - startedAt)];
      },
    );
  } finally {
    await seeded.stop();
  }
}

function buildBoardRow(first: number, all: number): Row {
  return {
    topic: 'console',
    metric: `from opening the board to its first figures, ${PEOPLE.toLocaleString('en')} people`,
    baseline: 'all periods are counted',
    baselineValue: `${all.toFixed(0)} ms`,
    ours: `${first.toFixed(0)} ms`,
    ratio: ratio(first, all),
    seed: 1,
  };
}

function openLog(log: FakeLog, readEveryMs = READ_EVERY_MS): () => ConsoleContext {
  return () => createFakeContext(log, { readEveryMs });
}

/** Looks at the live page of a console, until `work` is done. */
async function visitConsole<Result>(
  open: () => ConsoleContext,
  work: (page: Page, origin: string) => Promise<Result>,
): Promise<Result> {
  const running = await startConsole({ open: async () => open(), port: 0 });
  const browser = await launchBrowser();
  try {
    const page = await browser.newPage();
    await page.goto(running.address);
    await page.waitForSelector('.clock.live');
    return await work(page, running.origin);
  } finally {
    await browser.close();
    await running.stop();
  }
}
