import { type Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { METRIC_DIMENSIONS, METRICS } from '#shared/config/names.ts';
import type { FeedName } from '#shared/core/feeds.ts';

/** Powertools publishes a metric by itself, without its dimensions, when it has 100 values. */
const MAX_VALUES = 99;

/** Writes the delays of a poll as lines in embedded metric format; p50 and p99 are statistics of CloudWatch. */
export function createDelayMeter(metrics: Metrics): (feed: FeedName, delays: readonly number[]) => void {
  return (feed, delays) => {
    for (let from = 0; from < delays.length; from += MAX_VALUES) {
      metrics.addDimension(METRIC_DIMENSIONS.feed, feed);
      for (const seconds of delays.slice(from, from + MAX_VALUES))
        metrics.addMetric(METRICS.detectionDelay, MetricUnit.Seconds, seconds);
      metrics.publishStoredMetrics();
    }
  };
}
