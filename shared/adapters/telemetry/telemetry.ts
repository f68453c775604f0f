import type { Logger } from '@aws-lambda-powertools/logger';
import { type Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { METRIC_DIMENSIONS, METRICS } from '../../config/names.ts';
import type { OutcomeLine, Telemetry } from '../../ports.ts';

/** Which numbers of the line `poll.completed` become metrics. */
const METRIC_OF: Readonly<Record<string, string>> = {
  eventsCommitted: METRICS.eventsCommitted,
  eventsPublished: METRICS.eventsPublished,
  eventsWaiting: METRICS.eventsWaiting,
  quarantined: METRICS.recordsQuarantined,
  requests: METRICS.sourceRequests,
  throttled: METRICS.sourceThrottled,
  conflicts: METRICS.commitConflicts,
};

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
  const completed = line.result === 'complete';
  metrics.addMetric(METRICS.pollCompleted, MetricUnit.Count, completed ? 1 : 0);
  metrics.addMetric(METRICS.pollIncomplete, MetricUnit.Count, completed ? 0 : 1);
  for (const [name, metric] of Object.entries(METRIC_OF)) {
    const value = line[name];
    if (typeof value === 'number') metrics.addMetric(metric, MetricUnit.Count, value);
  }
  metrics.publishStoredMetrics();
}
