import type { Page } from 'playwright-core';
import { startConsole } from '#console/server/open-console.ts';
import { launchBrowser } from '#test/console/browser.ts';
import { createFakeContext, type FakeLog } from '#test/console/fake-log.ts';

/** Looks at a log on the live page of a console, until `work` is done. */
export async function visitConsole<Result>(
  log: FakeLog,
  readEveryMs: number,
  work: (page: Page) => Promise<Result>,
): Promise<Result> {
  const open = async () => createFakeContext(log, { readEveryMs });
  const running = await startConsole({ open, port: 0 });
  const browser = await launchBrowser();
  try {
    const page = await browser.newPage();
    await page.goto(running.address);
    await page.waitForSelector('.clock.live');
    return await work(page);
  } finally {
    await browser.close();
    await running.stop();
  }
}
