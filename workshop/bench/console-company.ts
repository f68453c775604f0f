/**
 * Heap of the console's server and of its page while the sample company lives at 3,000 times speed:
 *
 *     node --expose-gc workshop/bench/console-company.ts --minutes 60
 *
 * A line at the start and then twelve more. The company and the notifier run in a process of their own.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { openTarget } from '#bin/open-target.ts';
import { openTargetConsole } from '#console/server/open-console.ts';
import { launchBrowser } from '#test/console/browser.ts';
import { measurePageHeap } from '#test/console/shown-lines.ts';

const SPEED = 3_000;
const LINES = 12;
const MEGABYTE = 1_048_576;
const START_PAUSE_MS = 1_000;

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '60' } } });
const folder = mkdtempSync(join(tmpdir(), 'console-company-'));
const args = ['bin/start.ts', '--speed', String(SPEED), '--data', folder];
const company = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
await once(company.stdout, 'data');
company.stdout.resume();
const running = await openWhenThere();
const browser = await launchBrowser();
try {
  const page = await browser.newPage();
  await page.goto(running.address);
  await page.waitForSelector('.clock.live');
  const startedAt = performance.now();
  for (let line = 0; line <= LINES; line += 1) {
    const due = startedAt + (line * Number(values.minutes) * 60_000) / LINES;
    await sleep(Math.max(0, due - performance.now()));
    const inPage = await measurePageHeap(page);
    globalThis.gc?.();
    const minutes = (performance.now() - startedAt) / 60_000;
    const [rows, clock] = await Promise.all([
      page.evaluate<string | null>("document.querySelector('.row')?.getAttribute('aria-setsize')"),
      page.locator('.clock .now').textContent(),
    ]);
    const heaps = `server ${describe(process.memoryUsage().heapUsed)}, page ${describe(inPage)}`;
    process.stdout.write(`${minutes.toFixed(1)} min: ${heaps}, ${rows ?? 0} rows, ${clock}\n`);
  }
} finally {
  await browser.close();
  await running.stop();
  company.kill('SIGTERM');
  await once(company, 'close');
  rmSync(folder, { recursive: true, force: true });
}

function describe(bytes: number): string {
  return `${(bytes / MEGABYTE).toFixed(1)} MB`;
}

/** The data folder is there some time after the first line of the run. */
async function openWhenThere() {
  for (let tries = 60; ; tries -= 1) {
    try {
      return await openTargetConsole(() => openTarget({ data: folder }));
    } catch (error) {
      if (tries === 0) throw error;
      await sleep(START_PAUSE_MS);
    }
  }
}
