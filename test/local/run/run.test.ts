import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test, vi } from 'vitest';
import { commandOf } from '#local/aws/processes.ts';
import { temporaryFolder } from '../aws/fixture-assembly.ts';
import { type Planner, startFixtureSource, writePollAssembly } from './fixture-source.ts';

const PROGRAM = fileURLToPath(new URL('./fixtures/run-fixture.ts', import.meta.url));
const TOKEN = 'a-very-secret-token';
const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

test('--once prints each event as its own line, counts on stderr, and ends with 0', async () => {
  const messages = [
    '{"type":"workforce.timesheet.created","time":"2026-01-01T00:00:00Z","data":{}}',
    '{"b":2}',
  ];
  const baseUrl = await source((feed) => (feed === 'timesheets' ? { messages } : {}));
  const life = start(['--base-url', baseUrl, '--once', '--output', 'ndjson']);
  expect(await life.ended).toBe(0);
  expect(life.lines().toSorted()).toEqual(messages.toSorted());
  expect(life.stderr()).toMatch(
    /^2 events \(not an event 1, timesheet.created 1\), 2 polls, 2 requests, \d+\.\d s\n$/,
  );
});

test('--once with an incomplete feed delivers the rest and ends with 3', async () => {
  const baseUrl = await source((feed) =>
    feed === 'timesheets'
      ? { report: { outcome: 'incomplete', reasons: ['page 3 of timesheets: 500'] } }
      : { messages: ['delivered'] },
  );
  const life = start(['--base-url', baseUrl, '--once', '--output', 'ndjson']);
  expect(await life.ended).toBe(3);
  expect(life.lines()).toEqual(['delivered']);
  expect(life.stderr()).toContain('timesheets incomplete: page 3 of timesheets: 500\n');
});

test.each([['--once'], ['--every=2s']])(
  '%s with a refused credential delivers, says so in one line without the token, and ends with 1',
  async (rhythm) => {
    const baseUrl = await source((feed) =>
      feed === 'timesheets'
        ? { report: { outcome: 'refused', reasons: [`401 for\n${TOKEN}`] } }
        : { messages: ['delivered'] },
    );
    const life = start(['--base-url', baseUrl, rhythm, '--output', 'ndjson']);
    expect(await life.ended).toBe(1);
    expect(life.lines()).toEqual(['delivered']);
    expect(life.stderr()).toBe(
      `the source at ${baseUrl} refused the credential (401 for ***); set WORKFORCE_API_TOKEN to a token that may read pay periods and timesheets\n`,
    );
  },
);

test('--every polls the whole window again and again until SIGTERM to its group, then ends with 0 and a summary', async () => {
  const baseUrl = await source((feed, times) =>
    feed === 'timesheets' ? { messages: [`poll ${times}`] } : {},
  );
  const life = start(['--base-url', baseUrl, '--every', '100ms', '--output', 'ndjson']);
  await vi.waitFor(() => expect(life.lines()).toContain('poll 4'), { timeout: 10_000 });
  const askedAt = performance.now();
  life.signal('SIGTERM');
  expect(await life.ended).toBe(0);
  expect(performance.now() - askedAt).toBeLessThan(2_000);
  expect(life.stderr()).toMatch(/^\d+ events \(not an event \d+\), \d+ polls/);
});

test('SIGINT while a poll hangs ends within two seconds with 0', async () => {
  const baseUrl = await source(() => new Promise(() => {}));
  const life = start(['--base-url', baseUrl, '--every', '1s', '--output', 'ndjson']);
  await vi.waitFor(() => expect(asked.length).toBeGreaterThan(0), { timeout: 10_000 });
  const askedAt = performance.now();
  life.signal('SIGINT');
  life.signal('SIGINT');
  expect(await life.ended).toBe(0);
  expect(performance.now() - askedAt).toBeLessThan(2_000);
  expect(life.stderr()).toMatch(/^0 events, 0 polls, 0 requests/);
});

test.each([['group'], ['parent']])(
  'a kill of the %s while lines are written loses no event, and repeats at most a batch',
  async (what) => {
    const messages = Array.from({ length: 150 }, (_, n) => JSON.stringify({ n, filler: 'x'.repeat(2_000) }));
    // The second feed never answers, so that at the kill everything of the first is published.
    const baseUrl = await source((feed, times) => {
      if (feed === 'pay-periods') return times === 1 ? { messages } : {};
      return times === 1 ? new Promise(() => {}) : {};
    });
    const data = temporaryFolder('data');
    const args = ['--base-url', baseUrl, '--data', data, '--once', '--output', 'ndjson'];
    const first = start(args);
    await vi.waitFor(() => expect(first.lines().length).toBeGreaterThan(20), { timeout: 10_000 });
    first.child.stdout?.pause();
    await vi.waitFor(() => expect(asked.some(({ feed }) => feed === 'timesheets')).toBe(true), {
      timeout: 10_000,
    });
    if (what === 'group') first.signal('SIGKILL');
    else first.child.kill('SIGKILL');
    const engine = Number(readFileSync(join(data, 'engine.pid'), 'utf8'));
    if (what === 'parent') expect(commandOf(engine)).toContain(data);
    first.child.stdout?.resume();
    await first.ended;
    const second = start(args);
    expect(await second.ended).toBe(0);
    expect(commandOf(engine)).toBeNull();
    const all = [...first.lines(), ...second.lines()];
    expect(new Set(all)).toEqual(new Set(messages));
    expect(all.length - messages.length).toBeLessThanOrEqual(10);
    expect(second.lines().length).toBeGreaterThan(0);
  },
);

test('a reader that does not read does not keep the run from ending', async () => {
  const messages = Array.from({ length: 300 }, (_, n) => JSON.stringify({ n, filler: 'x'.repeat(4_000) }));
  const baseUrl = await source((feed, times) => (feed === 'pay-periods' && times === 1 ? { messages } : {}));
  const life = start(['--base-url', baseUrl, '--every', '1s', '--output', 'ndjson']);
  await vi.waitFor(() => expect(life.lines().length).toBeGreaterThan(0), { timeout: 10_000 });
  life.child.stdout?.pause();
  await vi.waitFor(
    () => expect(asked.filter(({ feed }) => feed === 'timesheets').length).toBeGreaterThan(1),
    {
      timeout: 10_000,
    },
  );
  const exited = once(life.child, 'exit');
  const askedAt = performance.now();
  life.signal('SIGTERM');
  expect((await exited)[0]).toBe(0);
  expect(performance.now() - askedAt).toBeLessThan(2_100);
});

test('a reader that leaves early ends the run, and the next run delivers the rest', async () => {
  const messages = Array.from({ length: 120 }, (_, n) => JSON.stringify({ n, filler: 'x'.repeat(4_000) }));
  const baseUrl = await source((feed, times) => (feed === 'pay-periods' && times === 1 ? { messages } : {}));
  const args = ['--base-url', baseUrl, '--data', temporaryFolder('data'), '--output', 'ndjson'];
  const first = start([...args, '--every', '1s']);
  await vi.waitFor(() => expect(first.lines().length).toBeGreaterThan(0), { timeout: 10_000 });
  first.child.stdout?.pause();
  await vi.waitFor(() => expect(asked.some(({ feed }) => feed === 'timesheets')).toBe(true), {
    timeout: 10_000,
  });
  first.child.stdout?.destroy();
  expect(await first.ended).toBe(0);
  const second = start([...args, '--once']);
  expect(await second.ended).toBe(0);
  expect(second.lines()).toContain(messages.at(-1));
});

const asked: { feed: string }[] = [];

async function source(plan: Planner): Promise<string> {
  asked.length = 0;
  const running = await startFixtureSource((feed, times) => {
    asked.push({ feed });
    return plan(feed, times);
  });
  cleanups.push(() => running.close());
  return running.baseUrl;
}

/** Starts the runner as the leader of a process group of its own. */
function start(args: readonly string[]) {
  const data = args.includes('--data') ? [] : ['--data', temporaryFolder('data')];
  const child: ChildProcess = spawn(process.execPath, [PROGRAM, ...args, ...data], {
    env: { ...process.env, WORKFORCE_API_TOKEN: TOKEN, FIXTURE_ASSEMBLY: writePollAssembly() },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const signal = (name: NodeJS.Signals) => process.kill(-(child.pid ?? Number.NaN), name);
  cleanups.push(() => {
    if (child.exitCode === null && child.signalCode === null) signal('SIGKILL');
  });
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  return {
    child,
    signal,
    // Whole lines only: what a kill cut short was not written.
    lines: () => stdout.split('\n').slice(0, -1),
    stderr: () => stderr,
    ended: once(child, 'close').then(([code]) => code as number | null),
  };
}
