import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { examine, NARROW, WIDE } from './browser.ts';
import type { Opened } from './opened.ts';

const FOCUSED = '[document.activeElement.id, document.activeElement.textContent].join(" ")';
const READ_TOP = "document.querySelector('main').scrollTop";

/** The test of what is opened from a list and kept beside it, on a page of the seeded company. */
export function testOpeningBeside(opened: () => Opened): void {
  test('a record opens beside the list, which stays where it is, and back closes it', async () => {
    const { page, go } = opened();
    await go('/');
    await page.evaluate("document.querySelector('main').scrollTo(0, 120)");
    const line = page.locator('a.says').nth(8);
    await line.focus();
    const opener = await page.evaluate(FOCUSED);
    const top = await page.evaluate(READ_TOP);
    const readPlace = () =>
      line.evaluate((element) => element.closest('li')?.getBoundingClientRect().top ?? 0);
    const place = await readPlace();
    await page.keyboard.press('Enter');
    await page.locator('#beside .chapter.here').waitFor();
    expect(await page.locator('main .rows .line').count()).toBeGreaterThan(5);
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('beside');
    // A list scrolls by whole pixels, and its lines are higher by halves.
    await expect.poll(async () => Math.abs((await readPlace()) - place)).toBeLessThanOrEqual(1);
    expect(await examine(page, "{ resultTypes: ['violations'] }")).toEqual([]);
    await page.goBack();
    await page.locator('#beside').waitFor({ state: 'detached' });
    await expect.poll(() => page.evaluate(FOCUSED)).toBe(opener);
    await expect.poll(() => page.evaluate(READ_TOP)).toBe(top);
  });
}

/** Lines about timesheets: beside one stands whose it is. */
function ofTimesheet(page: Page): Locator {
  return page.locator('a.says').filter({ hasNotText: /pay period/i });
}

/** The tests of where one goes from there. */
export function testBeside(opened: () => Opened): void {
  test('another line takes its place, a link in it goes on from there, and Escape closes all of it', async () => {
    const { page, go } = opened();
    await go('/');
    await page.locator('a.says').nth(3).click();
    await page.locator('#beside h1').waitFor();
    const address = page.url();
    await ofTimesheet(page).nth(6).click();
    await expect.poll(() => page.url()).not.toBe(address);
    const last = await ofTimesheet(page).nth(6).getAttribute('href');
    expect(page.url()).toContain(last);
    await page.locator('#beside .about a').first().click();
    await page.waitForURL('**/people/**');
    await page.locator('#beside .sums').first().waitFor();
    await page.goBack();
    await page.waitForURL(`**${last}`);
    await page.goForward();
    await page.waitForURL('**/people/**');
    await page.keyboard.press('Escape');
    await page.locator('#beside').waitFor({ state: 'detached' });
    expect(new URL(page.url()).pathname).toBe('/');
    const opener = await ofTimesheet(page).nth(6).textContent();
    await expect.poll(() => page.evaluate(FOCUSED)).toContain(opener);
  });

  test('an address that is opened by itself is a page of its own; loaded again, it has its list', async () => {
    const { page, go } = opened();
    await go('/');
    await page.locator('a.says').nth(3).click();
    await page.locator('#beside .chapter.here').waitFor();
    await page.reload();
    await page.locator('#beside .chapter.here').waitFor();
    // Just one, which comes when its answer does.
    await page.locator('main .rows').waitFor();
    const alone = await page.context().newPage();
    await alone.goto(page.url());
    await alone.locator('main .chapter.here').waitFor();
    expect(await alone.locator('#beside').count()).toBe(0);
    await alone.close();
    await page.getByRole('link', { name: 'Pay periods', exact: true }).click();
    await page.locator('#beside').waitFor({ state: 'detached' });
  });

  test('each line leads to what it is about, and to who was told', async () => {
    const { page, go } = opened();
    await go('/?type=pay_period.*');
    const period = page.locator('main .rows .who a').first();
    expect(await period.getAttribute('href')).toMatch(/^\/periods\/[^/]+\?connection=main$/);
    await go('/?type=baseline.*');
    await page.locator('a.says[href="/deliveries"]').first().click();
    await page.getByRole('heading', { name: 'Health', exact: true }).waitFor();
    await go('/periods');
    await page.getByRole('link', { name: 'Who was told' }).first().click();
    await page.locator('#beside .told-line').first().waitFor();
    await page.locator('main .board').waitFor();
    await go('/deliveries');
    await page.locator('.delivery a.sentence').first().click();
    await page.locator('#beside .chapter.here .receivers').waitFor();
  });

  test('going back to another screen finds what was open, and where one was', async () => {
    const { page } = opened();
    await page.goto(new URL('/deliveries', page.url()).href);
    await page.locator('.delivery .opens').nth(9).click();
    const link = page.getByRole('link', { name: /^What happened to/ });
    await link.scrollIntoViewIfNeeded();
    const top = await page.evaluate(READ_TOP);
    expect(top).toBeGreaterThan(0);
    await link.click();
    await page.waitForURL('**/records/**');
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('beside');
    await page.goBack();
    await link.waitFor();
    await expect.poll(() => page.evaluate(READ_TOP)).toBe(top);
  });

  test('the first key leads past the header', async () => {
    const { page } = opened();
    await page.goto(new URL('/periods', page.url()).href);
    await page.locator('.clock.live').waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('main');
    expect(new URL(page.url()).pathname).toBe('/periods');
  });

  test('on a phone it is a page of its own, with a way back to the same place of the list', async () => {
    const { page, go } = opened();
    await page.setViewportSize(NARROW);
    await go('/');
    await page.evaluate("document.querySelector('main').scrollTo(0, 300)");
    const top = await page.evaluate(READ_TOP);
    await page.evaluate("document.querySelectorAll('a.says')[9].click()");
    await page.locator('#beside .chapter.here').waitFor();
    await expect.poll(() => page.locator('main').isVisible()).toBe(false);
    const width = "document.querySelector('#beside').scrollWidth - innerWidth";
    expect(await page.evaluate(width)).toBe(0);
    expect(await examine(page, "{ resultTypes: ['violations'] }")).toEqual([]);
    await page.getByRole('button', { name: 'Back to Live' }).click();
    await page.locator('#beside').waitFor({ state: 'detached' });
    await page.locator('main').waitFor();
    await expect.poll(() => page.evaluate(READ_TOP)).toBe(top);
    await page.setViewportSize(WIDE);
  });
}
