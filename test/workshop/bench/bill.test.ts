import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import standardConfig from '#config';
import { type NotifierConfigInput, parseNotifierConfig } from '#shared/config/schema/notifier-config.ts';
import { countDirectoryUsage } from '#workshop/bench/bill/directory-usage.ts';
import { countTemplateUsage } from '#workshop/bench/bill/month.ts';
import { addUsages, computeBill } from '#workshop/bench/prices.ts';

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
  expect(usage).toMatchObject({ customMetrics: 1, dashboards: 0, secrets: 0 });
  // Polls and alerts every minute, the names once a day, and those that are missing every five minutes.
  expect(usage.schedulerInvocations).toBeCloseTo(140_190, 0);
  expect(usage.alarmMetrics).toBeLessThanOrEqual(29);
});

test('an alarm on a sum counts for each of its metrics, and another connection has its own heartbeat', () => {
  const [main] = CONFIG.connections;
  const functions = { accountConcurrency: 100 };
  const two = parseNotifierConfig({
    ...standardConfig,
    functions,
    webhooks: [],
    connections: [
      ...standardConfig.connections,
      { ...main, name: 'north' },
    ] as typeof standardConfig.connections,
  });
  const [before, after] = [countTemplateUsage(CONFIG), countTemplateUsage(two)];
  // Silence of two feeds is watched for the connection; a webhook had one alarm on a sum of two, and three others.
  expect(after.alarmMetrics).toBe((before.alarmMetrics ?? 0) + 2 - 5);
  expect(after).toMatchObject({ customMetrics: 2, dashboards: 0, secrets: 0 });
});

test('one more of each costs what docs/cost.md says', () => {
  const { connections, webhooks = [], subscriptions = [], alerts } = standardConfig;
  const again = <Entry extends object>([first]: readonly Entry[] = []): Entry => ({
    ...(first as Entry),
    name: 'second',
    ...('secretName' in (first as Entry) ? { secretName: 'ssm:/secrets/workforce-notifier/second' } : {}),
  });
  const costOf = (more: Partial<NotifierConfigInput>) => {
    const functions = { accountConcurrency: 1_000 };
    const usage = countTemplateUsage(parseNotifierConfig({ ...standardConfig, functions, ...more }));
    return computeBill(usage).total;
  };
  const alone = costOf({});
  const describe = (more: Partial<NotifierConfigInput>) => `$${(costOf(more) - alone).toFixed(2)}`;
  const webhook = describe({ webhooks: [...webhooks, again(webhooks)] });
  const channels = [...(alerts?.channels ?? []), again(alerts?.channels)];
  const channel = describe({ alerts: { ...alerts, channels } });
  const connection = describe({ connections: [...connections, again(connections)] });
  const subscription = describe({ subscriptions: [...subscriptions, again(subscriptions)] });
  expect(readFileSync('docs/cost.md', 'utf8')).toContain(
    `one more webhook costs ${webhook} a month, a channel of Slack or Teams ${channel}, a connection ${connection}, a subscription ${subscription}`,
  );
  const objective = describe({ objectives: { clockings: '60s' } });
  expect(readFileSync('docs/cost.md', 'utf8')).toContain(`Each class of \`objectives\` costs ${objective}:`);
});

test('employees and departments cost what docs/cost.md says, where they are polled', () => {
  const costOf = (schedules: NonNullable<NotifierConfigInput['schedules']>) => {
    const config = parseNotifierConfig({ ...standardConfig, schedules });
    return computeBill(addUsages([countTemplateUsage(config), countDirectoryUsage(config)])).total;
  };
  const price = (directory: { readonly everyMinutes?: number }) =>
    `$${(costOf({ directory }) - costOf({})).toFixed(2)}`;
  expect(readFileSync('docs/cost.md', 'utf8')).toContain(
    `cost ${price({})} a month for each connection, and ${price({ everyMinutes: 5 })} every 5 minutes`,
  );
});
