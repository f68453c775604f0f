import type { Page } from 'playwright-core';
import { HUNG_MS } from './browser.ts';

/** Waits until the list of the live screen has exactly so many rows, headings of days among them. */
export async function waitForRows(page: Page, count: number, timeout = HUNG_MS): Promise<void> {
  await page.locator(`.row[aria-setsize="${count}"]`).first().waitFor({ timeout });
}

/** Scrolls from the newest line to the oldest. Gives the ids of the events in the order in which they are shown. */
export function readShownIds(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(READ_SHOWN_IDS);
}

const READ_SHOWN_IDS = `(async () => {
  const main = document.querySelector('main');
  const found = new Map();
  main.scrollTo(0, 0);
  for (let last = -1; main.scrollTop !== last; ) {
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
    for (const line of document.querySelectorAll('.row a.says')) {
      const place = Number(line.closest('.row').getAttribute('aria-posinset'));
      found.set(place, new URL(line.href).hash.slice(1));
    }
    last = main.scrollTop;
    const rows = document.querySelectorAll('.row');
    // Rows that are drawn to spare are read too.
    main.scrollBy(0, (rows.length / 2 - 1) * rows[0].offsetHeight);
  }
  return [...found].sort(([a], [b]) => a - b).map(([, id]) => id);
})()`;

/** Notes how long each task of the page takes that is longer than 50 ms, in `window.longTasks`. */
export const COUNT_LONG_TASKS = `
  window.longTasks = [];
  new PerformanceObserver((list) => {
    window.longTasks.push(...list.getEntries().map(({ duration }) => duration));
  }).observe({ entryTypes: ['longtask'] });`;

/** Bytes of the page's heap after a collection. */
export async function measurePageHeap(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  await session.detach();
  return usedSize;
}

/** How many objects of a class the page holds after a collection, whether they are in its document or not. */
export async function countInMemory(page: Page, className: string): Promise<number> {
  const session = await page.context().newCDPSession(page);
  const expression = `${className}.prototype`;
  const { result: prototype } = await session.send('Runtime.evaluate', { expression });
  const { objects } = await session.send('Runtime.queryObjects', {
    prototypeObjectId: prototype.objectId ?? '',
  });
  const { result: count } = await session.send('Runtime.callFunctionOn', {
    objectId: objects.objectId ?? '',
    functionDeclaration: 'function () { return this.length; }',
  });
  await session.detach();
  return Number(count.value);
}

/**
 * Milliseconds of the processor that the main thread of a page takes while a script runs there. The browser counts long
 * tasks by the clock, and on a machine that does much else every task is long.
 */
export async function measurePageCpu<Result>(
  page: Page,
  script: string,
): Promise<{ readonly result: Result; readonly cpuMs: number }> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const read = async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0) * 1_000;
  };
  const before = await read();
  const result = await page.evaluate<Result>(script);
  const cpuMs = (await read()) - before;
  await session.detach();
  return { result, cpuMs };
}
