import { defineNotifierConfig } from '#shared/config/schema/notifier-config.ts';

/** One source, a Teams channel, an event bus and a webhook. */
// biome-ignore lint/style/noDefaultExport: a config file is read by its default export.
export default defineNotifierConfig({
  stackName: 'drilled',
  connections: [
    {
      name: 'main',
      baseUrl: 'https://main.example.com',
      timeZone: 'UTC',
      secretName: 'token-of-main',
    },
  ],
  functions: { accountConcurrency: 1_000 },
  eventBus: 'routing',
  webhooks: [
    {
      name: 'payroll-system',
      url: 'https://payroll.example.com/hooks',
      secretName: 'secret-of-payroll-system',
      topics: ['timesheets', 'pay-periods'],
    },
  ],
  alerts: {
    channels: [{ name: 'board', kind: 'teams', secretName: 'teams-of-board' }],
    rules: [{ types: ['workforce.pay_period.closed'] }],
  },
});
