import { expect, test } from 'vitest';
import standardConfig from '#config';
import { parseNotifierConfig } from '#shared/config/schema/notifier-config.ts';
import { buildSizes, countTemplateUsage, replaceSizes } from '#workshop/bench/bill.ts';
import { MANY } from '#workshop/bench/company.ts';
import { addUsages, computeBill } from '#workshop/bench/prices.ts';

const CONFIG = parseNotifierConfig(standardConfig);

test('a bill adds up what is used at its prices, and without what is free', () => {
  const bill = computeBill({ alarmMetrics: 12, customMetrics: 2, secretReads: 10_000 });
  expect(bill.total).toBeCloseTo(1.2 + 0.6 + 0.05);
  expect(bill.afterFreeTier).toBeCloseTo(0.2 + 0.05);
});

test('usages are added by name', () => {
  expect(addUsages([{ secrets: 1 }, { secrets: 2, keys: 1 }])).toEqual({ secrets: 3, keys: 1 });
});

test('the table of sizes is replaced between its markers', () => {
  const bills = {
    bill: computeBill({ writeUnits: 2_000_000, secrets: 3 }),
    baseline: computeBill({ writeUnits: 20_000_000 }),
  };
  const table = buildSizes([{ size: MANY, eventsPerDay: 100.4, ...bills }]);
  expect(table).toContain('| 2,000 | 100 | $2.45 | $2.45 | $12.50 |');
  const document = 'before <!-- cost:begin -->\nold\n<!-- cost:end --> after';
  expect(replaceSizes(document, table)).toBe(`before <!-- cost:begin -->\n${table}\n<!-- cost:end --> after`);
  expect(() => replaceSizes('none', table)).toThrow('cost:begin');
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
