import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RunningConsole, startConsole } from '#console/server/open-console.ts';
import type { PollOutcome } from '#console/server/poll-log.ts';
import { NARROW, openWatchedPage, WIDE } from './browser.ts';
import { createFakeContext, createFakeLog, NOW } from './fake-log.ts';
import { countInMemory } from './shown-lines.ts';

/** As a browser says it on a machine without a language. */
const UNKNOWN_LANGUAGE =
  "Object.defineProperty(navigator, 'language', { value: 'en-US@posix', configurable: true })";

/** The tests of the charts, in a browser that other tests use too: it ends with the first context that is closed. */
export function testCharts(browser: () => Browser): void {
  let polls: PollOutcome[] = [];
  let running: RunningConsole;
  let page: Page;
  let faults: string[];

  beforeAll(async () => {
    const context = await browser().newContext({ viewport: WIDE });
    await context.addInitScript(UNKNOWN_LANGUAGE);
    const pollLog = { read: async () => polls };
    running = await startConsole({
      open: async () => createFakeContext(createFakeLog(), { pollLog }),
      port: 0,
    });
    ({ page, faults } = await openWatchedPage(context, running.address));
    // Whoever leaves before has used up the address and has no session.
    await page.waitForSelector('.clock.live');
  });

  afterAll(async () => {
    await page?.close();
    await running?.stop();
  });

  async function show(...outcomes: PollOutcome[]): Promise<void> {
    polls = outcomes;
    await page.goto(`${running.origin}/coverage`);
    await page.locator('h2', { hasText: 'Polls' }).first().waitFor();
  }
  const readCaptions = () => page.locator('.sparkline figcaption').allTextContents();

  test('the charts say what will come before the first poll, and show a single one', async () => {
    await show();
    await page.locator('.fact', { hasText: 'appear here after the first poll' }).waitFor();
    await show(createPoll(0, { requests: 7 }));
    await page.locator('.about', { hasText: 'The first' }).waitFor();
    await page.locator('.plot canvas').first().waitFor();
    expect((await readCaptions())[0]).toBe('Requests 7 at most 7');
  });

  test('the charts have one cursor, which goes from poll to poll by pointer and keys', async () => {
    await show(...THREE_POLLS.toReversed());
    const first = page.locator('.plot').first();
    await expect.poll(readCaptions).toEqual(expect.arrayContaining(['Requests 2 at most 5']));
    const { width = 0 } = (await first.boundingBox()) ?? {};
    await first.hover({ position: { x: width * 0.4, y: 9 } });
    await expect
      .poll(readCaptions)
      .toEqual([
        'Requests 5 at 09:01:00',
        'Throttled (429) 0 at 09:01:00',
        'Changes 1 at 09:01:00',
        'Seen to published none at 09:01:00',
      ]);
    const cursors = page.locator('.u-cursor-x');
    const places = await cursors.evaluateAll((all) => all.map((each) => each.style.transform));
    expect([places.length, new Set(places).size]).toEqual([4, 1]);
    await page.mouse.move(0, 0);
    await first.focus();
    await page.keyboard.press('Home');
    await expect.poll(readCaptions).toEqual(expect.arrayContaining(['Changes 1 at 09:00:00']));
    expect(await first.getAttribute('aria-valuetext')).toBe('3, at 09:00:00');
    await page.keyboard.press('Escape');
    await expect.poll(readCaptions).toEqual(expect.arrayContaining(['Requests 2 at most 5']));
  });

  test('the charts of each connection are its own', async () => {
    const others = Array.from({ length: 300 }, (_, minute) =>
      createPoll(minute, { connection: 'other', requests: minute }),
    );
    await show(createPoll(0), createPoll(0, { feed: 'pay-periods' }), ...others);
    await expect
      .poll(() => page.locator('section .heading:has(~ .charts)').allTextContents())
      .toEqual([
        'Polls of timesheets of mainThe first, Fri 20 Nov, 09:00',
        'Polls of timesheets of otherThe latest 240, since Fri 20 Nov, 10:00',
      ]);
    await page.locator('.plot').first().hover();
    await expect
      .poll(readCaptions)
      .toEqual(expect.arrayContaining(['Requests 3 at 09:00:00', 'Requests 299 at most 299']));
  });

  test('the charts are a table for whoever wants one', async () => {
    await show(...THREE_POLLS);
    await page.locator('summary', { hasText: 'As a table' }).click();
    const rows = () => page.locator('.polls tbody tr').allInnerTexts();
    await expect
      .poll(rows)
      .toEqual([
        'Fri 20 Nov, 09:02\t2\t0\t1\t250 ms',
        'Fri 20 Nov, 09:01\t5\t0\t1\t–',
        'Fri 20 Nov, 09:00\t3\t0\t1\t250 ms',
      ]);
  });

  test('the charts are drawn in the colours of the theme, as wide as there is room', async () => {
    const readLine = () => page.evaluate<string>(FIND_LINE_COLOR);
    await expect.poll(readLine).toBe('14,107,94');
    // What is loaded again is drawn again: it never is.
    await page.route('**/api/coverage', () => {});
    await page.emulateMedia({ colorScheme: 'dark' });
    await expect.poll(readLine).toBe('98,201,181');
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize(NARROW);
    const widths = () =>
      page.evaluate<number[]>(
        "[...document.querySelectorAll('.plot, .plot canvas')].map((each) => each.clientWidth)",
      );
    await expect.poll(async () => new Set(await widths()).size).toBe(1);
    await page.setViewportSize(WIDE);
    await page.unroute('**/api/coverage');
  });

  test('the charts are gone with their screen', async () => {
    expect(await countInMemory(page, 'HTMLCanvasElement')).toBe(4);
    await page.getByRole('link', { name: 'Live', exact: true }).click();
    await page.getByRole('heading', { name: 'Live' }).waitFor();
    await expect.poll(() => countInMemory(page, 'HTMLCanvasElement')).toBe(0);
    expect(faults).toEqual([]);
  });
}

/** Red, green and blue of the pixel of the first chart that is least like its ground. */
const FIND_LINE_COLOR = `(() => {
  const canvas = document.querySelector('.plot canvas');
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  const solid = Array.from({ length: data.length / 4 }, (_, place) => place * 4).find((at) => data[at + 3] === 255);
  return data.slice(solid, solid + 3).join(',');
})()`;

/** A poll that ended some minutes after 09:00 UTC. */
function createPoll(minute: number, values: Partial<PollOutcome> = {}): PollOutcome {
  return {
    at: new Date(NOW + minute * 60_000).toISOString(),
    connection: 'main',
    feed: 'timesheets',
    result: 'complete',
    slices: 3,
    records: 90,
    changes: 1,
    requests: 3,
    throttled: 0,
    durationMs: 900,
    lagMs: 250,
    ...values,
  };
}

const THREE_POLLS = [3, 5, 2].map((requests, minute) =>
  createPoll(minute, { requests, lagMs: minute === 1 ? null : 250 }),
);
