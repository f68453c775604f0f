import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import standardConfig from '#config';
import {
  idealPerSecond,
  LIMITED_REQUESTS,
  LIMITER_MODELS,
  readThrough,
} from '#test/shared/adapters/workforce-api/limiters.ts';
import type { Row } from './table.ts';

const WAY = { askers: 6, latencyMs: 300, maxPerSecond: 20, seed: 1 };

/** Thousands of pages through each of the limits that sources have: the worst of all. */
export async function measurePace(): Promise<Row[]> {
  let [refusedShare, missingShare] = [0, 0];
  for (const model of LIMITER_MODELS) {
    const { refused, seconds } = await readThrough(model.make(), WAY);
    refusedShare = Math.max(refusedShare, refused / LIMITED_REQUESTS);
    missingShare = Math.max(missingShare, 1 - LIMITED_REQUESTS / seconds / idealPerSecond(model, WAY));
  }
  const limits = { target: 'P7' } as const;
  return [
    { ...limits, metric: 'unknown limits: share of requests refused', reached: refusedShare, atMost: 0.02 },
    {
      ...limits,
      metric: 'unknown limits: share of what is possible missing',
      reached: missingShare,
      atMost: 0.1,
    },
  ];
}

const IDLE_MS = 60_000;
const SETTLED_MS = 10_000;
/** Linux counts the time of a process in hundredths of a second, and its memory in pages. */
const TICK_MS = 10;
const PAGE_MB = 4_096 / 1_048_576;

/** The whole product on this machine, whose caches are warm: until its first event, and while nothing happens. */
export async function measureStart(): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'notifier-bench-'));
  const startedAt = performance.now();
  // Real time: in an hour of the sample company a handful of things happen.
  const given = ['bin/start.mjs', '--data', folder, '--output', 'ndjson', '--speed', '1'];
  const program = spawn(process.execPath, given, { stdio: ['ignore', 'pipe', 'ignore'] });
  try {
    await once(program.stdout, 'data');
    const firstMs = performance.now() - startedAt;
    program.stdout.resume();
    await setTimeout(SETTLED_MS);
    const before = readUsage(program.pid ?? 0);
    await setTimeout(IDLE_MS);
    const after = readUsage(program.pid ?? 0);
    const percent = (100 * (after.ticks - before.ticks) * TICK_MS) / IDLE_MS;
    const start = { target: 'P14', isTime: true } as const;
    return [
      { ...start, metric: 'npm start: first event, warm', reached: firstMs / 1_000, atMost: 1.5, unit: 's' },
      { ...start, metric: 'npm start: idle, of a core', reached: percent, atMost: 0.5, unit: '%' },
      { ...start, metric: 'npm start: idle', reached: after.pages * PAGE_MB, atMost: 200, unit: 'MB' },
    ];
  } finally {
    program.kill();
    await once(program, 'exit');
    rmSync(folder, { recursive: true, force: true });
  }
}

/** CPU and memory of a process and those that it started, by Linux. */
function readUsage(root: number): { readonly ticks: number; readonly pages: number } {
  const family = new Set([root]);
  const usage = { ticks: 0, pages: 0 };
  const ids = readdirSync('/proc').map(Number).filter(Number.isInteger);
  // Grows while it is walked: a child has a later id than its parent, but for a rare round of all ids.
  for (const pid of ids.sort((a, b) => a - b)) {
    const [parent = 0, user = 0, system = 0, pages = 0] = readStat(pid);
    if (pid !== root && !family.has(parent)) continue;
    family.add(pid);
    usage.ticks += user + system;
    usage.pages += pages;
  }
  return usage;
}

function readStat(pid: number): number[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // Behind the name, which may have spaces: the fields from the third on.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return [1, 11, 12, 21].map((place) => Number(fields[place]));
  } catch {
    // It ended meanwhile.
    return [];
  }
}

/** In this repository, of which the packages are installed. */
export async function measureSynth(): Promise<Row[]> {
  const { connections, webhooks } = standardConfig;
  const folder = mkdtempSync(join(tmpdir(), 'notifier-bench-'));
  const file = join(folder, 'notifier.config.ts');
  const config = { stackName: 'bench', connections, webhooks };
  writeFileSync(file, `export default ${JSON.stringify(config)};`);
  const startedAt = performance.now();
  const env = { ...process.env, NOTIFIER_CONFIG: file };
  const options = { env, stdio: 'ignore' } as const;
  const synth = spawn('npx', ['cdk', 'synth', '--quiet', '--output', join(folder, 'out')], options);
  const [code] = await once(synth, 'exit');
  rmSync(folder, { recursive: true, force: true });
  if (code !== 0) throw new Error(`cdk synth ended with ${code}`);
  const reached = (performance.now() - startedAt) / 1_000;
  const row = { target: 'P15', isTime: true } as const;
  return [{ ...row, metric: 'synth of a stack with a webhook', reached, atMost: 8, unit: 's' }];
}
