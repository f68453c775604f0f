import { defineNotifierConfig } from '#shared/config/schema/notifier-config.ts';

/** The notifier's config for this example. */
export const senderConfig = defineNotifierConfig({
  connections: [
    {
      name: 'main',
      baseUrl: 'https://workforce.example.com',
      timeZone: 'Pacific/Auckland',
      secretName: 'ssm:/secrets/workforce-notifier/main',
    },
  ],
  webhooks: [
    {
      name: 'payroll-system',
      url: 'https://payroll.acme.example/hook',
      secretName: 'ssm:/secrets/workforce-notifier/webhooks/payroll-system',
      topics: ['timesheets'],
      filter: {
        type: [
          'workforce.timesheet.approved',
          'workforce.timesheet.approval_revoked',
          'workforce.timesheet.changed',
          'workforce.timesheet.removed',
        ],
      },
    },
  ],
});
