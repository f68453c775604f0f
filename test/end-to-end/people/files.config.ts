import { defineNotifierConfig } from '#shared/config/schema/notifier-config.ts';

/** One source, and a Slack channel with a bot into whose threads files come. */
export default defineNotifierConfig({
  stackName: 'filed',
  connections: [
    { name: 'main', baseUrl: 'https://main.example.com', timeZone: 'UTC', secretName: 'token-of-main' },
  ],
  functions: { accountConcurrency: 1_000 },
  alerts: {
    consoleUrl: 'http://127.0.0.1:4600',
    channels: [
      {
        ...{ name: 'payroll', kind: 'slack', secretName: 'slack-of-payroll', channelId: 'C0123456789' },
        files: true,
      },
      { name: 'office', kind: 'email', addresses: ['office@acme.example'] },
    ],
    rules: [{ types: ['workforce.pay_period.closed'] }],
  },
});
