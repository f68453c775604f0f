import type { Browser, BrowserContext } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { startConsole } from '#console/server/open-console.ts';
import { NARROW, openWatchedPage, WIDE } from './browser.ts';
import { createFakeContext, createFakeLog, NOW } from './fake-log.ts';
import { measurePageCpu, readShownIds, waitForRows } from './shown-lines.ts';

/** The tests of long lists, in a browser that other tests use too. */
export function testLongLists(browser: () => Browser): void {
  let context: BrowserContext;

  beforeAll(async () => {
    context = await browser().newContext({ viewport: WIDE, locale: 'en-GB' });
  });

  test('thousands of events at once are all shown, each once, in the order of the log', async () => {
    const log = createFakeLog();
    // A type of its own for each, so that no line goes into a group.
    const typeOf = (number: number) => `timesheet.kind_${number}`;
    const commit = (batch: number) => log.commit(NOW - 10_000 + batch, 100, { typeOf });
    const busy = await startConsole({ open: async () => createFakeContext(log), port: 0 });
    // Some of them are listed, the others come in the stream.
    commit(0);
    const { page: own, faults } = await openWatchedPage(context, busy.address);
    await own.locator('.clock.live').waitFor();
    for (let batch = 1; batch < 40; batch += 1) commit(batch);
    await waitForRows(own, 4_001);
    const expected = Array.from({ length: 4_000 }, (_, index) => `event-${4_000 - index}`);
    expect(await readShownIds(own)).toEqual(expected);
    expect(faults).toEqual([]);
    await own.close();
    await busy.stop();
  });

  test('a phone shows sentences whole, in rows that meet, and nothing jumps while one scrolls back', async () => {
    const log = createFakeLog();
    const typeOf = (number: number) =>
      `timesheet.kind_${number % 60}${'_and_more'.repeat((number * 7) % 17)}`;
    for (let batch = 100; batch > 0; batch -= 1) log.commit(NOW - batch * 6 * 60_000, 10, { typeOf });
    const wordy = await startConsole({ open: async () => createFakeContext(log), port: 0 });
    const { page: own, faults } = await openWatchedPage(context, wordy.address);
    await own.setViewportSize(NARROW);
    await own.waitForSelector('.rows .line');
    await own.evaluate(SCROLL_TO_THE_END);
    await own.setViewportSize({ ...NARROW, width: 380 });
    const { gaps, cut, heights, jumps } = await own.evaluate<ScrolledBack>(SCROLL_BACK);
    expect({ gaps, cut, jumps }).toEqual({ gaps: 0, cut: 0, jumps: 0 });
    expect(heights).toBeGreaterThan(4);
    // A window that grows is filled.
    await own.setViewportSize({ width: 380, height: 3_000 });
    await expect
      .poll(() =>
        own.evaluate<boolean>(
          "document.querySelector('.row:last-child').getBoundingClientRect().bottom >= innerHeight",
        ),
      )
      .toBe(true);
    expect(faults).toEqual([]);
    await own.close();
    await wordy.stop();
  });
}

/** A list of so many events is scrolled from its newest to its oldest line. */
export function testScrolling(context: () => BrowserContext, events: number): void {
  test(`${events} events scroll at a bounded cost, and few of them are in the document`, async () => {
    const log = createFakeLog();
    // Each type comes again after 36 minutes, so that no line goes into a group.
    const typeOf = (number: number) => `timesheet.kind_${number % 60}`;
    for (let batch = events / 10; batch > 0; batch -= 1) log.commit(NOW - batch * 6 * 60_000, 10, { typeOf });
    const large = await startConsole({
      open: async () => createFakeContext(log, { readEveryMs: 500 }),
      port: 0,
    });
    const { page: own, faults } = await openWatchedPage(context(), large.address);
    await own.waitForSelector('.rows .line');
    const scrolled = await measurePageCpu<number>(own, SCROLL_TO_THE_END);
    const sorted = await measurePageCpu(own, sortMany(events));
    expect(await own.locator('.end').textContent()).toBe('The log begins here.');
    expect(scrolled.result).toBeGreaterThan(20);
    expect(scrolled.result).toBeLessThan(120);
    // It is 10 for 10,000 events as for 50,000, up to 17 on a busy machine; were each step as costly as the list is long, five times as much.
    expect(scrolled.cpuMs / sorted.cpuMs).toBeLessThan(30);
    expect(faults).toEqual([]);
    await own.close();
    await large.stop();
  });
}

/** A yardstick: makes and sorts so many texts, 20 times. */
const sortMany = (count: number) => `(() => {
  for (let time = 0; time < 20; time += 1)
    Array.from({ length: ${count} }, (_, index) => String((index * 7919) % 50021)).sort();
})()`;

/** Scrolls until the log begins. Gives the most rows that were in the document at once. */
const SCROLL_TO_THE_END = `(async () => {
  let most = 0;
  for (let step = 0; step < 3000 && document.querySelector('.end') === null; step += 1) {
    document.querySelector('main').scrollBy(0, 12000);
    await new Promise((resolve) => requestAnimationFrame(resolve));
    most = Math.max(most, document.querySelectorAll('.row').length);
  }
  return most;
})()`;

interface ScrolledBack {
  /** Rows that do not begin where the one before ends. */
  readonly gaps: number;
  /** Sentences of which something is hidden. */
  readonly cut: number;
  /** How many different heights there were. */
  readonly heights: number;
  /** How often a row was not moved by what was scrolled. */
  readonly jumps: number;
}

/** Scrolls up from the oldest line, where no row above was ever drawn. */
const SCROLL_BACK = `(async () => {
  const main = document.querySelector('main');
  const heights = new Set();
  let [gaps, cut, jumps] = [0, 0, 0];
  const settle = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
  main.scrollTo(0, 1e9);
  await settle();
  for (let step = 0; step < 60; step += 1) {
    const rows = [...document.querySelectorAll('.row')];
    const places = rows.map((row) => row.getBoundingClientRect());
    gaps += places.filter(({ top }, index) => index > 0 && Math.abs(top - places[index - 1].bottom) > 1).length;
    cut += rows.filter((row) => row.scrollHeight > row.clientHeight + 1 || row.scrollWidth > row.clientWidth).length;
    for (const { height } of places) heights.add(Math.round(height));
    const seen = rows.findIndex((row, index) => places[index].top > 200);
    main.scrollBy(0, -333);
    await settle();
    jumps += Math.abs(rows[seen].getBoundingClientRect().top - places[seen].top - 333) > 1 ? 1 : 0;
  }
  return { gaps, cut, heights: heights.size, jumps };
})()`;
