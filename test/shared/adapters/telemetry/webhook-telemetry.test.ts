import { expect, test } from 'vitest';
import { createWebhookTelemetry } from '#shared/adapters/telemetry/telemetry.ts';
import { METRIC_NAMESPACE } from '#shared/config/names.ts';
import type { OutcomeLine } from '#shared/flow/system.ts';

const ATTEMPT = { outcome: 'delivery.attempted', result: 'retry', attempt: 1, reason: null };

test.each<[string, OutcomeLine, object]>([
  ['a retry after half an hour is a refusal', { ...ATTEMPT, attempt: 4 }, { WebhookRefusals: 1 }],
  [
    'what is delivered after that ends it',
    { ...ATTEMPT, attempt: 5, result: 'delivered' },
    { WebhookRefusals: 0 },
  ],
  ['so does giving up', { ...ATTEMPT, result: 'give_up' }, { WebhookRefusals: 0 }],
  ['and disabling', { ...ATTEMPT, result: 'disable' }, { WebhookRefusals: 0 }],
])('%s', (_, line, metrics) => {
  expect(report(line)).toEqual({
    ...line,
    ...metrics,
    _aws: {
      Timestamp: 5,
      CloudWatchMetrics: [
        {
          Namespace: METRIC_NAMESPACE,
          Dimensions: [['service']],
          Metrics: Object.keys(metrics).map((Name) => ({ Name })),
        },
      ],
    },
  });
});

test.each<[string, OutcomeLine]>([
  ['a retry within half an hour', { ...ATTEMPT, attempt: 3 }],
  ['what is delivered at once', { ...ATTEMPT, result: 'delivered' }],
  ['another outcome', { outcome: 'deliveries.handled', attempt: 9, result: 'retry' }],
])('%s is a line alone', (_, line) => {
  expect(report(line)).toEqual(line);
});

function report(line: OutcomeLine): unknown {
  const lines: unknown[] = [];
  const logger = { info: (_: unknown, ...extra: readonly unknown[]) => void lines.push(extra[0]) };
  createWebhookTelemetry(logger, () => 5).report(line);
  return lines[0];
}
