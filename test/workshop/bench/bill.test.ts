import { expect, test } from 'vitest';
import standardConfig from '#config';
import { parseNotifierConfig } from '#shared/config/schema/notifier-config.ts';
import { addUsages, computeBill } from '#workshop/bench/bill/bill.ts';
import { countTemplateUsage } from '#workshop/bench/bill/template-usage.ts';

const CONFIG = parseNotifierConfig(standardConfig);

test('a bill adds up what is used at its prices, the largest first, and without what is free', () => {
  const bill = computeBill({ alarmMetrics: 12, customMetrics: 2, secretReads: 10_000 });
  expect(bill.items.map(([name]) => name)).toEqual(['alarmMetrics', 'customMetrics', 'secretReads']);
  expect(bill.total).toBeCloseTo(1.2 + 0.6 + 0.05);
  expect(bill.afterFreeTier).toBeCloseTo(0.2 + 0.05);
});

test('usages are added by name', () => {
  expect(addUsages([{ secrets: 1 }, { secrets: 2, dashboards: 1 }])).toEqual({ secrets: 3, dashboards: 1 });
});

test('the config of this repository watches few metrics, and pays for one of its own', () => {
  const usage = countTemplateUsage(CONFIG);
  expect(usage).toMatchObject({ customMetrics: 1, dashboards: 1, secrets: 3 });
  // Polls and alerts every minute, the names once a day, and those that are missing every five minutes.
  expect(usage.schedulerInvocations).toBeCloseTo(140_190, 0);
  expect(usage.alarmMetrics).toBeLessThanOrEqual(33);
});

test('an alarm on a sum counts for each of its metrics, and another connection has its own heartbeat', () => {
  const [main] = CONFIG.connections;
  const functions = { accountConcurrency: 100 };
  const two = parseNotifierConfig({
    ...standardConfig,
    functions,
    webhooks: [],
    dashboard: false,
    connections: [
      ...standardConfig.connections,
      { ...main, name: 'north' },
    ] as typeof standardConfig.connections,
  });
  const [before, after] = [countTemplateUsage(CONFIG), countTemplateUsage(two)];
  // Silence of two feeds is watched for the connection; a webhook had one alarm on a sum of two, and three others.
  expect(after.alarmMetrics).toBe((before.alarmMetrics ?? 0) + 2 - 5);
  expect(after).toMatchObject({ customMetrics: 2, dashboards: 0, secrets: 2 });
});
