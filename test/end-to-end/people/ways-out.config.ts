import { defineNotifierConfig } from '#shared/config/schema/notifier-config.ts';

/** One source, a Teams channel, a Slack channel with a bot, and a webhook. */
export default defineNotifierConfig({
  stackName: 'ways-out',
  connections: [
    {
      name: 'main',
      baseUrl: 'https://main.example.com',
      timeZone: 'UTC',
      secretName: 'token-of-main',
    },
  ],
  webhooks: [
    {
      name: 'payroll-system',
      url: 'https://payroll.example.com/hooks',
      secretName: 'secret-of-payroll-system',
      topics: ['timesheets', 'pay-periods'],
    },
  ],
  people: {
    names: ['departments'],
    channels: [
      { name: 'board', kind: 'teams', secretName: 'teams-of-board' },
      { name: 'payroll', kind: 'slack', secretName: 'bot-of-payroll', channelId: 'C0123456789' },
    ],
  },
});
