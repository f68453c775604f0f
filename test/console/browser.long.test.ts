import type { BrowserContext, Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { startConsole } from '#console/server/open-console.ts';
import { findRecord } from '#shared/operator/find-record.ts';
import { testBeside } from './beside.ts';
import { HUNG_MS, launchBrowser, NARROW, openWatchedPage, WIDE } from './browser.ts';
import { createFakeContext, createFakeLog, NOW } from './fake-log.ts';
import { testSearch } from './finding.ts';
import { EVERY_SCREEN, openConsole } from './opened.ts';
import { findTold } from './seeded-company.ts';

/** The ways of a person through the screens of the console, in a browser. */

const opened = openConsole();

describe('the live screen', () => {
  test('is moved through with keys', async () => {
    const { page, go } = opened();
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
    const { page, go } = opened();
    await go('/');
    await page.selectOption('select[aria-label=Type]', 'timesheet.clocked_in');
    await page.waitForURL('**/?type=timesheet.clocked_in');
    await page.locator('.rows .line', { hasText: 'locked in' }).first().waitFor();
    await page.locator('.rows .line', { hasNotText: 'locked in' }).waitFor({ state: 'detached' });
    await go('/?type=timesheet.removed&late=yes');
    await page.locator('.empty-title', { hasText: 'Nothing in the log matches' }).waitFor();
  });
});

describe('finding', () => testSearch(opened));
describe('beside a list', () => testBeside(opened));

test('a moment and an event have addresses', async () => {
  const { seeded, running, page } = opened();
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

test('who wants less motion gets none', async () => {
  const { page, go } = opened();
  await go('/periods');
  const read = "getComputedStyle(document.querySelector('.chevron')).transitionDuration";
  const duration = () => page.evaluate(read);
  expect(await duration()).toBe('0.12s');
  await page.emulateMedia({ reducedMotion: 'reduce' });
  expect(await duration()).toBe('0s');
  await page.emulateMedia({ reducedMotion: null });
});

test('an address that leads nowhere says so', async () => {
  const { page, go } = opened();
  for (const [path, text] of [
    ['/nowhere', 'Nothing is at this address'],
    ['/?until=yesterday', '"yesterday" is no moment'],
    ['/periods/404_1', 'Pay period 404_1 is not here'],
  ] as const) {
    await go(path);
    await page.locator('main', { hasText: text }).waitFor();
  }
  await page.locator('.clock.live').waitFor();
});

test('going back undoes a filter, and finds the line and the group that one left', async () => {
  const { running, page } = opened();
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
  const { page, go } = opened();
  await go('/records/none');
  await page
    .locator('.empty', { hasText: 'A timesheet appears when its date comes into the window' })
    .waitFor();
});

test('a lost connection says so, and comes back by itself with what happened meanwhile', async () => {
  const { seeded, running, server, context, page, go } = opened();
  await go('/deliveries');
  await page.locator('.delivery').first().waitFor();
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
  const { context, page } = opened();
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

test('every screen fits 400 pixels', async () => {
  const { page, seeded, go } = opened();
  await page.setViewportSize(NARROW);
  for (const [screen, findPath] of EVERY_SCREEN) {
    await go(findPath(seeded));
    const beyond = await page.evaluate<number[]>(
      "[document.documentElement, document.querySelector('main')].map((each) => each.scrollWidth - each.clientWidth)",
    );
    expect(beyond, screen).toEqual([0, 0]);
  }
  await page.setViewportSize(WIDE);
});

test('no error was logged, and no other origin was asked', () => {
  const { watched } = opened();
  expect(watched.faults).toEqual([]);
});

test('a list has the newest and says so, and nothing jumps while more come', async () => {
  const { context } = opened();
  const log = createFakeLog();
  // A type of its own for each, so that no line goes into a group.
  const typeOf = (number: number) => `timesheet.kind_${number}`;
  const commit = (count: number) => log.commit(NOW - 60_000 + log.size, count, { typeOf });
  commit(300);
  const busy = await startConsole({ open: async () => createFakeContext(log), port: 0 });
  const { page: own, faults } = await openWatchedPage(context, busy.address);
  const readIds = () => own.evaluate<string[]>(READ_SHOWN_IDS);
  const count = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, index) => `event-${to - index}`);
  await expect.poll(readIds).toEqual(count(1, 300));
  expect(await own.locator('.end').textContent()).toBe('The log begins here.');
  await own.evaluate(scrollTo(2_000));
  const place = await own.evaluate<string>(FIND_LINE);
  for (let batch = 0; batch < 10; batch += 1) commit(10);
  await expect.poll(readIds).toEqual(count(1, 400));
  expect(await own.evaluate(FIND_LINE)).toBe(place);
  commit(300);
  await expect.poll(readIds).toEqual(count(201, 700));
  expect(await own.locator('.end').textContent()).toMatch(/^These are the newest 500\. /);
  await own.reload();
  await expect.poll(readIds).toEqual(count(201, 700));
  expect(await own.locator('.end').textContent()).toMatch(/^These are the newest 500\. /);
  expect(faults).toEqual([]);
  await own.close();
  await busy.stop();
});

const IS_IN_SIGHT = `(() => {
  const { top } = document.querySelector('.chapter.here').getBoundingClientRect();
  return top >= 0 && top < innerHeight;
})()`;

const READ_SHOWN_IDS =
  "[...document.querySelectorAll('a.says')].map((line) => new URL(line.href).hash.slice(1))";

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
