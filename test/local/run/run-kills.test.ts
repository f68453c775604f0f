import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { readCommand } from '#local/aws/engines/processes.ts';
import { eventually } from '#test/support/eventually.ts';
import { createTemporaryFolder } from '../aws/fixture-assembly.ts';
import { cleanUp, openSource, runHere, startRun } from './fixture-run.ts';

afterEach(cleanUp);

test.each([['group'], ['parent']])(
  'a kill of the %s while lines are written loses no event, and repeats at most a batch',
  async (what) => {
    const messages = Array.from({ length: 150 }, (_, n) => JSON.stringify({ n, filler: 'x'.repeat(2_000) }));
    // The second feed never answers: at the kill, everything of the first is published.
    const { baseUrl, asked } = await openSource((feed, times) => {
      if (feed === 'pay-periods') return times === 1 ? { messages } : {};
      return times === 1 ? new Promise(() => {}) : {};
    });
    const data = createTemporaryFolder('data');
    const args = ['--base-url', baseUrl, '--data', data, '--once', '--output', 'ndjson'];
    const first = startRun(args);
    await eventually(() => expect(first.lines().length).toBeGreaterThan(20));
    first.child.stdout?.pause();
    await eventually(() => expect(asked.some(({ feed }) => feed === 'timesheets')).toBe(true));
    if (what === 'group') first.signal('SIGKILL');
    else first.child.kill('SIGKILL');
    const engine = Number(readFileSync(join(data, 'engine.pid'), 'utf8'));
    first.child.stdout?.resume();
    await first.ended;
    const second = runHere(args);
    expect(await second.ended).toBe(0);
    expect(readCommand(engine)).toBeNull();
    const all = [...first.lines(), ...second.lines()];
    expect(new Set(all)).toEqual(new Set(messages));
    expect(all.length - messages.length).toBeLessThanOrEqual(10);
    expect(second.lines().length).toBeGreaterThan(0);
  },
);

test('a reader that does not read does not keep the run from ending', async () => {
  const messages = Array.from({ length: 300 }, (_, n) => JSON.stringify({ n, filler: 'x'.repeat(4_000) }));
  const { baseUrl, asked } = await openSource((feed, times) =>
    feed === 'pay-periods' && times === 1 ? { messages } : {},
  );
  const life = startRun(['--base-url', baseUrl, '--every', '1s', '--output', 'ndjson']);
  await eventually(() => expect(life.lines().length).toBeGreaterThan(0));
  life.child.stdout?.pause();
  await eventually(() => expect(asked.filter(({ feed }) => feed === 'timesheets').length).toBeGreaterThan(1));
  const exited = once(life.child, 'exit');
  life.signal('SIGTERM');
  expect((await exited)[0]).toBe(0);
});

test('a reader that leaves early ends the run, and the next run delivers the rest', async () => {
  const messages = Array.from({ length: 120 }, (_, n) => JSON.stringify({ n, filler: 'x'.repeat(4_000) }));
  const { baseUrl, asked } = await openSource((feed, times) =>
    feed === 'pay-periods' && times === 1 ? { messages } : {},
  );
  const args = ['--base-url', baseUrl, '--data', createTemporaryFolder('data'), '--output', 'ndjson'];
  const first = startRun([...args, '--every', '1s']);
  await eventually(() => expect(first.lines().length).toBeGreaterThan(0));
  first.child.stdout?.pause();
  await eventually(() => expect(asked.some(({ feed }) => feed === 'timesheets')).toBe(true));
  first.child.stdout?.destroy();
  expect(await first.ended).toBe(0);
  const second = runHere([...args, '--once']);
  expect(await second.ended).toBe(0);
  expect(second.lines()).toContain(messages.at(-1));
});
