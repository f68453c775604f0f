import { defineNotifierConfig } from '#shared/config/schema/notifier-config.ts';

/**
 * What to watch and whom to tell. This is the one file to edit; every setting is described in
 * `shared/config/schema/notifier-config.ts`, and what is left out has a default.
 */
export default defineNotifierConfig({
  stackName: 'workforce-notifier',

  // One entry for each source API. Renaming a connection starts it anew, with a new baseline.
  connections: [
    {
      name: 'main',
      baseUrl: 'https://workforce.example.com',
      timeZone: 'Pacific/Auckland',
      // In AWS Secrets Manager: a token, or {"clientId": "...", "clientSecret": "..."}.
      secretName: 'workforce-notifier/main',
      // Timesheets of these calendar days around today are watched.
      window: { backDays: 35, forwardDays: 14 },
      // Events can be replayed for this long.
      retentionDays: 90,
    },
  ],

  schedules: {
    timesheets: { everyMinutes: 1 },
    'pay-periods': { everyMinutes: 1 },
  },

  // Add `email` or `topicArn` to hear of alarms.
  alarms: { silentAfterMinutes: 15 },

  // People: closed and reopened periods, finished processing, late changes, a source that does not answer. Name
  // `rules` to choose yourself, and `names` of a channel to have employees or departments called by their names.
  alerts: {
    channels: [
      // The secret holds the address of an incoming webhook of Slack.
      { name: 'payroll', kind: 'slack', secretName: 'workforce-notifier/slack/payroll' },
      { name: 'payroll-office', kind: 'email', addresses: ['payroll@acme.example'] },
    ],
  },

  // Systems elsewhere: signed webhooks. The secret holds `whsec_` and a key.
  webhooks: [
    {
      name: 'payroll-system',
      url: 'https://payroll.acme.example/hooks/workforce',
      secretName: 'workforce-notifier/webhooks/payroll-system',
      topics: ['timesheets', 'pay-periods'],
      filter: {
        type: [
          'workforce.timesheet.approved',
          'workforce.timesheet.approval_revoked',
          'workforce.pay_period.closed',
        ],
      },
    },
  ],

  // Systems in AWS: queues to make, or to subscribe when they exist (`queueArn`).
  subscriptions: [
    {
      name: 'payroll',
      topics: ['timesheets', 'pay-periods'],
      filter: {
        type: [
          'workforce.timesheet.approved',
          'workforce.timesheet.approval_revoked',
          'workforce.pay_period.closed',
        ],
      },
    },
  ],
});
