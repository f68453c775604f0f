import { readFileSync } from 'node:fs';
import { Server } from 'node:http';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type RunningConsole, startConsole } from '#console/server/open-console.ts';
import { findRecord } from '#shared/operator/find-record.ts';
import { testBeside } from './beside.ts';
import {
  examine,
  HUNG_MS,
  launchBrowser,
  NARROW,
  openWatchedPage,
  type WatchedPage,
  WIDE,
} from './browser.ts';
import { testCharts } from './charts.ts';
import { createFakeContext, createFakeLog, NOW } from './fake-log.ts';
import { testFinding } from './finding.ts';
import { testFirstFigures } from './first-figures.ts';
import { createHostileAnswer, HOSTILE } from './hostile-answer.ts';
import { testLongLists } from './long-list.ts';
import { findTold, type SeededCompany, startSeededCompany } from './seeded-company.ts';
import { testSendingAgain } from './sending-again.ts';

const SCREENS = ['/', '/periods', '/deliveries', '/coverage'];

let browser: Browser;
let seeded: SeededCompany;
let running: RunningConsole;
let server: Server;
let context: BrowserContext;
let watched: WatchedPage;
let page: Page;

const OPENED = () => ({ page, seeded, go });

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

async function serve(): Promise<RunningConsole> {
  const examine = async () => [{ about: 'config', outcome: 'ok' as const, says: 'is valid' }];
  const listen = vi.spyOn(Server.prototype, 'listen');
  const served = await startConsole({ open: async () => ({ ...seeded.context, examine }), port: 0 });
  server = listen.mock.contexts[0] as Server;
  listen.mockRestore();
  return served;
}

async function go(path: string): Promise<void> {
  // As a link of the page does, without loading it again.
  await page.evaluate(
    `history.pushState(null, '', ${JSON.stringify(path)}); dispatchEvent(new PopStateEvent('popstate'))`,
  );
  await page.waitForSelector('h1');
  await page.locator('.bones').first().waitFor({ state: 'detached' });
}

describe('the live screen', () => {
  test('tells a burst as one line, which opens to its events', async () => {
    await go('/');
    const group = page.locator('.group', { hasText: /\d+ clocked in, \d\d:\d\d to \d\d:\d\d/ }).first();
    const count = Number(/^(\d+)/.exec((await group.locator('strong').textContent()) ?? '')?.[1]);
    expect(count).toBeGreaterThanOrEqual(3);
    await group.click();
    await expect.poll(() => page.locator('.inside').count()).toBe(count);
    await group.click();
    await expect.poll(() => page.locator('.inside').count()).toBe(0);
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
    await expect.poll(focused).toBe(true);
    const outline = 'getComputedStyle(document.activeElement).outline';
    expect(await page.evaluate(outline)).toMatch(/solid 2px$/);
    await page.keyboard.press('?');
    await page.locator('dialog[open]').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('dialog[open]').waitFor({ state: 'detached' });
    await page.keyboard.press('/');
    await page.keyboard.type('101206_404');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/records/101206_404');
  });

  test('has an address for each filter', async () => {
    await go('/');
    await page.selectOption('select[aria-label=Type]', 'timesheet.clocked_in');
    await page.waitForURL('**/?type=timesheet.clocked_in');
    await page.locator('.rows .line', { hasText: 'locked in' }).first().waitFor();
    await page.locator('.rows .line', { hasNotText: 'locked in' }).waitFor({ state: 'detached' });
    await go('/?type=timesheet.removed&late=yes');
    await page.locator('.empty-title', { hasText: 'Nothing in the log matches' }).waitFor();
  });
});

describe('finding', () => testFinding(OPENED));
describe('first figures', () => testFirstFigures(OPENED));
describe('beside a list', () => testBeside(OPENED));
describe('sending again', () => testSendingAgain(OPENED));

test('a moment and an event have addresses', async () => {
  const record = findTold(seeded.harness);
  const [found] = await findRecord({ record, since: '90d' }, seeded.target);
  const last = found?.chapters.at(-1);
  await page.goto(`${running.origin}/records/${record}#${last?.event.id}`);
  const chapter = page.locator('.chapter.here');
  expect(await chapter.getAttribute('id')).toBe(last?.event.id);
  await expect.poll(() => page.evaluate<boolean>(IS_IN_SIGHT)).toBe(true);
  await chapter.getByRole('link', { name: 'Log at that moment' }).click();
  await page.getByRole('heading', { name: 'Log', exact: true }).waitFor();
  const newest = page.locator('.rows .line time').first();
  expect(((await newest.getAttribute('datetime')) ?? '') <= (last?.committedAt ?? '')).toBe(true);
  await page.getByRole('link', { name: 'Go live' }).click();
  await page.getByRole('heading', { name: 'Live', exact: true }).waitFor();
});

test('the CSV of timesheets without a department has those alone', async () => {
  await go(await toPath('period'));
  const row = page.locator('.details tr', { hasText: 'No department' });
  const count = Number(await row.locator('td').first().textContent());
  const [file] = await Promise.all([page.waitForEvent('download'), row.getByRole('link').click()]);
  expect(file.suggestedFilename()).toMatch(/\.csv$/);
  const text = readFileSync(await file.path(), 'utf8');
  expect(text.trimEnd().split('\r\n').length).toBe(count + 1);
});

test('who wants less motion gets none', async () => {
  await go('/periods');
  const read = "getComputedStyle(document.querySelector('.chevron')).transitionDuration";
  const duration = () => page.evaluate(read);
  expect(await duration()).toBe('0.12s');
  await page.emulateMedia({ reducedMotion: 'reduce' });
  expect(await duration()).toBe('0s');
  await page.emulateMedia({ reducedMotion: null });
});

test('the page may send what changes something', async () => {
  const own = await context.newPage();
  await own.goto(running.origin);
  await own.waitForSelector('.clock.live');
  // It is not refused for its origin.
  expect(await own.evaluate(SEND_AGAIN)).toBe('event_unknown');
  await own.close();
});

test('an address that leads nowhere says so', async () => {
  for (const [path, text] of [
    ['/nowhere', 'Nothing is at this address'],
    ['/?until=yesterday', '"yesterday" is no moment'],
    ['/periods/404_1', 'Pay period 404_1 is not here'],
    ['/coverage?date=2020-01-01', '2020-01-01 is outside of the window'],
  ] as const) {
    await go(path);
    await page.locator('main', { hasText: text }).waitFor();
  }
  await page.locator('.clock.live').waitFor();
});

test('going back undoes a filter, and finds the line and the group that one left', async () => {
  await page.setViewportSize(NARROW);
  await page.goto(running.origin);
  await page.locator('.group').last().click();
  await page.locator('.inside').first().waitFor();
  await page.evaluate(scrollTo(640));
  const left = await page.evaluate<string>(FIND_LINE);
  await page.evaluate("document.querySelectorAll('a.says')[8].click()");
  await page.waitForURL('**/records/**');
  await page.goBack();
  await expect.poll(() => page.evaluate(FIND_LINE)).toBe(left);
  await page.selectOption('select[aria-label=Type]', 'pay_period.*');
  await page.waitForURL('**/?type=pay_period.*');
  await page.goBack();
  await expect.poll(() => page.evaluate(FIND_LINE)).toBe(left);
  await page.setViewportSize(WIDE);
});

test('an unknown id says what would make it known', async () => {
  await go('/records/none');
  await page
    .locator('.empty', { hasText: 'A timesheet appears when its date comes into the window' })
    .waitFor();
});

test('the history of a record is what explain --json prints', async () => {
  const record = findTold(seeded.harness);
  const expected = await findRecord({ record, since: '90d' }, seeded.target);
  await go(`/records/${record}`);
  await page.getByText('Copy', { exact: true }).click();
  await page.getByRole('button', { name: 'As JSON' }).click();
  const copied = await page.evaluate<string>('navigator.clipboard.readText()');
  expect(copied).toBe(JSON.stringify(expected, null, 2));
  const chapters = expected.flatMap((each) => each.chapters);
  expect(chapters.length).toBeGreaterThan(1);
  expect(await page.locator('.chapter').evaluateAll((all) => all.map(({ id }) => id))).toEqual(
    chapters.map(({ event }) => event.id).reverse(),
  );
  const told = chapters
    .flatMap(({ deliveries }) => deliveries)
    .filter(({ outcome }) => outcome === 'delivered');
  expect(await page.locator('.actions .told-line').textContent()).toContain(
    `payroll-system accepted${told.length > 1 ? ` ${told.length}` : ''}`,
  );
});

test('a lost connection says so, and comes back by itself with what happened meanwhile', async () => {
  await go('/coverage');
  await page.locator('.calendar').waitFor();
  const own = await context.newPage();
  await own.clock.install();
  await own.goto(running.origin);
  await own.waitForSelector('.clock.live');
  const { port } = new URL(running.origin);
  const before = seeded.harness.published.length;
  server.close();
  server.closeAllConnections();
  await page.locator('.banner', { hasText: 'does not answer' }).waitFor();
  await page.locator('.old', { hasText: 'These numbers are old' }).waitFor();
  await own.locator('.clock.lost').waitFor();
  const stood = await own.locator('.clock .now').textContent();
  await own.clock.fastForward('02:00');
  expect(await own.locator('.clock .now').textContent()).toBe(stood);
  await own.close();
  await seeded.live(40, 20);
  expect(seeded.harness.published.length).toBeGreaterThan(before);
  server.listen(Number(port), '127.0.0.1');
  await page.locator('.clock.live').waitFor();
  await page.locator('.old').waitFor({ state: 'detached' });
  await go('/');
  const newest = seeded.harness.published.findLast(({ subject }) => subject !== undefined);
  await page
    .locator(`.rows time[datetime^="${newest?.time.slice(0, 19)}"]`)
    .first()
    .waitFor();
});

test('an address opens the console once; a link of it opens in another tab, and is nothing in another browser', async () => {
  const log = createFakeLog();
  log.commit(NOW - 60_000, 1);
  const served = await startConsole({ open: async () => createFakeContext(log), port: 0 });
  // Until the console answers, the page shows the heading of what was asked for.
  const headingOf = async (own: Page) => await own.locator('.empty h1').textContent();
  const open = async (browsing: BrowserContext, address: string) => {
    const own = await browsing.newPage();
    await own.goto(address);
    return own;
  };
  // Contexts of one browser share the channel of its tabs here.
  const elsewhere = await launchBrowser();
  const other = await elsewhere.newContext();
  other.setDefaultTimeout(HUNG_MS);
  expect(await headingOf(await open(other, served.origin))).toBe('This address is incomplete');
  const wrong = `${served.origin}/#token=${'x'.repeat(32)}`;
  expect(await headingOf(await open(other, wrong))).toBe('This address is wrong');
  const first = await open(context, served.address);
  await first.waitForSelector('.rows .line');
  expect(first.url()).toBe(`${served.origin}/`);
  expect(await context.cookies(served.origin)).toEqual([]);
  await (await open(context, `${served.origin}/?type=timesheet.approved`)).waitForSelector('.clock.live');
  expect(await headingOf(await open(other, served.address))).toBe('This address was used already');
  await first.reload();
  await first.waitForSelector('.rows .line');
  await elsewhere.close();
  for (const own of context.pages()) if (own !== page) await own.close();
  await served.stop();
});

test('values of a record stay text', async () => {
  const log = createFakeLog();
  log.commit(NOW - 60_000, 1, { type: `timesheet.${HOSTILE}`, record: HOSTILE, departmentId: HOSTILE });
  const hostile = await startConsole({ open: async () => createFakeContext(log), port: 0 });
  const { page: own, faults } = await openWatchedPage(context, hostile.address);
  expect(await own.locator('.rows .says').textContent()).toContain('<img src=x onerror=alert(1)>');
  await own.route('**/api/person*', (route) => route.fulfill({ json: createHostileAnswer() }));
  await own.locator('.rows .who a').click();
  await own.waitForSelector('.person-day');
  expect(
    (await own.locator('#beside').textContent())?.split('<img src=x onerror=alert(1)>').length,
  ).toBeGreaterThan(8);
  expect(await own.locator('#page img[src=x], #page script').count()).toBe(0);
  await own.goBack();
  await own.route('**/api/records*', (route) => route.fulfill({ json: createHostileAnswer() }));
  await own.locator('.rows .says').click();
  await own.waitForSelector('.chapter');
  const text = await own.locator('#beside').textContent();
  expect(text?.split('<img src=x onerror=alert(1)>').length).toBeGreaterThan(6);
  expect(await own.locator('#page img[src=x], #page script').count()).toBe(0);
  expect(faults).toEqual([]);
  await own.close();
  await hostile.stop();
});

describe('every screen', () => {
  test.each([...SCREENS, 'person', 'record', 'period'])(
    '%s has no fault that axe finds, in both themes',
    async (path) => {
      await go(await toPath(path));
      expect(await examine(page, "{ resultTypes: ['violations'] }")).toEqual([]);
      await page.emulateMedia({ colorScheme: 'dark' });
      expect(await examine(page, "{ resultTypes: ['violations'], runOnly: ['color-contrast'] }")).toEqual([]);
      await page.emulateMedia({ colorScheme: 'light' });
    },
  );

  test('fits 400 pixels', async () => {
    await page.setViewportSize(NARROW);
    for (const path of [...SCREENS, 'person', 'record', 'period']) {
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

describe('charts', () => testCharts(() => browser));
describe('a long list', () => testLongLists(() => browser));

async function toPath(screen: string): Promise<string> {
  if (screen === 'record') return `/records/${findTold(seeded.harness)}`;
  if (screen === 'person') return `/people/main/${seeded.company.staff[0]?.employee.id}`;
  if (screen !== 'period') return screen;
  const [period] = seeded.company
    .payPeriods()
    .filter(({ closed }) => closed !== null)
    .slice(-1);
  return `/periods/${period?.id}?connection=main`;
}

const IS_IN_SIGHT = `(() => {
  const { top } = document.querySelector('.chapter.here').getBoundingClientRect();
  return top >= 0 && top < innerHeight;
})()`;

/** Scrolls the screen, and waits until it is drawn there. */
const scrollTo = (top: number) => `(async () => {
  document.querySelector('main').scrollTo(0, ${top});
  for (let frame = 0; frame < 2; frame += 1)
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
})()`;

/** The line below the edge of the window, and where it is. */
const FIND_LINE = `(() => {
  const lines = [...document.querySelectorAll('.rows .line')].map((line) => [line.getBoundingClientRect().top, line.textContent]);
  const [top, text] = lines.filter(([top]) => top > 150).sort(([a], [b]) => a - b)[0] ?? [];
  return Math.round(top) + ' ' + text;
})()`;

const SEND_AGAIN = `fetch('/api/deliveries/resend', {
  method: 'POST',
  headers: { 'Content-Type': 'application/json', Authorization: 'Bearer ' + sessionStorage.getItem('session') },
  body: JSON.stringify({
    receiver: 'webhooks/payroll-system',
    events: [{ id: '1', connection: 'main', feed: 'timesheets', committedAt: '2026-11-20T08:59:00.000Z' }],
  }),
}).then((answer) => answer.json()).then(({ error }) => error)`;
