import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test as testAnywhere } from 'vitest';
import type { ConsoleContext } from '#console/server/context.ts';
import { type RunningConsole, startConsole } from '#console/server/open-console.ts';
import { examine, launchBrowser, NARROW, openWatchedPage, WIDE } from './browser.ts';
import { createFakeContext, createFakeLog, NOW } from './fake-log.ts';
import { findTold, type SeededCompany, startSeededCompany } from './seeded-company.ts';

/** What only a browser shows: the session, the script, and how pages look. */

/** An npm package brings the browser, for Linux x64 alone. */
const test = testAnywhere.skipIf(process.platform !== 'linux' || process.arch !== 'x64');

let browser: Browser;
let seeded: SeededCompany;
let running: RunningConsole;
let context: BrowserContext;
let page: Page;
let faults: string[];

beforeAll(async () => {
  [browser, seeded] = await Promise.all([launchBrowser(), startSeededCompany()]);
  await seeded.live(240, 20);
  running = await serve({ ...seeded.context, examine: async () => [] });
  context = await browser.newContext({ viewport: WIDE, locale: 'en-GB' });
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: running.origin });
  ({ page, faults } = await openWatchedPage(context, running.address));
  await page.locator('.row').first().waitFor();
});

afterAll(async () => {
  await browser?.close();
  await running?.stop();
  await seeded?.stop();
});

function serve(opened: ConsoleContext, port = 0): Promise<RunningConsole> {
  return startConsole({ open: async () => opened, port });
}

async function go(path: string): Promise<void> {
  await page.goto((await page.evaluate<string>('document.baseURI')) + path);
}

const PAGES: readonly (readonly [name: string, find: () => string])[] = [
  ['now', () => 'now'],
  ['pay periods', () => 'periods'],
  [
    'a pay period',
    () => `periods/${seeded.company.payPeriods().findLast(({ closed }) => closed !== null)?.id}`,
  ],
  ['a record', () => `records/${findTold(seeded.harness)}`],
  ['a person', () => `people/main/${seeded.company.staff[0]?.employee.id}`],
  ['deliveries', () => 'deliveries'],
  ['what is found', () => 'find?q=example'],
];

describe.each(PAGES)('%s', (_, find) => {
  test('has no fault that axe finds, in both themes', async () => {
    await go(find());
    expect(await examine(page, "{ resultTypes: ['violations'] }")).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await examine(page, "{ resultTypes: ['violations'], runOnly: ['color-contrast'] }")).toEqual([]);
    await page.emulateMedia({ colorScheme: 'light' });
  });

  test('fits a phone', async () => {
    await page.setViewportSize(NARROW);
    await go(find());
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
    await page.setViewportSize(WIDE);
  });
});

test('is moved through with keys: past the header, and to the search', async () => {
  await go('now');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('main');
  expect(new URL(page.url()).pathname).toMatch(/\/now$/);
  await page.keyboard.press('/');
  await page.keyboard.type('tuesday');
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'Tue 17 Nov' }).click();
  await page.getByRole('heading', { name: 'Tue 17 Nov', level: 1 }).waitFor();
});

test('a choice is sent when it is made', async () => {
  await go('now');
  await page.selectOption('select[aria-label=Type]', 'pay_period.*');
  await page.waitForURL('**/now?type=pay_period.*');
  expect(await page.locator('select[aria-label=Type]').inputValue()).toBe('pay_period.*');
});

test('a command is copied', async () => {
  await go(`periods/${seeded.company.payPeriods()[0]?.id}`);
  await page.getByText('How it is known').click();
  await page.getByRole('button', { name: 'Copy' }).click();
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  expect(await page.evaluate('navigator.clipboard.readText()')).toContain('npm run notifier -- period');
});

test('new lines come by themselves, each once, and nothing that is read jumps', async () => {
  const log = createFakeLog();
  // A type of its own for each, so that no line goes into a group.
  const typeOf = (number: number) => `timesheet.kind_${number}`;
  const commit = (count: number) => log.commit(NOW - 60_000 + log.size, count, { typeOf });
  commit(200);
  const busy = await serve(createFakeContext(log));
  const watched = await openWatchedPage(context, busy.address);
  const read = () => watched.page.evaluate<string[]>(READ_EVENTS);
  await watched.page.locator('.row').first().waitFor();
  await watched.page.evaluate('scrollTo(0, 1500)');
  const place = await watched.page.evaluate<number>(READ_PLACE);
  for (let batch = 0; batch < 5; batch += 1) commit(10);
  await expect.poll(read).toEqual(Array.from({ length: 250 }, (_, index) => `event-${250 - index}`));
  // The browser keeps what is read in its place, with its next frame. Rows are higher by fractions of a pixel.
  const readMove = async () => Math.abs((await watched.page.evaluate<number>(READ_PLACE)) - place);
  await expect.poll(readMove).toBeLessThanOrEqual(1);
  expect(await watched.page.locator('.day').count()).toBe(1);
  commit(400);
  await expect.poll(async () => (await read()).length).toBeLessThanOrEqual(500);
  await expect.poll(async () => (await read())[0]).toBe('event-650');
  expect(watched.faults).toEqual([]);
  await watched.page.close();
  await busy.stop();
});

test('an address opens the console once, in one browser; addresses of messages lead there', async () => {
  const served = await serve(createFakeContext(createFakeLog()));
  const headingOf = async (browsing: BrowserContext, address: string) => {
    const own = await browsing.newPage();
    await own.goto(address);
    const heading = own.locator('h1', { hasNotText: 'Opening' });
    return { own, heading: await heading.textContent() };
  };
  const elsewhere = await launchBrowser();
  const other = await elsewhere.newContext();
  expect((await headingOf(other, served.origin)).heading).toBe('This address is incomplete');
  const wrong = `${served.origin}/#token=${'x'.repeat(32)}`;
  expect((await headingOf(other, wrong)).heading).toBe('This address is wrong');
  const first = await headingOf(context, served.address);
  expect(first.heading).toBe('Now');
  expect(first.own.url()).not.toContain('token');
  expect((await headingOf(other, served.address)).heading).toBe('This address was used already');
  expect((await headingOf(context, served.address)).heading).toBe('Now');
  const record = findTold(seeded.harness);
  const linked = await headingOf(context, `${running.origin}/records/${record}?connection=main`);
  expect(linked.own.url()).toMatch(new RegExp(`/~[\\w-]+/records/${record}\\?connection=main$`));
  await elsewhere.close();
  for (const own of context.pages()) if (own !== page) await own.close();
  await served.stop();
});

test('a console that stopped says so; the new address works in the tab whose session ended', async () => {
  const before = await serve(createFakeContext(createFakeLog()));
  const own = await context.newPage();
  await own.goto(before.address);
  await own.locator('nav').waitFor();
  await before.stop();
  await own.getByRole('alert').waitFor();
  const port = Number(new URL(before.origin).port);
  const after = await serve(createFakeContext(createFakeLog()), port);
  await own.reload();
  await own.getByRole('heading', { name: 'This session has ended' }).waitFor();
  await own.goto(after.address);
  await own.getByRole('heading', { name: 'Now' }).waitFor();
  await own.close();
  await after.stop();
});

test('no error was logged, nothing broke the policy of the page, and no other origin was asked', () => {
  expect(faults).toEqual([]);
});

const READ_EVENTS = "[...document.querySelectorAll('[data-event]')].map(({ dataset }) => dataset.event)";

/** Where a row that is in sight is. */
const READ_PLACE = `document.querySelector('[data-event="event-160"]').getBoundingClientRect().top`;
