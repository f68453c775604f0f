import { defineNotifierConfig } from '#shared/config/schema/notifier-config.ts';

const window = { backDays: 3, forwardDays: 3 };

/** Two sources in one deployment, and a queue with the events of one of them. */
export default defineNotifierConfig({
  stackName: 'two-connections',
  connections: [
    {
      name: 'north',
      baseUrl: 'https://north.example.com',
      timeZone: 'Pacific/Auckland',
      secretName: 'token-of-north',
      window,
    },
    {
      name: 'south',
      baseUrl: 'https://south.example.com',
      timeZone: 'Pacific/Auckland',
      secretName: 'token-of-south',
      window,
    },
  ],
  queues: [{ name: 'south-only', topics: ['timesheets', 'operations'], filter: { connection: ['south'] } }],
});
