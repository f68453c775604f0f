import { setTimeout as sleep } from 'node:timers/promises';
import { createFakeLog, NOW } from '#test/console/fake-log.ts';
import { COUNT_LONG_TASKS, readShownIds, waitForRows } from '#test/console/shown-lines.ts';
import { visitConsole } from '../console-visit.ts';
import type { Row } from '../row.ts';

const EVENTS = 10_000;
const SECONDS = 10;
const BATCHES_PER_SECOND = 10;
const TIME_LIMIT_MS = 600_000;

/** A thousand events a second for ten seconds, from the log to what the page shows. */
export async function measureConsoleLoad(): Promise<Row[]> {
  const log = createFakeLog();
  return await visitConsole(log, 500, async (page) => {
    await page.evaluate(COUNT_LONG_TASKS);
    const perBatch = EVENTS / SECONDS / BATCHES_PER_SECOND;
    const startedAt = performance.now();
    for (let batch = 1; log.size < EVENTS; batch += 1) {
      // A type of its own for each, so that no line is inside of a story.
      log.commit(NOW - EVENTS + log.size, perBatch, { typeOf: (number) => `timesheet.kind_${number}` });
      await sleep(Math.max(0, startedAt + (batch * 1_000) / BATCHES_PER_SECOND - performance.now()));
    }
    const writtenAt = performance.now();
    // With the heading of the day.
    await waitForRows(page, EVENTS + 1, TIME_LIMIT_MS);
    const behindMs = performance.now() - writtenAt;
    const longTasks = await page.evaluate<number[]>('window.longTasks');
    return [...buildShownRows(await readShownIds(page)), ...buildPaceRows(behindMs, longTasks)];
  });
}

function buildShownRows(ids: readonly string[]): Row[] {
  const numbers = ids.map((id) => Number(id.slice('event-'.length)));
  const lost = EVENTS - new Set(numbers).size;
  const repeated = numbers.length - new Set(numbers).size;
  const moved = numbers.filter((number, place) => place > 0 && number >= (numbers[place - 1] ?? 0)).length;
  return (
    [
      ['lost', lost],
      ['shown twice', repeated],
      ['out of order', moved],
    ] as const
  ).map(([what, count]) => ({
    topic: 'console',
    metric: `lines ${what}, of 1,000 events a second for ten seconds`,
    baseline: 'events in the log',
    baselineValue: EVENTS.toLocaleString('en'),
    ours: String(count),
    ratio: '',
    seed: null,
    limit: { value: count, atMost: 0 },
  }));
}

function buildPaceRows(behindMs: number, longTasks: readonly number[]): Row[] {
  const common = { topic: 'console', seed: null, ratio: '' } as const;
  return [
    {
      ...common,
      metric: 'from the last of these events being written to all being shown',
      baseline: 'two reads of the log a second',
      baselineValue: '500 ms',
      ours: `${behindMs.toFixed(0)} ms`,
    },
    {
      ...common,
      metric: 'tasks of the page over 50 ms in these ten seconds, and the longest',
      baseline: '',
      baselineValue: '',
      ours: `${longTasks.length}, ${Math.max(0, ...longTasks).toFixed(0)} ms`,
    },
  ];
}
