import { once } from 'node:events';
import { afterEach, expect, test } from 'vitest';
import { eventually } from '#test/support/eventually.ts';
import { createTemporaryFolder } from '../aws/fixture-assembly.ts';
import { cleanUp, openSource, runHere, startRun } from './fixture-run.ts';

afterEach(cleanUp);

test('a reader that does not read does not keep the run from ending', async () => {
  const messages = Array.from({ length: 300 }, (_, n) => JSON.stringify({ n, filler: 'x'.repeat(4_000) }));
  const { baseUrl, asked } = await openSource((times) => (times === 1 ? { messages } : {}));
  const life = startRun(['--base-url', baseUrl, '--every', '1s', '--output', 'ndjson']);
  await eventually(() => expect(life.lines().length).toBeGreaterThan(0));
  life.child.stdout?.pause();
  await eventually(() => expect(asked.length).toBeGreaterThan(2));
  const exited = once(life.child, 'exit');
  life.signal('SIGTERM');
  expect((await exited)[0]).toBe(0);
});

test('a reader that leaves early ends the run, and the next run delivers the rest', async () => {
  const messages = Array.from({ length: 120 }, (_, n) => JSON.stringify({ n, filler: 'x'.repeat(4_000) }));
  const { baseUrl, asked } = await openSource((times) => (times === 1 ? { messages } : {}));
  const args = ['--base-url', baseUrl, '--data', createTemporaryFolder('data'), '--output', 'ndjson'];
  const first = startRun([...args, '--every', '1s']);
  await eventually(() => expect(first.lines().length).toBeGreaterThan(0));
  first.child.stdout?.pause();
  await eventually(() => expect(asked.length).toBeGreaterThan(1));
  first.child.stdout?.destroy();
  expect(await first.ended).toBe(0);
  const second = runHere([...args, '--once']);
  expect(await second.ended).toBe(0);
  expect(second.lines()).toContain(messages.at(-1));
});
