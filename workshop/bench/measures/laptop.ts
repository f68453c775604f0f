import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { PROGRAM_ROOT } from '#infra/project-root.ts';
import { median } from '../cpu.ts';
import { measureChildren } from '../process-tree.ts';
import { describeCount, type Row } from '../row.ts';

const COLD_STARTS = 2;
const WARM_STARTS = 3;
/** Functions that nobody invokes end after two minutes. */
const SETTLE_MS = 150_000;
const IDLE_MS = 180_000;
const SAMPLES = 6;
const HOUR_MS = 3_600_000;
const MEGABYTE = 1_048_576;
/** What stops to grow: SQLite writes its log from the start again after 4 MB, and that of the functions is rotated. */
const BOUNDED = /\.db-wal$|^functions\.log/;

/** Where a run is tried: a clone without anything built, and an empty data folder. */
interface Place {
  readonly clone: string;
  readonly data: string;
  readonly environment: NodeJS.ProcessEnv;
}

/** How long a start took to its first event. */
interface Start {
  readonly wallMs: number;
  /** Of all processes: what it would take alone on the machine, with one core. */
  readonly cpuMs: number;
}

/** `npm start` on a real source: how soon it tells an event, what it takes while nothing happens, how soon it ends. */
export async function measureLaptop(): Promise<Row[]> {
  if (process.platform !== 'linux') return [];
  const folder = mkdtempSync(join(tmpdir(), 'bench-laptop-'));
  const source = await startSource();
  try {
    const places = Array.from({ length: COLD_STARTS }, (_, index) => makePlace(join(folder, String(index))));
    const endings: number[] = [];
    const tryStart = async (place: Place): Promise<Start> => {
      const { run, ...took } = await start(place, source);
      endings.push(await end(run));
      return took;
    };
    const cold: Start[] = [];
    for (const place of places) cold.push(await tryStart(place));
    const [place] = places as [Place];
    const warm: Start[] = [];
    for (let count = 0; count < WARM_STARTS; count += 1) {
      await source.change();
      warm.push(await tryStart(place));
    }
    await source.change();
    const { run } = await start(place, source);
    await delay(SETTLE_MS);
    const idle = await watchIdle(run, place.data);
    endings.push(await end(run));
    return buildRows({ ...idle, cold, warm, endings });
  } finally {
    source.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function makePlace(folder: string): Place {
  const clone = join(folder, 'clone');
  mkdirSync(folder);
  execFileSync('git', ['clone', '--quiet', '--depth', '1', `file://${PROGRAM_ROOT}`, clone]);
  symlinkSync(join(PROGRAM_ROOT, 'node_modules'), join(clone, 'node_modules'));
  const { NODE_COMPILE_CACHE: _, ...inherited } = process.env;
  // Nothing is compiled yet, and temporary files end with the folder.
  return { clone, data: join(folder, 'data'), environment: { ...inherited, TMPDIR: folder } };
}

/** Settles at the first event. */
async function start({ clone, data, environment }: Place, { baseUrl, token }: RunningSource) {
  const startedAt = performance.now();
  const run = spawn('npm', ['--silent', 'start', '--', '--base-url', baseUrl, '--data', data], {
    cwd: clone,
    env: { ...environment, WORKFORCE_API_TOKEN: token },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  await firstLine(run);
  run.stdout.resume();
  const { cpuMs } = measureChildren(run.pid ?? 0);
  return { run, cpuMs, wallMs: performance.now() - startedAt };
}

/** Milliseconds from Ctrl-C, which reaches every process of the terminal, to the end. */
async function end(run: ChildProcess): Promise<number> {
  const ended = once(run, 'exit');
  const startedAt = performance.now();
  run.kill('SIGINT');
  await ended;
  return performance.now() - startedAt;
}

interface Idle {
  /** Of one core. */
  readonly cpuPercent: number;
  readonly megabytes: number;
  /** Bytes an hour of what has a bound, and of everything else. */
  readonly growth: { readonly bounded: number; readonly free: number };
}

/** Of the run, without npm. */
async function watchIdle({ pid = 0 }: ChildProcess, data: string): Promise<Idle> {
  const [sizes, before, startedAt] = [measureSizes(data), measureChildren(pid), performance.now()];
  const memory: number[] = [];
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    await delay(IDLE_MS / SAMPLES);
    memory.push(measureChildren(pid).memoryBytes);
  }
  const passedMs = performance.now() - startedAt;
  const later = measureSizes(data);
  const grown = (part: 'bounded' | 'free') => ((later[part] - sizes[part]) * HOUR_MS) / passedMs;
  return {
    cpuPercent: ((measureChildren(pid).cpuMs - before.cpuMs) * 100) / passedMs,
    megabytes: median(memory) / MEGABYTE,
    growth: { bounded: grown('bounded'), free: grown('free') },
  };
}

function measureSizes(folder: string): { readonly bounded: number; readonly free: number } {
  const sizes = { bounded: 0, free: 0 };
  for (const { parentPath, name } of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const { size } = statSync(join(parentPath, name), { throwIfNoEntry: false }) ?? { size: 0 };
    sizes[BOUNDED.test(name) ? 'bounded' : 'free'] += size;
  }
  return sizes;
}

interface RunningSource {
  readonly baseUrl: string;
  readonly token: string;
  /** Makes something for a run to tell. */
  change(): Promise<void>;
  stop(): void;
}

/** In a process of its own, and with a clock that stands still, so that nothing changes by itself. */
async function startSource(): Promise<RunningSource> {
  const source = spawn(process.execPath, ['local/source/main.ts', '--speed', '0'], {
    cwd: PROGRAM_ROOT,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const { baseUrl, token } = JSON.parse(await firstLine(source)) as { baseUrl: string; token: string };
  return {
    baseUrl,
    token,
    change: async () => {
      const { ok, status } = await fetch(`${baseUrl}/control/changes`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}` },
        body: JSON.stringify({ change: 'create' }),
      });
      if (!ok) throw new Error(`the source answered ${status}`);
    },
    stop: () => void source.kill(),
  };
}

/** Throws when the process ends without one. */
async function firstLine({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new Error('standard output is not read');
  for await (const line of createInterface({ input: stdout })) return line;
  throw new Error('the process ended before it printed a line');
}

interface Figures extends Idle {
  readonly cold: readonly Start[];
  readonly warm: readonly Start[];
  readonly endings: readonly number[];
}

function buildRows({ cpuPercent, megabytes, growth, cold, warm, endings }: Figures): Row[] {
  const least = (starts: readonly Start[], of: keyof Start) => Math.min(...starts.map((each) => each[of]));
  const startRows = (metric: string, starts: readonly Start[], atMost: number) => [
    buildRow(metric, seconds(least(starts, 'wallMs')), { atMost, isTime: true }),
    buildRow(`${metric}: CPU of all processes`, seconds(least(starts, 'cpuMs')), { atMost, isTime: true }),
  ];
  const anHour = (bytes: number) => ({ value: bytes / MEGABYTE, unit: 'MB' });
  return [
    buildRow('idle: CPU of all processes, of one core', { value: cpuPercent, unit: '%' }, { atMost: 1 }),
    buildRow('idle: memory of all processes (PSS)', { value: megabytes, unit: 'MB' }, { atMost: 250 }),
    buildRow('idle: disk an hour, but for logs that have a bound', anHour(growth.free), { atMost: 0.1 }),
    buildRow('idle: disk an hour of these logs, until they are full', anHour(growth.bounded)),
    ...startRows(`first event after a start, best of ${warm.length}`, warm, 4),
    ...startRows(`first event after the start of a fresh clone, best of ${cold.length}`, cold, 10),
    buildRow(`from Ctrl-C to the end, longest of ${endings.length}`, seconds(Math.max(...endings)), {
      atMost: 2,
      isTime: true,
    }),
  ];
}

interface Quantity {
  readonly value: number;
  readonly unit: string;
}

function seconds(milliseconds: number): Quantity {
  return { value: milliseconds / 1_000, unit: 's' };
}

function buildRow(
  metric: string,
  { value, unit }: Quantity,
  goal?: Omit<NonNullable<Row['goal']>, 'value'>,
): Row {
  return {
    ...{ topic: 'laptop', metric, baseline: '', baselineValue: '', ratio: '', seed: 1 },
    ours: `${describeCount(value)} ${unit}`,
    ...(goal === undefined ? {} : { goal: { value, ...goal } }),
  };
}
