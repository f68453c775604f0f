import { expect, test } from 'vitest';
import standardConfig from '#config';
import { parseNotifierConfig } from '#shared/config/schema/notifier-config.ts';
import { countTemplateUsage } from '#workshop/bench/bill/month.ts';
import { averageMinutes, computeBusyShare } from '#workshop/bench/bill/traffic.ts';
import { addUsages, computeBill } from '#workshop/bench/prices.ts';

const CONFIG = parseNotifierConfig(standardConfig);

test('a bill adds up what is used at its prices, the largest first, and without what is free', () => {
  const bill = computeBill({ alarmMetrics: 12, customMetrics: 2, secretReads: 10_000 });
  expect(bill.items.map(([name]) => name)).toEqual(['alarmMetrics', 'customMetrics', 'secretReads']);
  expect(bill.total).toBeCloseTo(1.2 + 0.6 + 0.05);
  expect(bill.afterFreeTier).toBeCloseTo(0.2 + 0.05);
});

test('usages are added by name', () => {
  expect(addUsages([{ secrets: 1 }, { secrets: 2, keys: 1 }])).toEqual({ secrets: 3, keys: 1 });
});

test('a month stands between its busy and its quiet hours, by the square root of their changes', () => {
  const [busy, quiet] = [
    [144, 100],
    [1, 1],
  ];
  expect(computeBusyShare({ busy, quiet, fortnight: busy })).toBe(1);
  expect(computeBusyShare({ busy, quiet, fortnight: quiet })).toBe(0);
  // Roots of 11 and 1: half way are 6, but not half of the changes.
  expect(computeBusyShare({ busy, quiet, fortnight: [...busy, ...quiet] })).toBe(0.5);
  expect(computeBusyShare({ busy, quiet, fortnight: [36] })).toBe(0.5);
  // An hour may be busier than those that were run.
  expect(computeBusyShare({ busy, quiet, fortnight: [441] })).toBe(2);
});

test('what polls take is of an average minute of the month, not of its busiest ones', () => {
  const busy = {
    days: 1 / 24,
    pollMs: 600_000,
    followUps: 120,
    requestsPerDay: 14_400,
    units: { read: 1_200, write: 600 },
  };
  const quiet = {
    days: 1 / 8,
    pollMs: 180_000,
    followUps: 0,
    requestsPerDay: 1_440,
    units: { read: 180, write: 180 },
  };
  expect(averageMinutes({ busy, quiet }, 1)).toEqual({
    lambdaSecondsPerMinute: 10,
    followUpsPerMinute: 2,
    requestsPerMinute: 10,
    readsPerMinute: 20,
    writesPerMinute: 10,
  });
  const average = averageMinutes({ busy, quiet }, 0.25);
  expect(average.lambdaSecondsPerMinute).toBeCloseTo(0.25 * 10 + 0.75 * 1);
  expect(average.followUpsPerMinute).toBeCloseTo(0.5);
  expect(average.requestsPerMinute).toBeCloseTo(0.25 * 10 + 0.75 * 1);
  expect(average.readsPerMinute).toBeCloseTo(0.25 * 20 + 0.75 * 1);
  expect(average.writesPerMinute).toBeCloseTo(0.25 * 10 + 0.75 * 1);
});

test('the config of this repository watches few metrics, and pays for two of its own', () => {
  const usage = countTemplateUsage(CONFIG);
  expect(usage).toMatchObject({ customMetrics: 2, secrets: 0 });
  // Polls and alerts every minute; deliveries are checked every quarter of an hour.
  expect(usage.schedulerInvocations).toBeCloseTo(90_520, 0);
  expect(usage.alarmMetrics).toBeLessThanOrEqual(21);
});

test('another connection has its own heartbeat, and alarms on its silence', () => {
  const [main] = CONFIG.connections;
  const two = parseNotifierConfig({
    ...standardConfig,
    webhooks: [],
    connections: [
      ...standardConfig.connections,
      { ...main, name: 'north' },
    ] as typeof standardConfig.connections,
  });
  const [before, after] = [countTemplateUsage(CONFIG), countTemplateUsage(two)];
  // The silence of the connection is watched; a webhook had two alarms.
  expect(after.alarmMetrics).toBe((before.alarmMetrics ?? 0) + 1 - 2);
  expect(after).toMatchObject({ customMetrics: 3, secrets: 0 });
});
