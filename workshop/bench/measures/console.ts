import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import type { ConsoleContext } from '#console/server/context.ts';
import { startConsole } from '#console/server/open-console.ts';
import { createPeriodReader } from '#console/server/periods/read-periods.ts';
import { launchBrowser } from '#test/console/browser.ts';
import { createFakeContext, createFakeLog, NOW } from '#test/console/fake-log.ts';
import { startSeededCompany } from '#test/console/seeded-company.ts';
import { median } from '../cpu.ts';
import { type Row, ratio } from '../row.ts';

const RUNS = 7;
const KILOBYTE = 1_024;
const MAX_KILOBYTES = 40;
const EVENTS = 2_000;

/** What the console's page weighs, and how soon it is drawn, beside an empty page in the same browser. */
export async function measureConsolePage(): Promise<Row[]> {
  const log = createFakeLog();
  for (let batch = 0; batch < EVENTS / 20; batch += 1) log.commit(NOW - batch * 600_000, 20);
  const empty = await serveEmptyPage();
  try {
    return await visitConsole(
      () => createFakeContext(log),
      async (page, origin) => {
        await page.waitForSelector('.rows .line');
        const ours = await measureFirstPaint(page, origin);
        const bare = await measureFirstPaint(page, empty.origin);
        return [buildSizeRow(await measureKilobytes(origin)), buildPaintRow(ours, bare)];
      },
    );
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

const PEOPLE = 2_000;

/** How long the pay periods of a large company are counted for the board, and how long again with the rows that are kept. */
export async function measureConsoleBoard(): Promise<Row[]> {
  const seeded = await startSeededCompany(PEOPLE);
  try {
    await seeded.live(20, 20);
    const first = await measureCount(seeded.context);
    const again = await measureCount(seeded.context);
    return [
      {
        topic: 'console',
        metric: `the board of ${PEOPLE.toLocaleString('en')} people is counted, nothing committed since`,
        baseline: 'the first time',
        baselineValue: `${first.toFixed(0)} ms`,
        ours: `${again.toFixed(0)} ms`,
        ratio: ratio(again, first),
        seed: 1,
      },
    ];
  } finally {
    await seeded.stop();
  }
}

async function measureCount(context: ConsoleContext): Promise<number> {
  const startedAt = performance.now();
  await createPeriodReader(context)();
  return performance.now() - startedAt;
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
