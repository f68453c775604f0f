import type { Logger } from '@aws-lambda-powertools/logger';
import { type Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import type { OutcomeLine, Telemetry } from '#shared/flow/system.ts';
import { ATTEMPTS_IN_HALF_AN_HOUR } from '#shared/systems/attempt-schedule.ts';
import { METRIC_DIMENSIONS, METRIC_NAMESPACE, METRICS } from '../../config/names.ts';
import { createLogTelemetry } from './log-telemetry.ts';

type Unit = (typeof MetricUnit)[keyof typeof MetricUnit];

/**
 * Numbers of the line `poll.completed` that become metrics while they are above zero, without dimensions: a metric costs
 * money in the hours that have data. The log line names the connection.
 */
const TROUBLES: readonly (readonly [field: string, metric: string, unit: Unit])[] = [
  ['eventsWaiting', METRICS.eventsWaiting, MetricUnit.Count],
  ['worstLateSeconds', METRICS.worstLateSeconds, MetricUnit.Seconds],
  ['doubtfulSlices', METRICS.doubtfulSlices, MetricUnit.Count],
  ['credentialRefused', METRICS.credentialRefused, MetricUnit.Count],
  ['publishFailed', METRICS.publishFailed, MetricUnit.Count],
];

/** Writes a log line for each outcome and, for a poll, publishes some of its numbers as metrics. */
export function createTelemetry(logger: Logger, metrics: Metrics): Telemetry {
  const log = createLogTelemetry(logger);
  return {
    report(line) {
      log.report(line);
      if (line.outcome !== 'poll.completed') return;
      publishCompleted(line, metrics);
      publishTroubles(line, metrics);
    },
  };
}

function publishCompleted({ result, connection }: OutcomeLine, metrics: Metrics): void {
  if (result !== 'complete') return;
  metrics.addDimension(METRIC_DIMENSIONS.connection, String(connection));
  metrics.addMetric(METRICS.completedPolls, MetricUnit.Count, 1);
  metrics.publishStoredMetrics();
}

function publishTroubles(line: OutcomeLine, metrics: Metrics): void {
  for (const [field, metric, unit] of TROUBLES) {
    const value = line[field];
    if (typeof value === 'number' && value > 0) metrics.addMetric(metric, unit, value);
  }
  if (metrics.hasStoredMetrics()) metrics.publishStoredMetrics();
}

/**
 * A log line per outcome. A line that alarms count is a metric as well, in CloudWatch's embedded metric format: metric
 * filters would take three resources of the stack for every webhook, and it may have 500. `now` in milliseconds since
 * 1970.
 */
export function createWebhookTelemetry(logger: Pick<Logger, 'info'>, now: () => number): Telemetry {
  const log = createLogTelemetry(logger);
  return { report: (line) => log.report({ ...line, ...embedRefusal(readRefusal(line), now()) }) };
}

/**
 * 1 for an attempt that failed though the event was tried for half an hour: a short outage settles itself before that. 0
 * once such an event is delivered or given up; null for all others.
 */
function readRefusal({ outcome, result, attempt }: OutcomeLine): 0 | 1 | null {
  if (outcome !== 'delivery.attempted') return null;
  const isLate = typeof attempt === 'number' && attempt >= ATTEMPTS_IN_HALF_AN_HOUR;
  if (result === 'retry') return isLate ? 1 : null;
  return isLate || result === 'give_up' || result === 'disable' ? 0 : null;
}

/** The logger writes the name of the function as `service`. */
function embedRefusal(refusal: 0 | 1 | null, now: number) {
  if (refusal === null) return {};
  const metric: Readonly<Record<string, number>> = { [METRICS.webhookRefusals]: refusal };
  const described = {
    Namespace: METRIC_NAMESPACE,
    Dimensions: [[METRIC_DIMENSIONS.service]],
    Metrics: [{ Name: METRICS.webhookRefusals }],
  };
  return { ...metric, _aws: { Timestamp: now, CloudWatchMetrics: [described] } };
}
