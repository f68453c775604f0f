import { defineNotifierConfig } from '#shared/config/schema/notifier-config.ts';

/** One source, two Slack channels with the same alerts, mailboxes, and a webhook. */
export default defineNotifierConfig({
  stackName: 'told',
  connections: [
    {
      name: 'main',
      baseUrl: 'https://main.example.com',
      timeZone: 'UTC',
      secretName: 'token-of-main',
    },
  ],
  people: {
    names: ['departments'],
    channels: [
      { name: 'payroll', kind: 'slack', secretName: 'slack-of-payroll', tells: ['closings', 'late-changes'] },
      {
        name: 'managers',
        kind: 'slack',
        secretName: 'slack-of-managers',
        quietHours: { from: '20:00', to: '07:00' },
      },
      { name: 'office', kind: 'email', addresses: ['payroll@acme.example', 'office@acme.example'] },
    ],
  },
  webhooks: [
    {
      name: 'system',
      url: 'https://payroll.acme.example/hook',
      secretName: 'signing-of-system',
      topics: ['timesheets', 'pay-periods'],
    },
  ],
});
