/**
 * Takes the pictures of docs/console.md from a seeded company in virtual time: `npm run docs:console`, or with names of
 * screens those alone.
 */
import { mkdirSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { startConsole } from '#console/server/open-console.ts';
import { launchBrowser, WIDE } from '#test/console/browser.ts';
import { findTold, type SeededCompany, startSeededCompany } from '#test/console/seeded-company.ts';

const FOLDER = 'docs/console';
const SIZE = { ...WIDE, height: 800 };

interface Picture {
  readonly name: string;
  readonly path: string;
}

const seeded = await startSeededCompany();
// A Friday: people clock in, hours are approved, the pay run begins, a period closes.
await seeded.live(9 * 60 - 10, 10);
const running = await startConsole({ open: async () => ({ ...seeded.context, examine }), port: 0 });
const browser = await launchBrowser();
mkdirSync(FOLDER, { recursive: true });
try {
  const page = await browser.newPage({ locale: 'en-GB', viewport: SIZE, reducedMotion: 'reduce' });
  await page.goto(running.address);
  await page.locator('nav').waitFor();
  const wanted = process.argv.slice(2);
  for (const picture of listPictures(seeded)) {
    if (wanted.length === 0 || wanted.includes(picture.name)) await takePicture(page, picture);
  }
} finally {
  await browser.close();
  await running.stop();
  await seeded.stop();
}

function listPictures({ company, harness }: SeededCompany): Picture[] {
  const closed = company.payPeriods().findLast(({ closed }) => closed !== null);
  return [
    { name: 'now', path: 'now' },
    { name: 'record', path: `records/${findTold(harness)}` },
    { name: 'periods', path: 'periods' },
    { name: 'period', path: `periods/${closed?.id}` },
    { name: 'deliveries', path: 'deliveries' },
  ];
}

async function takePicture(page: Page, { name, path }: Picture): Promise<void> {
  await page.goto((await page.evaluate<string>('document.baseURI')) + path);
  await page.screenshot({ path: `${FOLDER}/${name}.png` });
}

/** Stands for the doctor, which asks a source and AWS that are not there. */
async function examine() {
  return [
    {
      about: 'webhook payroll-system',
      outcome: 'warning' as const,
      says: '1 event was given up in the last day',
      mend: 'npm run notifier -- deliveries --to payroll-system --failed --data .data',
    },
    { about: 'config', outcome: 'ok' as const, says: 'is valid; the data folder .data has 18 parts' },
    { about: 'source of main', outcome: 'ok' as const, says: 'GET /timesheets is permitted' },
    {
      about: 'main timesheets',
      outcome: 'ok' as const,
      says: 'last complete poll less than a minute ago; no events waiting',
    },
  ];
}
