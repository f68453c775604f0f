import type { Page } from 'playwright-core';
import { createFakeLog, type FakeLog, NOW } from '#test/console/fake-log.ts';
import { measurePageHeap } from '#test/console/shown-lines.ts';
import { visitConsole } from '../console-visit.ts';
import { type Row, ratio } from '../row.ts';

/** More than the page and the server keep: what is beyond must be let go. */
const FULL = 80_000;
const EVENTS = 160_000;
const PER_BATCH = 2_000;
/** Not longer ago than the server looks for new events; the clock stands still. */
const RECENT_MS = 80_000;
const TIME_LIMIT_MS = 600_000;
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
  return await visitConsole(log, 100, async (page) => {
    await write(log, page, FULL);
    const full = await measure(page);
    await write(log, page, EVENTS);
    const later = await measure(page);
    return (['server', 'page'] as const).map((part) => buildRow(part, full[part], later[part]));
  });
}

/** As fast as the page shows them. */
async function write(log: FakeLog, page: Page, events: number): Promise<void> {
  // A type of its own for each, so that the newest is not inside of a story.
  const typeOf = (number: number) => `timesheet.kind_${number}`;
  while (log.size < events) {
    log.commit(NOW - RECENT_MS + (log.size * RECENT_MS) / EVENTS, PER_BATCH, { typeOf });
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
    metric: `heap of the ${part} after ${EVENTS.toLocaleString('en')} events`,
    baseline: `after ${FULL.toLocaleString('en')}, when it is full`,
    baselineValue: inMegabytes(full),
    ours: inMegabytes(later),
    ratio: ratio(later, full),
    seed: null,
    limit: { value: Number(growth.toFixed(2)), atMost: MAX_GROWTH },
  };
}
