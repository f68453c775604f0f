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

/** Thousands of pages through each of the limits that sources have. */
export async function measurePace(): Promise<Row[]> {
  const results: { refused: number; missing: number }[] = [];
  for (const model of LIMITER_MODELS) {
    const { refused, seconds } = await readThrough(model.make(), WAY);
    const possible = idealPerSecond(model, WAY);
    results.push({ refused: refused / LIMITED_REQUESTS, missing: 1 - LIMITED_REQUESTS / seconds / possible });
  }
  const worst = (name: 'refused' | 'missing') => Math.max(...results.map((each) => each[name]));
  return [
    {
      target: 'P7',
      metric: 'share of requests that are refused, at most',
      reached: worst('refused'),
      atMost: 0.02,
    },
    {
      target: 'P7',
      metric: 'share of what is possible that is missing, at most',
      reached: worst('missing'),
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
  const given = ['--data', folder, '--output', 'ndjson', '--speed', '1'];
  const program = spawn(process.execPath, ['bin/start.mjs', ...given], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  try {
    await once(program.stdout, 'data');
    const firstMs = performance.now() - startedAt;
    program.stdout.resume();
    await setTimeout(SETTLED_MS);
    const before = readUsage(program.pid ?? 0);
    await setTimeout(IDLE_MS);
    const after = readUsage(program.pid ?? 0);
    const share = (after.milliseconds - before.milliseconds) / IDLE_MS;
    return [
      { ...START, metric: 'first event, warm', reached: firstMs / 1_000, atMost: 1.5, unit: 's' },
      { ...START, metric: 'idle, of a core', reached: 100 * share, atMost: 0.5, unit: '%' },
      { ...START, metric: 'idle, memory', reached: after.megabytes, atMost: 200, unit: 'MB' },
    ];
  } finally {
    program.kill();
    await once(program, 'exit');
    rmSync(folder, { recursive: true, force: true });
  }
}

const START = { target: 'P14', isTime: true } as const;

/** CPU and memory of a process and those that it started, by Linux. */
function readUsage(root: number): { readonly milliseconds: number; readonly megabytes: number } {
  const processes = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap(readStat);
  const family = new Set([root]);
  // Grows while it is walked: a child has a later id than its parent, but for a rare round of all ids.
  for (const { pid, parent } of processes.toSorted((a, b) => a.pid - b.pid))
    if (family.has(parent)) family.add(pid);
  const own = processes.filter(({ pid }) => family.has(pid));
  return {
    milliseconds: own.reduce((sum, { ticks }) => sum + ticks, 0) * TICK_MS,
    megabytes: own.reduce((sum, { pages }) => sum + pages, 0) * PAGE_MB,
  };
}

function readStat(name: string) {
  try {
    const text = readFileSync(`/proc/${name}/stat`, 'utf8');
    // Behind the name, which may have spaces: the fields from the third on.
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [parent = 0, user = 0, system = 0, pages = 0] = [1, 11, 12, 21].map((place) => fields[place]);
    return [{ pid: Number(name), parent, ticks: user + system, pages }];
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
  const synth = spawn('npx', ['cdk', 'synth', '--quiet', '--output', join(folder, 'out')], {
    env,
    stdio: 'ignore',
  });
  const [code] = await once(synth, 'exit');
  rmSync(folder, { recursive: true, force: true });
  if (code !== 0) throw new Error(`cdk synth ended with ${code}`);
  const seconds = (performance.now() - startedAt) / 1_000;
  return [
    {
      target: 'P15',
      metric: 'of a stack with a webhook',
      reached: seconds,
      atMost: 8,
      unit: 's',
      isTime: true,
    },
  ];
}
