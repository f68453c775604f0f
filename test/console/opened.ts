import { Server } from 'node:http';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, vi } from 'vitest';
import { type RunningConsole, startConsole } from '#console/server/open-console.ts';
import { launchBrowser, openWatchedPage, type WatchedPage, WIDE } from './browser.ts';
import { findTold, type SeededCompany, startSeededCompany } from './seeded-company.ts';

/** The console of the seeded company, and a page of it that is open. */
export interface Opened {
  readonly browser: Browser;
  readonly context: BrowserContext;
  readonly page: Page;
  readonly watched: WatchedPage;
  readonly seeded: SeededCompany;
  readonly running: RunningConsole;
  /** What the console listens with. */
  readonly server: Server;
  /** As a link of the page does, without loading it again. */
  readonly go: (path: string) => Promise<void>;
}

const SCREENS = ['/', '/periods', '/deliveries', 'person', 'record', 'period'] as const;

/** Each screen, with the address of one of its kind. */
export const EVERY_SCREEN = SCREENS.map(
  (screen) => [screen, (company: SeededCompany) => findPath(screen, company)] as const,
);

/** Opens it before the tests of a file, and closes it after them. */
export function openConsole(): () => Opened {
  let opened: Opened | undefined;

  beforeAll(async () => {
    const [browser, seeded] = await Promise.all([launchBrowser(), startSeededCompany()]);
    await seeded.live(240, 20);
    const { running, server } = await serve(seeded);
    const context = await browser.newContext({
      ...{ viewport: WIDE, locale: 'en-GB', timezoneId: 'Europe/Berlin' },
    });
    await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: running.origin });
    const watched = await openWatchedPage(context, running.address);
    const { page } = watched;
    opened = { browser, context, page, watched, seeded, running, server, go: (path) => go(page, path) };
    await page.waitForSelector('.rows .line');
  });

  afterAll(async () => {
    await opened?.browser.close();
    await opened?.running.stop();
    await opened?.seeded.stop();
  });

  return () => {
    if (opened === undefined) throw new Error('the console is opened before the first test');
    return opened;
  };
}

async function serve(seeded: SeededCompany) {
  const examine = async () => [
    { about: 'config', outcome: 'ok' as const, says: 'is valid' },
    { about: 'main timesheets', outcome: 'warning' as const, says: 'are an hour old' },
    { about: 'webhook a', outcome: 'wrong' as const, says: 'takes nothing', mend: 'look at it' },
  ];
  const listen = vi.spyOn(Server.prototype, 'listen');
  const running = await startConsole({ open: async () => ({ ...seeded.context, examine }), port: 0 });
  const server = listen.mock.contexts[0] as Server;
  listen.mockRestore();
  return { running, server };
}

async function go(page: Page, path: string): Promise<void> {
  await page.evaluate(
    `history.pushState(null, '', ${JSON.stringify(path)}); dispatchEvent(new PopStateEvent('popstate'))`,
  );
  await page.waitForSelector('h1');
  await page.locator('.bones').first().waitFor({ state: 'detached' });
}

function findPath(screen: (typeof SCREENS)[number], { harness, company }: SeededCompany): string {
  if (screen === 'record') return `/records/${findTold(harness)}`;
  if (screen === 'person') return `/people/main/${company.staff[0]?.employee.id}`;
  if (screen !== 'period') return screen;
  const period = company.payPeriods().findLast(({ closed }) => closed !== null);
  return `/periods/${period?.id}?connection=main`;
}
