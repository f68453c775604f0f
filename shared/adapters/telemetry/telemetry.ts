import type { Logger } from '@aws-lambda-powertools/logger';
import { type Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { METRIC_DIMENSIONS, METRICS } from '../../config/names.ts';
import type { OutcomeLine, Telemetry } from '../../ports.ts';

/** Which numbers of the line `poll.completed` become metrics at every poll that knows them. */
const METRIC_OF = {
  eventsWaiting: METRICS.eventsWaiting,
  worstLateSeconds: METRICS.worstLateSeconds,
} as const;
/** And which only while something is wrong: a metric costs money in the hours that have data. */
const METRIC_OF_TROUBLE = {
  unreadableSlices: METRICS.unreadableSlices,
  formChanged: METRICS.formChanged,
  publishFailed: METRICS.publishFailed,
} as const;
const SECONDS: readonly string[] = [METRICS.worstLateSeconds];

/** One log line per outcome and, for a poll, its numbers as metrics of its connection and feed. */
export function createTelemetry(logger: Logger, metrics: Metrics): Telemetry {
  return {
    report(line) {
      logger.info(line.outcome, line);
      if (line.outcome === 'poll.completed') publishMetrics(line, metrics);
    },
  };
}

function publishMetrics(line: OutcomeLine, metrics: Metrics): void {
  metrics.addDimensions({
    [METRIC_DIMENSIONS.connection]: String(line.connection),
    [METRIC_DIMENSIONS.feed]: String(line.feed),
  });
  metrics.addMetric(METRICS.pollCompleted, MetricUnit.Count, line.result === 'complete' ? 1 : 0);
  for (const [metric, value] of [...valuesOf(line, METRIC_OF), ...troublesOf(line)]) {
    metrics.addMetric(metric, SECONDS.includes(metric) ? MetricUnit.Seconds : MetricUnit.Count, value);
  }
  metrics.publishStoredMetrics();
}

function troublesOf(line: OutcomeLine): [string, number][] {
  return valuesOf(line, METRIC_OF_TROUBLE).filter(([, value]) => value > 0);
}

/** What a line knows of some metrics, by their names. */
function valuesOf(line: OutcomeLine, metricOf: Readonly<Record<string, string>>): [string, number][] {
  return Object.entries(metricOf).flatMap(([field, metric]): [string, number][] => {
    const value = line[field];
    return typeof value === 'number' ? [[metric, value]] : [];
  });
}
