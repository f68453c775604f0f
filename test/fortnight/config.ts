import config from '#config';

const [connection] = config.connections;

/**
 * The config of the repository, with its payroll channel and mailbox, a channel of those who run the notifier, and a
 * Teams channel of the managers: what is still to be approved each morning, and who has not clocked in.
 */
export const FORTNIGHT_CONFIG = {
  ...config,
  connections: [
    {
      ...connection,
      window: { backDays: 21, forwardDays: 7 },
      absences: { clockInMinutes: 30, clockOutHours: 3 },
    },
  ],
  people: {
    ...config.people,
    channels: [
      ...(config.people?.channels ?? []),
      { name: 'it', kind: 'slack', secretName: 'workforce-notifier/slack/it', for: 'operations' },
      {
        name: 'managers',
        kind: 'teams',
        secretName: 'workforce-notifier/teams/managers',
        tells: ['approvals', 'missing-clockings'],
        quietHours: { from: '20:00', to: '07:00' },
        dailySummary: { at: '08:00' },
      },
    ],
  },
};
