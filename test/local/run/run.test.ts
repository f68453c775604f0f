import { once } from 'node:events';
import { afterEach, expect, test } from 'vitest';
import { eventually } from '#test/support/eventually.ts';
import { createTemporaryFolder } from '../aws/fixture-assembly.ts';
import { cleanUp, openSource, runHere, startRun, TOKEN } from './fixture-run.ts';

afterEach(cleanUp);

/** Nothing is gained by asking such a source again. */
const ALL_THROTTLED = {
  ...{ slices: 0, records: 0, requests: 1, throttled: 1, changes: 0, quarantined: 0 },
  ...{ eventsCommitted: 0, eventsPublished: 0, eventsWaiting: 0, publishFailed: 0 },
};

test('--once prints each event as its own line, counts on stderr, and ends with 0', async () => {
  const messages = [
    '{"type":"workforce.timesheet.created","time":"2026-01-01T00:00:00Z","data":{}}',
    '{"b":2}',
  ];
  const { baseUrl } = await openSource(() => ({ messages }));
  const life = startRun(['--base-url', baseUrl, '--once', '--output', 'ndjson']);
  expect(await life.ended).toBe(0);
  expect(life.lines().toSorted()).toEqual(messages.toSorted());
  expect(life.stderr()).toMatch(
    /^2 events \(not an event 1, timesheet.created 1\), 1 poll, 1 request, \d+\.\d s\n$/,
  );
});

test('--once with an incomplete poll delivers the rest and ends with 3', async () => {
  const report = { outcome: 'incomplete', reasons: ['page 3 of timesheets: 500'], counts: ALL_THROTTLED };
  const { baseUrl } = await openSource(() => ({ messages: ['delivered'], report }));
  const life = runHere(['--base-url', baseUrl, '--once', '--output', 'ndjson']);
  expect(await life.ended).toBe(3);
  expect(life.lines()).toEqual(['delivered']);
  expect(life.stderr()).toContain('poll incomplete: page 3 of timesheets: 500\n');
});

test.each([['--once'], ['--every=2s']])(
  '%s with a refused credential delivers, says so in one line without the token, and ends with 1',
  async (rhythm) => {
    const report = { outcome: 'refused', reasons: [`401 for\n${TOKEN}`] };
    const { baseUrl } = await openSource(() => ({ messages: ['delivered'], report }));
    const life = runHere(['--base-url', baseUrl, rhythm, '--output', 'ndjson']);
    expect(await life.ended).toBe(1);
    expect(life.lines()).toEqual(['delivered']);
    expect(life.stderr()).toBe(
      `the source at ${baseUrl} refused the credential (401 for ***); set WORKFORCE_API_TOKEN to a token that may read pay periods and timesheets\n`,
    );
  },
);

test('--every polls the whole window repeatedly until SIGTERM to its group, then ends with 0 and a summary', async () => {
  const { baseUrl } = await openSource((times) => ({ messages: [`poll ${times}`] }));
  const life = startRun(['--base-url', baseUrl, '--every', '100ms', '--output', 'ndjson']);
  await eventually(() => expect(life.lines()).toContain('poll 4'));
  life.signal('SIGTERM');
  expect(await life.ended).toBe(0);
  expect(life.stderr()).toMatch(/^\d+ events \(not an event \d+\), \d+ polls/);
});

test('by the schedules, a poll of the whole window comes first', async () => {
  const { baseUrl, asked } = await openSource(() => ({}));
  const life = runHere(['--base-url', baseUrl]);
  await eventually(() => expect(asked).toHaveLength(1));
  life.stop();
  expect(await life.ended).toBe(0);
  expect(asked[0]?.request.freshSince).toBeLessThanOrEqual(Date.now());
});

test('SIGINT while a poll hangs ends with 0', async () => {
  const { baseUrl, asked } = await openSource(() => new Promise(() => {}));
  const life = startRun(['--base-url', baseUrl, '--every', '1s', '--output', 'ndjson']);
  await eventually(() => expect(asked.length).toBeGreaterThan(0));
  life.signal('SIGINT');
  life.signal('SIGINT');
  expect(await life.ended).toBe(0);
  expect(life.stderr()).toMatch(/^0 events, 0 polls, 0 requests/);
});

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
