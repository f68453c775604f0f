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
  queues: [
    {
      name: 'timesheet-table',
      topics: ['timesheets'],
      filter: { departmentId: ['202_1'] },
    },
  ],
});
