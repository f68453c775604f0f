import { expect, test } from 'vitest';
import standardConfig from '#config';
import { parseNotifierConfig } from '#shared/config/schema/notifier-config.ts';
import { countTemplateUsage } from '#workshop/bench/bill.ts';
import { addUsages, computeBill } from '#workshop/bench/prices.ts';

test('a bill adds up what is used at its prices, and without what is free', () => {
  const bill = computeBill(addUsages([{ alarmMetrics: 5, customMetrics: 2 }, { alarmMetrics: 7 }]));
  expect(bill.total).toBeCloseTo(1.2 + 0.6);
  expect(bill.afterFreeTier).toBeCloseTo(0.2);
});

test('the config of this repository has few alarms, and pays for two metrics of its own', () => {
  const usage = countTemplateUsage(parseNotifierConfig(standardConfig));
  expect(usage).toMatchObject({ customMetrics: 2, secrets: 0, keys: 0 });
  // Polls and alerts every minute; deliveries are checked every quarter of an hour.
  expect(usage.schedulerInvocations).toBeCloseTo(90_520, 0);
  expect(usage.alarmMetrics).toBeLessThanOrEqual(21);
  // Four queues that functions are invoked from, of which that of the chat keeps an order.
  expect(usage.sqsRequests).toBe(3 * Number(usage.sqsFifoRequests));
});
