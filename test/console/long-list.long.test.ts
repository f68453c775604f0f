import type { Browser, BrowserContext } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { launchBrowser, WIDE } from './browser.ts';
import { testScrolling } from './long-list.ts';

/** As many events as a large company has in its log, from the newest to the oldest. */

let browser: Browser;
let context: BrowserContext;

beforeAll(async () => {
  browser = await launchBrowser();
  context = await browser.newContext({ viewport: WIDE, locale: 'en-GB' });
});

afterAll(() => browser?.close());

testScrolling(() => context, 50_000);
