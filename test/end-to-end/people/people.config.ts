import { defineNotifierConfig } from '#shared/config/schema/notifier-config.ts';

/** One source; Slack by an address and by a bot, Teams, mailboxes, and a webhook. */
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
      { name: 'managers', kind: 'slack', secretName: 'bot-of-managers', channelId: 'C0123456789' },
      { name: 'board', kind: 'teams', secretName: 'teams-of-board' },
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
