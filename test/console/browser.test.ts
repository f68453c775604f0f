import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { startConsole } from '#console/server/open-console.ts';
import { findRecord } from '#shared/operator/find-record.ts';
import { testOpeningBeside } from './beside.ts';
import { examine, openWatchedPage } from './browser.ts';
import { createFakeContext, createFakeLog, NOW } from './fake-log.ts';
import { testThreeClicks } from './finding.ts';
import { createHostileAnswer, HOSTILE } from './hostile-answer.ts';
import { EVERY_SCREEN, openConsole } from './opened.ts';
import { findTold } from './seeded-company.ts';
import { testSendingAgain } from './sending-again.ts';

/** Each screen of the console once, in a browser; the rest is in browser.long.test.ts. */

const opened = openConsole();

describe('the live screen', () => {
  test('tells a burst as one line, which opens to its events', async () => {
    const { page, go } = opened();
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
    const { page } = opened();
    const time = page.locator('.line time').first();
    const [shown, instant] = [await time.textContent(), (await time.getAttribute('datetime')) ?? ''];
    const format = (timeZone: string) =>
      new Intl.DateTimeFormat('en-GB', { timeZone, timeStyle: 'medium' }).format(new Date(instant));
    expect(shown).toBe(format('Pacific/Auckland'));
    expect(await time.getAttribute('title')).toContain(format('Europe/Berlin'));
  });
});

describe('finding', () => testThreeClicks(opened));
describe('beside a list', () => testOpeningBeside(opened));
describe('sending again', () => testSendingAgain(opened));

test('the deliveries have what the doctor finds, what is wrong first and what is fine folded', async () => {
  const { page, go } = opened();
  await go('/deliveries');
  const findings = page.getByRole('region', { name: 'Health' }).locator('.finding');
  await expect
    .poll(() => findings.locator('p:not(.mend)').allTextContents())
    .toEqual(['webhook a takes nothing', 'main timesheets are an hour old', 'config is valid']);
  expect(await findings.first().locator('.mend').textContent()).toContain('look at it');
  expect(await findings.nth(2).isVisible()).toBe(false);
});

test('the CSV of what to pay has the timesheets that the board counts as ready', async () => {
  const { page, seeded, go } = opened();
  await go(EVERY_SCREEN.at(-1)?.[1](seeded) ?? '');
  const ready = page.locator('.period.open .figure', { hasText: /h ready/ }).locator('.label');
  const count = Number.parseInt((await ready.textContent())?.replaceAll(',', '') ?? '', 10);
  const link = page.getByRole('link', { name: 'CSV of what to pay' });
  const [file] = await Promise.all([page.waitForEvent('download'), link.click()]);
  expect(file.suggestedFilename()).toMatch(/-pay\.csv$/);
  const text = readFileSync(await file.path(), 'utf8');
  expect(text.trimEnd().split('\r\n').length).toBe(count + 1);
});

test('the page may send what changes something', async () => {
  const { running, context } = opened();
  const own = await context.newPage();
  await own.goto(running.origin);
  await own.waitForSelector('.clock.live');
  // It is not refused for its origin.
  expect(await own.evaluate(SEND_AGAIN)).toBe('event_unknown');
  await own.close();
});

test('the history of a record is what events RECORD --json prints', async () => {
  const { seeded, page, go } = opened();
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

test('values of a record stay text', async () => {
  const { context } = opened();
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
  test.each(EVERY_SCREEN)('%s has no fault that axe finds, in both themes', async (_screen, findPath) => {
    const { page, seeded, go } = opened();
    await go(findPath(seeded));
    expect(await examine(page, "{ resultTypes: ['violations'] }")).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await examine(page, "{ resultTypes: ['violations'], runOnly: ['color-contrast'] }")).toEqual([]);
    await page.emulateMedia({ colorScheme: 'light' });
  });
});

test('no error was logged, and no other origin was asked', () => {
  const { watched } = opened();
  expect(watched.faults).toEqual([]);
});

const SEND_AGAIN = `fetch('/api/deliveries/resend', {
  method: 'POST',
  headers: { 'Content-Type': 'application/json', Authorization: 'Bearer ' + sessionStorage.getItem('session') },
  body: JSON.stringify({
    receiver: 'payroll-system',
    event: { id: '1', connection: 'main', committedAt: '2026-11-20T08:59:00.000Z' },
  }),
}).then((answer) => answer.json()).then(({ error }) => error)`;
