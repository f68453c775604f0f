import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { readCommand } from '#local/aws/engines/processes.ts';
import { eventually } from '#test/support/eventually.ts';
import { createTemporaryFolder } from '../aws/fixture-assembly.ts';
import { cleanUp, openSource, runHere, startRun } from './fixture-run.ts';
import { startTelling, tellHere, webhooksIn } from './telling.ts';

afterEach(cleanUp);

test('a kill while lines are written loses no event, and repeats at most the one being written', async () => {
  const messages = Array.from({ length: 150 }, (_, n) =>
    JSON.stringify({ id: `event-${n}`, filler: 'x'.repeat(2_000) }),
  );
  // The second poll never answers: at the kill, everything of the first is published.
  const { baseUrl, asked } = await openSource((times) => {
    if (times === 1) return { messages, report: { outcome: 'incomplete', remainingSlices: 1 } };
    return times === 2 ? new Promise(() => {}) : {};
  });
  const data = createTemporaryFolder('data');
  const args = ['--base-url', baseUrl, '--data', data, '--once', '--output', 'ndjson'];
  const first = startRun(args);
  await eventually(() => expect(first.lines().length).toBeGreaterThan(20));
  first.child.stdout?.pause();
  await eventually(() => expect(asked).toHaveLength(2));
  first.signal('SIGKILL');
  const engine = Number(readFileSync(join(data, 'engine.pid'), 'utf8'));
  first.child.stdout?.resume();
  await first.ended;
  const second = runHere(args);
  expect(await second.ended).toBe(0);
  expect(readCommand(engine)).toBeNull();
  const all = [...first.lines(), ...second.lines()];
  expect(new Set(all)).toEqual(new Set(messages));
  expect(all.length - messages.length).toBeLessThanOrEqual(1);
  expect(second.lines().length).toBeGreaterThan(0);
});

test('after a kill of the process alone in the middle nothing is lost, and no webhook is shown twice', async () => {
  const data = createTemporaryFolder('data');
  const numbers = Array.from({ length: 30 }, (_, index) => index);
  const first = await startTelling(data, numbers, ['--every', '1h']);
  await eventually(() => expect(webhooksIn(first.lines()).length).toBeGreaterThan(10));
  first.child.kill('SIGKILL');
  await first.ended;
  const second = await tellHere(data, [], ['--once']);
  expect(await second.ended).toBe(0);
  const lines = [...first.lines(), ...second.lines()];
  const webhooks = webhooksIn(lines);
  expect(new Set(webhooks).size).toBe(numbers.length);
  // The one being printed at the kill may appear twice.
  expect(webhooks.length - numbers.length).toBeLessThanOrEqual(1);
  expect(new Set(lines.flatMap((line) => /told: \S+/.exec(line) ?? [])).size).toBe(numbers.length);
  for (const channel of ['slack', 'mail']) {
    const told = lines.filter((line) => line.includes(` │ ${channel} `));
    expect(told.length).toBeGreaterThanOrEqual(numbers.length);
  }
});
