import { mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import axe from 'axe-core';
import type { Browser, BrowserContext, Page } from 'playwright-core';

/** Nothing of the browser's own asks for another host: the network may be closed. */
const QUIET = ['--disable-background-networking', '--disable-component-update', '--disable-sync'];

/** The package turns off what protects people, for pages that are scraped: such a browser sends no origin. */
const UNSAFE = ['--disable-web-security', '--allow-running-insecure-content'];

/** Starts the Chromium of an npm package, which brings the libraries that it needs. */
export async function launchBrowser(): Promise<Browser> {
  // Read when it is imported: only in Lambda does it unpack its own libraries.
  process.env.AWS_EXECUTION_ENV ??= 'AWS_Lambda_nodejs22.x';
  process.env.FONTCONFIG_PATH ??= configureFonts();
  const { default: chromium } = await import('@sparticuz/chromium');
  // Without it the page would be drawn by a graphics card in software.
  chromium.setGraphicsMode = false;
  const { chromium: driver } = await import('playwright-core');
  return await driver.launch({
    executablePath: await chromium.executablePath(),
    args: [...chromium.args.filter((arg) => !UNSAFE.includes(arg)), ...QUIET, '--disable-gpu'],
  });
}

/** The package unpacks its fonts into the folder for temporary files; its own configuration finds them in /tmp alone. */
function configureFonts(): string {
  const folder = join(tmpdir(), 'font-configuration');
  const fonts = `<fontconfig><dir>${join(tmpdir(), 'fonts')}</dir><cachedir>${folder}/cache</cachedir></fontconfig>`;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'fonts.conf'), fonts);
  return folder;
}

/** A page and everything that must not happen on it. */
export interface WatchedPage {
  readonly page: Page;
  /** Errors of the console and of scripts, and requests to other origins. */
  readonly faults: string[];
}

/** Ends what hangs; no test is about how fast this machine is. */
const HUNG_MS = 120_000;

export const WIDE = { width: 1280, height: 860 };
export const NARROW = { width: 390, height: 860 };

export async function openWatchedPage(context: BrowserContext, address: string): Promise<WatchedPage> {
  context.setDefaultTimeout(HUNG_MS);
  const page = await context.newPage();
  const { origin } = new URL(address);
  const faults: string[] = [];
  page.on('console', (message) => {
    // A lost connection is part of a test; the browser reports each request that it costs.
    if (message.type() === 'error' && !/ERR_(CONNECTION|EMPTY|INCOMPLETE)|401/.test(message.text()))
      faults.push(message.text());
  });
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== origin) faults.push(`request to ${request.url()}`);
  });
  await page.goto(address);
  return { page, faults };
}

/** What axe finds: each rule with the first elements that break it. */
export async function examine(page: Page, options: string): Promise<unknown[]> {
  // The screens are one document, so that it is there after the first.
  if (await page.evaluate<boolean>("typeof axe === 'undefined'")) await page.evaluate(`${axe.source}; null`);
  const { violations } = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>(
    `axe.run(document, ${options})`,
  );
  return violations.map(({ id, nodes }) => [id, nodes.slice(0, 3).map(({ html }) => html)]);
}
