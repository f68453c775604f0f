import axe from 'axe-core';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { findRecord } from '#cli/events/find-record.ts';
import { type RunningConsole, startConsole } from '#console/server/console-server.ts';
import { launchBrowser, NARROW, openWatchedPage, type WatchedPage, WIDE } from './browser.ts';
import { createFakeContext, createFakeLog, NOW } from './fake-log.ts';
import { findTold, type SeededCompany, startSeededCompany } from './seeded-company.ts';

const SESSION = 's'.repeat(32);
const HOSTILE = '"><img src=x onerror=alert(1)><script>alert(2)</script>';
/** Two cores may be shared with other tests. */
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const PATIENT = { timeout: 20_000 };
const SCREENS = ['/', '/periods', '/deliveries', '/coverage'];

let browser: Browser;
let seeded: SeededCompany;
let running: RunningConsole;
let context: BrowserContext;
let watched: WatchedPage;
let page: Page;

beforeAll(async () => {
  [browser, seeded] = await Promise.all([launchBrowser(), startSeededCompany()]);
  await seeded.live(240, 20);
  running = await serve();
  context = await browser.newContext({ viewport: WIDE, locale: 'en-GB', timezoneId: 'Europe/Berlin' });
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: running.origin });
  watched = await openWatchedPage(context, running.address);
  page = watched.page;
  await page.waitForSelector('.rows .line');
});

afterAll(async () => {
  await browser?.close();
  await running?.stop();
  await seeded?.stop();
});

function serve(port = 0): Promise<RunningConsole> {
  const examine = async () => [{ about: 'config', outcome: 'ok' as const, says: 'is valid' }];
  return startConsole({ open: async () => ({ ...seeded.context, examine }), port, session: SESSION });
}

async function go(path: string): Promise<void> {
  // As a link of the page does, without loading it again.
  await page.evaluate(
    `history.pushState(null, '', ${JSON.stringify(path)}); dispatchEvent(new PopStateEvent('popstate'))`,
  );
  await page.waitForSelector('h1');
  await page.locator('.loading').first().waitFor({ state: 'detached' });
}

describe('the live screen', () => {
  test('tells a burst as one line, which opens to its events', async () => {
    await go('/');
    const story = page.locator('.story', { hasText: /\d+ clocked in, \d\d:\d\d to \d\d:\d\d/ }).first();
    const count = Number(/^(\d+)/.exec((await story.locator('strong').textContent()) ?? '')?.[1]);
    expect(count).toBeGreaterThanOrEqual(3);
    await story.click();
    await expect.poll(() => page.locator('.inside').count(), PATIENT).toBe(count);
    await story.click();
    await expect.poll(() => page.locator('.inside').count(), PATIENT).toBe(0);
  });

  test('shows the zone of the connection, and that of the viewer on hover', async () => {
    const time = page.locator('.line time').first();
    const [shown, instant] = [await time.textContent(), (await time.getAttribute('datetime')) ?? ''];
    const format = (timeZone: string) =>
      new Intl.DateTimeFormat('en-GB', { timeZone, timeStyle: 'medium' }).format(new Date(instant));
    expect(shown).toBe(format('Pacific/Auckland'));
    expect(await time.getAttribute('title')).toContain(format('Europe/Berlin'));
  });

  test('is moved through with keys', async () => {
    await go('/');
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('k');
    const focused = () => page.evaluate<boolean>("document.activeElement.hasAttribute('data-line')");
    await expect.poll(focused, PATIENT).toBe(true);
    await page.keyboard.press('?');
    await page.locator('dialog[open]').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('dialog[open]').waitFor({ state: 'detached' });
    await page.keyboard.press('/');
    await page.keyboard.type('101206_1');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/records/101206_1');
  });

  test('has an address for each filter', async () => {
    await go('/');
    await page.selectOption('select[aria-label=Type]', 'timesheet.clocked_in');
    await page.waitForURL('**/?type=timesheet.clocked_in');
    await page.locator('.rows .line .sentence', { hasText: 'clocked in' }).first().waitFor();
    await page.locator('.rows .line .sentence', { hasNotText: 'clocked in' }).waitFor({ state: 'detached' });
    await go('/?type=timesheet.removed&late=yes');
    await page.locator('.empty-title', { hasText: 'Nothing in the log matches' }).waitFor();
  });
});

test('the history of a record is what explain --json prints', async () => {
  const record = findTold(seeded.harness);
  const expected = await findRecord({ record, since: '90d' }, seeded.target);
  await go(`/records/${record}`);
  await page.getByRole('button', { name: 'Copy as JSON' }).click();
  const copied = await page.evaluate<string>('navigator.clipboard.readText()');
  expect(copied).toBe(JSON.stringify(expected, null, 2));
  const chapters = expected.flatMap((each) => each.chapters);
  expect(chapters.length).toBeGreaterThan(1);
  expect(await page.locator('.chapter').evaluateAll((all) => all.map(({ id }) => id))).toEqual(
    chapters.map(({ event }) => event.id),
  );
});

test('a lost connection says so, and comes back by itself with what happened meanwhile', async () => {
  await go('/');
  const { port } = new URL(running.origin);
  const before = seeded.harness.published.length;
  await running.stop();
  await page.locator('.banner', { hasText: 'does not answer' }).waitFor();
  await seeded.live(40, 20);
  expect(seeded.harness.published.length).toBeGreaterThan(before);
  running = await serve(Number(port));
  await page.locator('.clock.live').waitFor();
  const newest = seeded.harness.published.findLast(({ subject }) => subject !== undefined);
  await page
    .locator(`.rows time[datetime^="${newest?.time.slice(0, 19)}"]`)
    .first()
    .waitFor();
});

test('50,000 events scroll without long pauses, and few of them are in the document', async () => {
  const log = createFakeLog();
  // Each type comes again after 36 minutes, so that no line goes into a story.
  const typeOf = (number: number) => `timesheet.kind_${number % 60}`;
  for (let batch = 5_000; batch > 0; batch -= 1) log.commit(NOW - batch * 6 * 60_000, 10, { typeOf });
  const large = await startConsole({
    open: async () => createFakeContext(log, { readEveryMs: 500 }),
    port: 0,
  });
  const { page: own, faults } = await openWatchedPage(context, large.address);
  await own.waitForSelector('.rows .line');
  await own.evaluate(COUNT_LONG_TASKS);
  const rows = await own.evaluate<number>(SCROLL_TO_THE_END);
  const longest = await own.evaluate<number>('Math.max(0, ...window.longTasks)');
  const yardstick = await own.evaluate<number>(SORT_MANY);
  expect(await own.locator('.end').textContent()).toBe('The log begins here.');
  expect(rows).toBeGreaterThan(20);
  expect(rows).toBeLessThan(120);
  // A busy machine slows both.
  expect(longest / yardstick).toBeLessThan(20);
  expect(faults).toEqual([]);
  await own.close();
  await large.stop();
});

test('values of a record stay text', async () => {
  const log = createFakeLog();
  log.commit(NOW - 60_000, 1, { type: `timesheet.${HOSTILE}`, record: HOSTILE, departmentId: HOSTILE });
  const hostile = await startConsole({ open: async () => createFakeContext(log), port: 0 });
  const { page: own, faults } = await openWatchedPage(context, hostile.address);
  expect(await own.locator('.rows .sentence').textContent()).toContain('<img src=x onerror=alert(1)>');
  await own.route('**/api/records*', (route) => route.fulfill({ json: createHostileAnswer() }));
  await own.locator('.rows .line').click();
  await own.waitForSelector('.chapter');
  const text = await own.locator('main').textContent();
  expect(text?.split('<img src=x onerror=alert(1)>').length).toBeGreaterThan(6);
  expect(await own.locator('main img, main script').count()).toBe(0);
  expect(faults).toEqual([]);
  await own.close();
  await hostile.stop();
});

describe('every screen', () => {
  test.each([...SCREENS, 'record', 'period'])(
    '%s has no fault that axe finds, in both themes',
    async (path) => {
      await go(await toPath(path));
      expect(await examine("{ resultTypes: ['violations'] }")).toEqual([]);
      await page.emulateMedia({ colorScheme: 'dark' });
      expect(await examine("{ resultTypes: ['violations'], runOnly: ['color-contrast'] }")).toEqual([]);
      await page.emulateMedia({ colorScheme: 'light' });
    },
  );

  test('fits 400 pixels', async () => {
    await page.setViewportSize(NARROW);
    for (const path of [...SCREENS, 'record', 'period']) {
      await go(await toPath(path));
      const beyond = await page.evaluate<number[]>(
        "[document.documentElement, document.querySelector('main')].map((each) => each.scrollWidth - each.clientWidth)",
      );
      expect(beyond, path).toEqual([0, 0]);
    }
    await page.setViewportSize(WIDE);
  });
});

test('no error was logged, and no other origin was asked', () => {
  expect(watched.faults).toEqual([]);
});

/** What axe finds: each rule with the first elements that break it. */
async function examine(options: string): Promise<unknown[]> {
  const { violations } = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>(
    `${axe.source}; axe.run(document, ${options})`,
  );
  return violations.map(({ id, nodes }) => [id, nodes.slice(0, 3).map(({ html }) => html)]);
}

async function toPath(screen: string): Promise<string> {
  if (screen === 'record') return `/records/${findTold(seeded.harness)}`;
  if (screen !== 'period') return screen;
  const [period] = seeded.company
    .payPeriods()
    .filter(({ closed }) => closed !== null)
    .slice(-1);
  return `/periods/${period?.id}?connection=main`;
}

const COUNT_LONG_TASKS = `
  window.longTasks = [];
  new PerformanceObserver((list) => {
    window.longTasks.push(...list.getEntries().map(({ duration }) => duration));
  }).observe({ entryTypes: ['longtask'] });`;

/** Milliseconds that the browser takes to make and sort 50,000 texts now, the longest of some times. */
const SORT_MANY = `(() => {
  const once = () => {
    const start = performance.now();
    Array.from({ length: 50000 }, (_, index) => String((index * 7919) % 50021)).sort();
    return performance.now() - start;
  };
  return Math.max(...Array.from({ length: 5 }, once));
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

function createHostileAnswer() {
  const event = {
    id: 'event-1',
    type: `workforce.timesheet.${HOSTILE}`,
    sequence: 1,
    time: '2026-11-20T08:59:00.000Z',
    data: {
      current: { [HOSTILE]: HOSTILE },
      previous: { [HOSTILE]: `${HOSTILE}!` },
      changed: [HOSTILE],
      observed: { after: null, by: '2026-11-20T08:59:00.000Z' },
      occurredAt: HOSTILE,
      late: [HOSTILE],
    },
  };
  const place = { connection: 'main', timeZone: 'UTC', feed: 'timesheets', record: HOSTILE };
  const chapter = { event, committedAt: event.time, published: true, deliveries: [] };
  const receiver = {
    name: HOSTILE,
    outcome: 'failed',
    at: null,
    attempts: 1,
    answers: [HOSTILE],
    detail: null,
    nextAt: null,
  };
  const note = {
    eventId: 'event-1',
    sentence: HOSTILE,
    topic: HOSTILE,
    rules: [],
    receivers: [receiver],
    receipt: null,
  };
  return {
    found: [{ ...place, chapters: [chapter], state: { [HOSTILE]: HOSTILE }, sequence: 1 }],
    notes: [
      {
        employee: HOSTILE,
        department: HOSTILE,
        chapters: [note],
        explain: HOSTILE,
        replay: HOSTILE,
        curl: HOSTILE,
      },
    ],
  };
}
