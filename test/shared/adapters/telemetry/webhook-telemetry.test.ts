import { expect, test } from 'vitest';
import { createWebhookTelemetry } from '#shared/adapters/telemetry/telemetry.ts';
import { METRIC_NAMESPACE } from '#shared/config/names.ts';
import type { OutcomeLine } from '#shared/flow/system.ts';

const ATTEMPT = { outcome: 'delivery.attempted', result: 'retry', attempt: 1, reason: null };

test.each<[string, object, object | null]>([
  ['a retry after half an hour is a refusal', { attempt: 4 }, { WebhookRefusals: 1 }],
  ['what is delivered after that ends it', { attempt: 5, result: 'delivered' }, { WebhookRefusals: 0 }],
  ['so does giving up', { result: 'give_up' }, { WebhookRefusals: 0 }],
  ['and disabling', { result: 'disable' }, { WebhookRefusals: 0 }],
  ['a retry within half an hour is a line alone', { attempt: 3 }, null],
  ['so is what is delivered at once', { result: 'delivered' }, null],
  ['and another outcome', { outcome: 'deliveries.handled', attempt: 9 }, null],
])('%s', (_, changed, metrics) => {
  const line = { ...ATTEMPT, ...changed };
  const Metrics = Object.keys(metrics ?? {}).map((Name) => ({ Name }));
  const emf = {
    Timestamp: 5,
    CloudWatchMetrics: [{ Namespace: METRIC_NAMESPACE, Dimensions: [['service']], Metrics }],
  };
  expect(report(line)).toEqual(metrics === null ? line : { ...line, ...metrics, _aws: emf });
});

function report(line: OutcomeLine): unknown {
  const lines: unknown[] = [];
  const logger = { info: (_: unknown, ...extra: readonly unknown[]) => void lines.push(extra[0]) };
  createWebhookTelemetry(logger, () => 5).report(line);
  return lines[0];
}
