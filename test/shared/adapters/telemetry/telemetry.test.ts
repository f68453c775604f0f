import type { Logger } from '@aws-lambda-powertools/logger';
import type { Metrics } from '@aws-lambda-powertools/metrics';
import { expect, test } from 'vitest';
import { createTelemetry } from '#shared/adapters/telemetry/telemetry.ts';
import { METRICS } from '#shared/config/names.ts';

/** What polls of one process publish as waiting events. */
function publish(polls: readonly (readonly [eventsWaiting: number, batchesFound: number])[]): number[] {
  const published: number[] = [];
  const metrics = {
    addDimension: () => {},
    addMetric: (name: string, _: string, value: number) => {
      if (name === METRICS.eventsWaiting) published.push(value);
    },
    hasStoredMetrics: () => false,
    publishStoredMetrics: () => {},
  } as unknown as Metrics;
  const telemetry = createTelemetry({ info: () => {} } as unknown as Logger, metrics);
  for (const [eventsWaiting, batchesFound] of polls) {
    const common = {
      outcome: 'poll.completed',
      connection: 'main',
      feed: 'timesheets',
      result: 'complete',
    } as const;
    telemetry.report({ ...common, eventsWaiting, batchesFound });
  }
  return published;
}

const quiet = (times: number) => Array.from({ length: times }, () => [0, 0] as const);

test('a feed of which no events ever waited has no metric of waiting events', () => {
  expect(publish(quiet(5))).toEqual([]);
});

test('after events waited, zeros go on until one of them has a period of five minutes of its own', () => {
  expect(publish([[3, 0], [2, 3], [0, 2], ...quiet(20)])).toEqual([3, 2, 0, 0, 0, 0, 0, 0]);
});

test('another process, which only sees that events had waited, writes them too', () => {
  expect(publish([[0, 2], ...quiet(20)])).toEqual([0, 0, 0, 0, 0, 0]);
});
