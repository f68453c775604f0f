import type { Logger } from '@aws-lambda-powertools/logger';
import { type Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { METRIC_DIMENSIONS, METRICS } from '../../config/names.ts';
import type { OutcomeLine, Telemetry } from '../../ports/system.ts';
import { createLogTelemetry } from './log-telemetry.ts';

type Unit = (typeof MetricUnit)[keyof typeof MetricUnit];

/**
 * Numbers of the line `poll.completed` that become metrics while they are above zero, without dimensions: a metric costs
 * money in the hours that have data. The log line names the connection.
 */
const TROUBLES: readonly (readonly [field: string, metric: string, unit: Unit])[] = [
  ['worstLateSeconds', METRICS.worstLateSeconds, MetricUnit.Seconds],
  ['unreadableSlices', METRICS.unreadableSlices, MetricUnit.Count],
  ['formChanged', METRICS.formChanged, MetricUnit.Count],
  ['publishFailed', METRICS.publishFailed, MetricUnit.Count],
];

/** Writes a log line for each outcome and, for a poll, publishes some of its numbers as metrics. */
export function createTelemetry(logger: Logger, metrics: Metrics): Telemetry {
  const log = createLogTelemetry(logger);
  return {
    report(line) {
      log.report(line);
      if (line.outcome !== 'poll.completed') return;
      publishProgress(line, metrics);
      publishTroubles(line, metrics);
    },
  };
}

function publishProgress(line: OutcomeLine, metrics: Metrics): void {
  metrics.addDimensions({
    [METRIC_DIMENSIONS.connection]: String(line.connection),
    [METRIC_DIMENSIONS.feed]: String(line.feed),
  });
  metrics.addMetric(METRICS.pollCompleted, MetricUnit.Count, line.result === 'complete' ? 1 : 0);
  const { eventsWaiting } = line;
  if (typeof eventsWaiting === 'number')
    metrics.addMetric(METRICS.eventsWaiting, MetricUnit.Count, eventsWaiting);
  metrics.publishStoredMetrics();
}

function publishTroubles(line: OutcomeLine, metrics: Metrics): void {
  for (const [field, metric, unit] of TROUBLES) {
    const value = line[field];
    if (typeof value === 'number' && value > 0) metrics.addMetric(metric, unit, value);
  }
  if (metrics.hasStoredMetrics()) metrics.publishStoredMetrics();
}
